package io.weir.hazelcast;

import com.hazelcast.client.HazelcastClient;
import com.hazelcast.client.config.ClientConfig;
import com.hazelcast.cluster.impl.MemberImpl;
import com.hazelcast.config.Config;
import com.hazelcast.config.JoinConfig;
import com.hazelcast.core.Hazelcast;
import com.hazelcast.core.HazelcastInstance;
import com.hazelcast.internal.cluster.impl.ClusterServiceImpl;
import io.weir.store.NanoClock;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;

/** Hazelcast members in this JVM that talk over loopback and are gone when it is closed. */
final class TestCluster implements AutoCloseable {

    static final String NAMESPACE = "test";

    /** Clusters of one JVM must not meet, nor those of two builds on one machine. */
    private static final AtomicInteger NUMBERS = new AtomicInteger();

    private static final int FIRST_PORT = 20_000;
    private static final int PORTS = 10_000;
    private static final int PORTS_PER_CLUSTER = 10;

    private final int number = NUMBERS.getAndIncrement();
    private final String name =
            "weir-test-" + number + "-" + ProcessHandle.current().pid();
    private final int firstPort =
            FIRST_PORT + (int) ((ProcessHandle.current().pid() * 31 + number) * PORTS_PER_CLUSTER % PORTS);
    private final List<HazelcastInstance> members = new ArrayList<>();
    private final List<Integer> ports = new ArrayList<>();
    private final List<HazelcastInstance> clients = new ArrayList<>();

    static TestCluster of(int members) {
        return of(members, config -> {});
    }

    static TestCluster of(int members, Consumer<Config> more) {
        TestCluster cluster = new TestCluster();
        for (int i = 0; i < members; i++) {
            cluster.addMember(more);
        }
        return cluster;
    }

    HazelcastInstance addMember(Consumer<Config> more) {
        Config config = HazelcastStore.configure(new Config(), NAMESPACE).setClusterName(name);
        config.setProperty("hazelcast.wait.seconds.before.join", "0")
                .setProperty("hazelcast.phone.home.enabled", "false")
                .setProperty("hazelcast.logging.type", "none")
                .setProperty("hazelcast.partition.count", "31");
        config.getJetConfig().setEnabled(false);
        config.getNetworkConfig()
                .setPort(firstPort)
                .setPortAutoIncrement(true)
                .getInterfaces()
                .setEnabled(true)
                .addInterface("127.0.0.1");
        JoinConfig join = config.getNetworkConfig().getJoin();
        join.getAutoDetectionConfig().setEnabled(false);
        join.getMulticastConfig().setEnabled(false);
        join.getTcpIpConfig().setEnabled(true);
        // Those before it: for others, who are not there yet, it would wait a second.
        ports.forEach(port -> join.getTcpIpConfig().addMember("127.0.0.1:" + port));
        more.accept(config);
        HazelcastInstance member = Hazelcast.newHazelcastInstance(config);
        members.add(member);
        ports.add(portOf(member));
        return member;
    }

    HazelcastInstance addClient() {
        return addClient(config -> {});
    }

    HazelcastInstance addClient(Consumer<ClientConfig> more) {
        ClientConfig config = new ClientConfig().setClusterName(name);
        config.getNetworkConfig().addAddress("127.0.0.1:" + portOfTheFirst());
        config.setProperty("hazelcast.logging.type", "none");
        more.accept(config);
        HazelcastInstance client = HazelcastClient.newHazelcastClient(config);
        clients.add(client);
        return client;
    }

    /** A client may know where the first member is going to be. */
    private int portOfTheFirst() {
        return ports.isEmpty() ? firstPort : ports.get(0);
    }

    private static int portOf(HazelcastInstance member) {
        return member.getCluster().getLocalMember().getSocketAddress().getPort();
    }

    /** Waits until no partition migrates any more: members invoke operations of their own for that. */
    void awaitSafe() {
        for (HazelcastInstance member : members) {
            if (!member.getPartitionService().forceLocalMemberToBeSafe(30, TimeUnit.SECONDS)) {
                throw new IllegalStateException("partitions still migrate after 30 s");
            }
        }
    }

    /** Lets every member decide by {@code clock}. */
    void useClock(NanoClock clock) {
        for (HazelcastInstance member : members) {
            UUID uuid = member.getCluster().getLocalMember().getUuid();
            Owner.install(member, new Owner(() -> uuid, clock, () -> true));
        }
    }

    boolean ownsRoster(HazelcastInstance member) {
        return member.getPartitionService().getPartition("nodes").getOwner().localMember();
    }

    /** Ends members as a crash would: the others lose them without a goodbye. */
    void crash(HazelcastInstance... dying) {
        List<HazelcastInstance> dead = List.of(dying);
        suspect(othersThan(dead), dead);
        dead.forEach(member -> member.getLifecycleService().terminate()); // nobody hears its goodbye any more
    }

    /** Cuts members off from all others, and waits until each side has noticed. The oldest must be one of them. */
    void cut(HazelcastInstance... some) {
        List<HazelcastInstance> here = List.of(some);
        List<HazelcastInstance> there = othersThan(here);
        suspect(there, here); // first, or the oldest would tell some of them that others have left
        suspect(here, there);
    }

    private List<HazelcastInstance> othersThan(List<HazelcastInstance> some) {
        return members.stream()
                .filter(member -> member.getLifecycleService().isRunning() && !some.contains(member))
                .toList();
    }

    private static void suspect(List<HazelcastInstance> side, List<HazelcastInstance> lost) {
        side.forEach(by -> lost.forEach(whom -> suspect(by, whom)));
        side.forEach(each -> awaitSize(each, side.size()));
    }

    private static void suspect(HazelcastInstance by, HazelcastInstance whom) {
        ClusterServiceImpl cluster = (ClusterServiceImpl) by.getCluster();
        MemberImpl suspected =
                cluster.getMember(whom.getCluster().getLocalMember().getUuid());
        if (suspected != null) {
            cluster.suspectMember(suspected, "cut by a test", true);
        }
    }

    private static void awaitSize(HazelcastInstance member, int size) {
        long giveUpNanos = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
        while (member.getCluster().getMembers().size() != size) {
            if (System.nanoTime() - giveUpNanos > 0) {
                throw new IllegalStateException(
                        "sees " + member.getCluster().getMembers().size() + " members instead of " + size);
            }
            LockSupport.parkNanos(1_000_000);
        }
    }

    List<HazelcastInstance> members() {
        return members;
    }

    HazelcastInstance member(int index) {
        return members.get(index);
    }

    /** The member that owns a key of a limit. */
    HazelcastInstance ownerOf(String limit, String key) {
        UUID owner = members.get(0)
                .getPartitionService()
                .getPartition(limit + ":" + key) // as a member serializes it: tests here set no partitioning strategy
                .getOwner()
                .getUuid();
        return members.stream()
                .filter(member -> member.getLifecycleService().isRunning())
                .filter(member -> member.getCluster().getLocalMember().getUuid().equals(owner))
                .findFirst()
                .orElseThrow();
    }

    @Override
    public void close() {
        clients.forEach(HazelcastInstance::shutdown);
        // At once: one after another, each would wait for those that are gone to hear its goodbye.
        members.parallelStream().forEach(member -> member.getLifecycleService().terminate());
    }
}
