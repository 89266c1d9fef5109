package io.weir.console.browser;

import com.hazelcast.config.Config;
import com.hazelcast.config.JoinConfig;
import com.hazelcast.core.Hazelcast;
import com.hazelcast.core.HazelcastInstance;
import io.weir.FailurePolicy;
import io.weir.KeyWatch;
import io.weir.Limit;
import io.weir.Weir;
import io.weir.algorithm.Bandwidth;
import io.weir.console.Console;
import io.weir.console.ConsoleMeters;
import io.weir.hazelcast.HazelcastStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/** Nodes of an application in this JVM, members of one cluster, each with a console; and clients that ask them all. */
final class Nodes implements AutoCloseable {

    private static final String NAMESPACE = "console";

    private final List<Node> nodes = new ArrayList<>();

    /** One of them. */
    static final class Node implements AutoCloseable {
        final HazelcastInstance member;
        final Console console;
        private final Weir weir;
        private final Thread clients;
        private final AtomicLong perClient = new AtomicLong();
        private volatile boolean asked = true;

        private Node(HazelcastInstance member, String name) {
            ConsoleMeters meters = ConsoleMeters.create();
            this.member = member;
            this.weir = Weir.over(HazelcastStore.join(member, NAMESPACE))
                    .limit(limit("per-client", 100, FailurePolicy.LOCAL_SHARE).build())
                    .limit(limit("search", 20, FailurePolicy.GRANT).exact().build())
                    .limit(limit("search-next", 10, FailurePolicy.GRANT)
                            .shadowOf("search")
                            .build())
                    .limit(limit("log-in", 5, FailurePolicy.DENY).build())
                    .meters(meters)
                    .watchKeys(KeyWatch.create())
                    .build();
            this.console = Console.of(weir, meters).node(name).build();
            this.clients = new Thread(this::ask, "clients of " + name);
            clients.setDaemon(true);
            clients.start();
        }

        private static Limit.Builder limit(String name, long aSecond, FailurePolicy policy) {
            return Limit.named(name, policy)
                    .bandwidth(Bandwidth.of(aSecond, aSecond, Duration.ofSeconds(1)))
                    .deadline(Duration.ofMillis(500));
        }

        private void ask() {
            for (int i = 0; asked; i++) {
                perClient.incrementAndGet();
                weir.limiter("per-client").tryAcquire(i % 3 == 0 ? "ann" : "customer-" + i % 50);
                if (i % 4 == 0) {
                    weir.limiter("search").tryAcquire("203.0.113.9");
                }
                if (i % 50 == 0) {
                    weir.limiter("log-in").tryAcquire("198.51.100." + i % 7);
                }
                LockSupport.parkNanos(Duration.ofMillis(4).toNanos());
            }
        }

        /** As if somebody pulled the plug: it says goodbye to nobody. */
        void die() {
            quieten();
            member.getLifecycleService().terminate();
        }

        private void quieten() {
            asked = false;
            try {
                clients.join(10_000);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }

        @Override
        public void close() {
            quieten();
            console.close();
            weir.close();
            member.getLifecycleService().terminate();
        }
    }

    static Nodes start(int count) {
        Nodes nodes = new Nodes();
        for (int i = 1; i <= count; i++) {
            nodes.nodes.add(new Node(Hazelcast.newHazelcastInstance(nodes.config()), "n" + i));
        }
        return nodes;
    }

    Node get(int index) {
        return nodes.get(index);
    }

    private Config config() {
        Config config = HazelcastStore.configure(new Config(), NAMESPACE)
                .setClusterName("weir-console-" + ProcessHandle.current().pid())
                .setProperty("hazelcast.wait.seconds.before.join", "0")
                .setProperty("hazelcast.phone.home.enabled", "false")
                .setProperty("hazelcast.logging.type", "none")
                .setProperty("hazelcast.partition.count", "31");
        config.getJetConfig().setEnabled(false);
        // Any port that is free; the first tells the others which it has.
        config.getNetworkConfig().setPort(0).getInterfaces().setEnabled(true).addInterface("127.0.0.1");
        JoinConfig join = config.getNetworkConfig().getJoin();
        join.getAutoDetectionConfig().setEnabled(false);
        join.getMulticastConfig().setEnabled(false);
        join.getTcpIpConfig().setEnabled(true);
        for (Node each : nodes) {
            join.getTcpIpConfig()
                    .addMember("127.0.0.1:"
                            + each.member
                                    .getCluster()
                                    .getLocalMember()
                                    .getAddress()
                                    .getPort());
        }
        return config;
    }

    /** How often each node was asked under the limit {@code per-client} by now. */
    List<Long> asked() {
        return nodes.stream().map(each -> each.perClient.get()).toList();
    }

    /** As the page shows it. */
    static String addressOf(Node node) {
        return node.member.getCluster().getLocalMember().getAddress().toString();
    }

    @Override
    public void close() {
        nodes.forEach(Node::close);
    }
}
