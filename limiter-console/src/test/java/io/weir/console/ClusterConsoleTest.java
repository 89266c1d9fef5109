package io.weir.console;

import static org.assertj.core.api.Assertions.assertThat;

import com.hazelcast.client.HazelcastClient;
import com.hazelcast.client.config.ClientConfig;
import com.hazelcast.config.Config;
import com.hazelcast.config.JoinConfig;
import com.hazelcast.core.Hazelcast;
import com.hazelcast.core.HazelcastInstance;
import io.weir.FailurePolicy;
import io.weir.Limit;
import io.weir.Weir;
import io.weir.algorithm.Bandwidth;
import io.weir.hazelcast.HazelcastStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Predicate;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Consoles of three members and a client, whose rounds run by themselves. */
@Timeout(value = 180, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ClusterConsoleTest {

    private static final String NAMESPACE = "test";

    /** Clusters of two builds on one machine must not meet. */
    private static final int FIRST_PORT =
            30_000 + (int) (ProcessHandle.current().pid() % 2_000) * 10;

    private final String name = "weir-console-" + ProcessHandle.current().pid();
    private final List<HazelcastInstance> instances = new ArrayList<>();
    private final List<Node> nodes = new ArrayList<>();

    private record Node(HazelcastInstance hazelcast, Weir weir, Console console) {

        JsonTree data() {
            ConsoleAnswer answer = console.answer("GET", "/weir", "/data", null);
            assertThat(answer.status()).isEqualTo(200);
            return JsonTree.of(answer.body());
        }
    }

    @AfterEach
    void stop() {
        nodes.forEach(each -> each.console().close());
        nodes.forEach(each -> each.weir().close());
        for (int i = instances.size() - 1; i >= 0; i--) { // the client first
            instances.get(i).getLifecycleService().terminate();
        }
    }

    @Test
    void showsAllNodesOnAnyAndPostsNothingUnlessItIsLookedAt() {
        for (int i = 0; i < 3; i++) {
            join("n" + i, member());
        }
        join("c", client());
        LockSupport.parkNanos(Duration.ofSeconds(3).toNanos());
        assertThat(nodes.get(0).hazelcast().getMap("weir-board." + NAMESPACE).size())
                .as("notes and marks while nobody looks")
                .isZero();

        for (Node each : nodes) {
            for (int i = 0; i < 5; i++) {
                assertThat(each.weir().limiter("shared").tryAcquire("ann").granted())
                        .isTrue();
            }
        }
        for (Node viewer : List.of(nodes.get(1), nodes.get(3))) {
            JsonTree data = await(viewer, each -> each.at("cluster.reporting").number() == 4);
            assertThat(data.at("cluster.nodes").number()).isEqualTo(4);
            assertThat(data.at("cluster.state").text()).isEqualTo("EXACT");
            assertThat(data.at("limits.list.0.total.granted").number()).isEqualTo(20);
            assertThat(data.at("limits.list.0.differs").truth()).isFalse();
            assertThat(data.at("cluster.members").list())
                    .hasSize(4)
                    .allSatisfy(each -> assertThat(each.at("state").text()).isEqualTo("REACHABLE"));
            assertThat(data.at("cluster.members").list())
                    .anySatisfy(each -> assertThat(each.at("name").text()).isEqualTo("c"));
        }

        HazelcastInstance dying = nodes.get(2).hazelcast();
        String gone = dying.getCluster().getLocalMember().getAddress().toString();
        dying.getLifecycleService().terminate();
        long knownNanos = awaitSize(nodes.get(0).hazelcast(), 2);
        await(nodes.get(0), each -> stateOf(gone, each).equals("LEFT"));
        assertThat(System.nanoTime() - knownNanos)
                .as("nanoseconds from when the cluster knew")
                .isLessThan(Duration.ofSeconds(2).toNanos());
        await(nodes.get(0), each -> each.at("cluster.reporting").number() == 3); // the client, too, when it knows
    }

    private static String stateOf(String member, JsonTree data) {
        return data.at("cluster.members").list().stream()
                .filter(each -> each.at("name").text().equals(member))
                .map(each -> each.at("state").text())
                .findFirst()
                .orElse("none");
    }

    private static JsonTree await(Node viewer, Predicate<JsonTree> met) {
        long giveUpNanos = System.nanoTime() + Duration.ofSeconds(60).toNanos();
        while (true) {
            JsonTree data = viewer.data();
            if (met.test(data)) {
                return data;
            }
            assertThat(System.nanoTime() - giveUpNanos)
                    .as("waited 60 s, last %s", data.at("cluster"))
                    .isNegative();
            LockSupport.parkNanos(50_000_000);
        }
    }

    /** Returns when it was so, within a few milliseconds. */
    private static long awaitSize(HazelcastInstance member, int size) {
        long giveUpNanos = System.nanoTime() + Duration.ofSeconds(60).toNanos();
        while (member.getCluster().getMembers().size() != size) {
            assertThat(System.nanoTime() - giveUpNanos).isNegative();
            LockSupport.parkNanos(5_000_000);
        }
        return System.nanoTime();
    }

    private void join(String node, HazelcastInstance hazelcast) {
        ConsoleMeters meters = ConsoleMeters.create();
        Weir weir = Weir.over(HazelcastStore.join(hazelcast, NAMESPACE))
                .limit(Limit.named("shared", FailurePolicy.DENY)
                        .bandwidth(Bandwidth.of(1_000, 1, Duration.ofHours(1)))
                        .deadline(Duration.ofSeconds(10))
                        .build())
                .meters(meters)
                .build();
        nodes.add(new Node(hazelcast, weir, Console.of(weir, meters).node(node).build()));
    }

    private HazelcastInstance member() {
        Config config = HazelcastStore.configure(new Config(), NAMESPACE).setClusterName(name);
        config.setProperty("hazelcast.wait.seconds.before.join", "0")
                .setProperty("hazelcast.phone.home.enabled", "false")
                .setProperty("hazelcast.logging.type", "none")
                .setProperty("hazelcast.partition.count", "31");
        config.getNetworkConfig()
                .setPort(FIRST_PORT)
                .setPortAutoIncrement(true)
                .getInterfaces()
                .setEnabled(true)
                .addInterface("127.0.0.1");
        JoinConfig join = config.getNetworkConfig().getJoin();
        join.getAutoDetectionConfig().setEnabled(false);
        join.getMulticastConfig().setEnabled(false);
        join.getTcpIpConfig().setEnabled(true);
        for (int i = 0; i < 10; i++) {
            join.getTcpIpConfig().addMember("127.0.0.1:" + (FIRST_PORT + i));
        }
        HazelcastInstance member = Hazelcast.newHazelcastInstance(config);
        instances.add(member);
        return member;
    }

    private HazelcastInstance client() {
        ClientConfig config = new ClientConfig().setClusterName(name);
        config.getNetworkConfig()
                .addAddress("127.0.0.1:"
                        + instances
                                .get(0)
                                .getCluster()
                                .getLocalMember()
                                .getAddress()
                                .getPort());
        config.setProperty("hazelcast.logging.type", "none");
        HazelcastInstance client = HazelcastClient.newHazelcastClient(config);
        instances.add(client);
        return client;
    }
}
