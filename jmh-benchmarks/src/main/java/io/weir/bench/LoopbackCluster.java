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
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.stream.IntStream;

/**
 * Three members in this JVM that talk TCP over the loopback interface, with one synchronous backup. One of them is the
 * caller, and not the oldest, which has more to do than the others.
 */
final class LoopbackCluster implements AutoCloseable {

    private static final int MEMBERS = 3;
    private static final String LOOPBACK = "127.0.0.1";

    private static final int BUCKET4J_TYPE_ID_BASE = 4711;

    /** Held, since a logger that nobody holds forgets its level. */
    private static final Logger HAZELCAST_LOGGER = Logger.getLogger("com.hazelcast");

    private final List<HazelcastInstance> members = new ArrayList<>();
    private final NodeEngine engine;

    LoopbackCluster() {
        HAZELCAST_LOGGER.setLevel(Level.WARNING);
        String name = "benchmark-" + UUID.randomUUID();
        List<Integer> ports = freePorts();
        for (int port : ports) {
            members.add(Hazelcast.newHazelcastInstance(config(name, port, ports)));
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
        return IntStream.iterate(0, i -> i + 1)
                .mapToObj(i -> "client-" + i)
                .filter(key -> isRemote(key) && isRemote(prefix + key))
                .limit(count)
                .toList();
    }

    private boolean isRemote(String key) {
        IPartitionService partitions = engine.getPartitionService();
        IPartition partition = partitions.getPartition(partitions.getPartitionId(key), false);
        return !engine.getThisAddress().equals(partition.getReplicaAddress(0))
                && !engine.getThisAddress().equals(partition.getReplicaAddress(1));
    }

    <V> IMap<String, V> map(String name) {
        return caller().getMap(name);
    }

    @Override
    public void close() {
        HAZELCAST_LOGGER.setLevel(Level.SEVERE); // each member would warn that it is terminated
        members.forEach(member -> member.getLifecycleService().terminate());
    }

    private static Config config(String clusterName, int port, List<Integer> ports) {
        Config config = new Config()
                .setClusterName(clusterName)
                .setProperty("hazelcast.phone.home.enabled", "false")
                .setProperty("hazelcast.wait.seconds.before.join", "0")
                .setProperty("hazelcast.socket.bind.any", "false");
        config.getNetworkConfig().setPort(port).setPortAutoIncrement(false);
        config.getNetworkConfig().getInterfaces().setEnabled(true).addInterface(LOOPBACK);
        JoinConfig join = config.getNetworkConfig().getJoin();
        join.getAutoDetectionConfig().setEnabled(false);
        join.getMulticastConfig().setEnabled(false);
        join.getTcpIpConfig().setEnabled(true);
        ports.forEach(other -> join.getTcpIpConfig().addMember(LOOPBACK + ":" + other));
        config.getSerializationConfig().addDataSerializableFactory(Wire.FACTORY_ID, Wire::create);
        HazelcastStore.configure(config, ClusterBenchmark.NAMESPACE);
        HazelcastProxyManager.addCustomSerializers(config.getSerializationConfig(), BUCKET4J_TYPE_ID_BASE);
        return config;
    }

    /** Below those from which the system takes one for each connection: it might be a member's before it has started. */
    private static List<Integer> freePorts() {
        List<Integer> ports = new ArrayList<>();
        while (ports.size() < MEMBERS) {
            int port = ThreadLocalRandom.current().nextInt(10_000, 20_000);
            if (!ports.contains(port) && isFree(port)) {
                ports.add(port);
            }
        }
        return ports;
    }

    private static boolean isFree(int port) {
        try (ServerSocket socket = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
            return socket.isBound();
        } catch (BindException e) {
            return false;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
