package io.weir.chaos;

import com.hazelcast.client.HazelcastClient;
import com.hazelcast.client.config.ClientConfig;
import com.hazelcast.config.Config;
import com.hazelcast.config.JoinConfig;
import com.hazelcast.core.Hazelcast;
import com.hazelcast.core.HazelcastInstance;
import io.weir.hazelcast.HazelcastStore;

/** Starts Hazelcast in this process. What a cell tunes comes in as system properties. */
final class Instances {

    /** Whose buckets these are. */
    static final String NAMESPACE = "chaos";

    private Instances() {}

    static HazelcastInstance start(Role role, Place place) {
        return role == Role.CLIENT
                ? HazelcastClient.newHazelcastClient(client(place))
                : Hazelcast.newHazelcastInstance(member(role, place));
    }

    private static Config member(Role role, Place place) {
        Config config = new Config().setClusterName(place.cluster()).setLiteMember(role == Role.LITE);
        config.setProperty("hazelcast.phone.home.enabled", "false")
                .setProperty("hazelcast.wait.seconds.before.join", "0")
                .setProperty("hazelcast.shutdownhook.enabled", "false")
                .setProperty("hazelcast.local.localAddress", place.listens())
                // Every member has the same port; and a member calls from the address that it is reached by.
                .setProperty("hazelcast.socket.bind.any", "false");
        config.getNetworkConfig()
                .setPort(place.port())
                .setPortAutoIncrement(false)
                .setPublicAddress(place.reached() + ":" + place.port());
        config.getNetworkConfig().getInterfaces().setEnabled(true).addInterface(place.listens());
        JoinConfig join = config.getNetworkConfig().getJoin();
        join.getAutoDetectionConfig().setEnabled(false);
        join.getMulticastConfig().setEnabled(false);
        join.getTcpIpConfig().setEnabled(true).setMembers(place.everybody());
        if (role != Role.PLAIN) {
            HazelcastStore.configure(config, NAMESPACE);
            // Statistics, because they tell how many entries a backup still holds.
            config.getMapConfig(HazelcastStore.mapName(NAMESPACE)).setStatisticsEnabled(true);
        }
        return config;
    }

    private static ClientConfig client(Place place) {
        ClientConfig config = new ClientConfig().setClusterName(place.cluster());
        config.getNetworkConfig().setAddresses(place.everybody());
        return config;
    }
}
