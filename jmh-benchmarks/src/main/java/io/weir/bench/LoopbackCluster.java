package io.weir.bench;

import com.hazelcast.config.Config;
import com.hazelcast.config.JoinConfig;
import com.hazelcast.core.Hazelcast;
import com.hazelcast.core.HazelcastInstance;
import com.hazelcast.internal.partition.IPartition;
import com.hazelcast.internal.partition.IPartitionService;
import com.hazelcast.map.IMap;
import com.hazelcast.map.impl.proxy.MapProxyImpl;
import com.hazelcast.spi.impl.NodeEngine;
import io.github.bucket4j.grid.hazelcast.HazelcastProxyManager;
import io.weir.hazelcast.HazelcastStore;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.stream.IntStream;

/**
 * Three members in this JVM that talk TCP over the loopback interface, with one synchronous backup. One of them is the
 * caller, and not the oldest, which has more to do than the others.
 */
final class LoopbackCluster implements AutoCloseable {

    private static final int MEMBERS = 3;

    private static final int BUCKET4J_TYPE_ID_BASE = 4711;

    /** Held, since a logger that nobody holds forgets its level. */
    private static final Logger HAZELCAST_LOGGER = Logger.getLogger("com.hazelcast");

    private static final Logger WEIR_LOGGER = Logger.getLogger("io.weir.hazelcast");

    private final Network network;
    private final List<HazelcastInstance> members = new ArrayList<>();
    private final NodeEngine engine;

    /** A cluster whose members are as close to each other as they can be. */
    LoopbackCluster() {
        this(Network.direct(MEMBERS), Map.of());
    }

    /** The same, with members that count the packets of each connection. */
    static LoopbackCluster counting() {
        return new LoopbackCluster(Network.direct(MEMBERS), Map.of("hazelcast.metrics.debug.enabled", "true"));
    }

    /** A cluster whose members look for expired entries in all partitions each second. */
    static LoopbackCluster expiring() {
        return new LoopbackCluster(
                Network.direct(MEMBERS),
                Map.of(
                        "hazelcast.internal.map.expiration.cleanup.percentage", "100",
                        "hazelcast.internal.map.expiration.cleanup.operation.count", "271",
                        "hazelcast.internal.map.expiration.task.period.seconds", "1"));
    }

    /** A cluster whose members are far from each other. */
    static LoopbackCluster apart(Duration roundTrip) {
        return new LoopbackCluster(new DelayedNetwork(MEMBERS, roundTrip), Map.of());
    }

    private LoopbackCluster(Network network, Map<String, String> properties) {
        this.network = network;
        HAZELCAST_LOGGER.setLevel(Level.WARNING);
        String name = "benchmark-" + UUID.randomUUID();
        for (int i = 0; i < MEMBERS; i++) {
            Config config = config(name, network.places().subList(0, i + 1));
            properties.forEach(config::setProperty);
            members.add(Hazelcast.newHazelcastInstance(config));
        }
        MapProxyImpl<Object, Object> map = (MapProxyImpl<Object, Object>) caller().getMap("warm-up");
        map.clear(); // assigns the partitions, so that none migrates later
        engine = map.getNodeEngine();
        for (HazelcastInstance member : members) {
            if (member.getCluster().getMembers().size() != MEMBERS
                    || !member.getPartitionService().forceLocalMemberToBeSafe(30, TimeUnit.SECONDS)) {
                close();
                throw new IllegalStateException(MEMBERS + " members did not form a safe cluster");
            }
        }
    }

    /** The member that the benchmarked calls start from. */
    HazelcastInstance caller() {
        return members.get(MEMBERS - 1);
    }

    /**
     * Keys of which both owner and backup are other members than the caller: the longest way a call can have.
     *
     * @param prefix what somebody may put in front of a key; they are remote with and without it
     */
    List<String> remoteKeys(int count, String prefix) {
        return keys(count, key -> isRemote(key) && isRemote(prefix + key));
    }

    /**
     * Keys that the caller owns.
     *
     * @param prefix what somebody puts in front of a key
     */
    List<String> ownKeys(int count, String prefix) {
        return keys(count, key -> isReplica(0, partition(prefix + key)));
    }

    private static List<String> keys(int count, Predicate<String> wanted) {
        return IntStream.iterate(0, i -> i + 1)
                .mapToObj(i -> "client-" + i)
                .filter(wanted)
                .limit(count)
                .toList();
    }

    private boolean isRemote(String key) {
        IPartition partition = partition(key);
        return !isReplica(0, partition) && !isReplica(1, partition);
    }

    /** Whether the caller has one of a partition's replicas; the owner's is the first. */
    private boolean isReplica(int index, IPartition partition) {
        return engine.getThisAddress().equals(partition.getReplicaAddress(index));
    }

    private IPartition partition(String key) {
        IPartitionService partitions = engine.getPartitionService();
        return partitions.getPartition(partitions.getPartitionId(key), false);
    }

    /** All members, the caller included. */
    List<HazelcastInstance> members() {
        return members;
    }

    <V> IMap<String, V> map(String name) {
        return caller().getMap(name);
    }

    @Override
    public void close() {
        HAZELCAST_LOGGER.setLevel(Level.OFF); // each member would complain that it, or another one, is terminated
        WEIR_LOGGER.setLevel(Level.WARNING); // and tell that others, which end as well, did not hear its goodbye
        // At once: one after another, each would wait for those that are gone to hear its goodbye.
        members.parallelStream().forEach(member -> member.getLifecycleService().terminate());
        network.close();
    }

    /** Of the last of some members, who looks for those before it: none is there yet after it. */
    private static Config config(String clusterName, List<Place> places) {
        Place place = places.get(places.size() - 1);
        Config config = new Config()
                .setClusterName(clusterName)
                .setProperty("hazelcast.phone.home.enabled", "false")
                .setProperty("hazelcast.wait.seconds.before.join", "0")
                .setProperty("hazelcast.socket.bind.any", "false")
                .setProperty("hazelcast.local.localAddress", place.listens().getHostString());
        config.getNetworkConfig().setPort(place.listens().getPort()).setPortAutoIncrement(false);
        config.getNetworkConfig().setPublicAddress(text(place.reached()));
        config.getNetworkConfig()
                .getInterfaces()
                .setEnabled(true)
                .addInterface(place.listens().getHostString());
        JoinConfig join = config.getNetworkConfig().getJoin();
        join.getAutoDetectionConfig().setEnabled(false);
        join.getMulticastConfig().setEnabled(false);
        join.getTcpIpConfig().setEnabled(true);
        places.forEach(other -> join.getTcpIpConfig().addMember(text(other.reached())));
        config.getSerializationConfig().addDataSerializableFactory(Wire.FACTORY_ID, Wire::create);
        HazelcastStore.configure(config, ClusterBenchmark.NAMESPACE);
        HazelcastProxyManager.addCustomSerializers(config.getSerializationConfig(), BUCKET4J_TYPE_ID_BASE);
        return config;
    }

    private static String text(InetSocketAddress address) {
        return address.getHostString() + ":" + address.getPort();
    }
}
