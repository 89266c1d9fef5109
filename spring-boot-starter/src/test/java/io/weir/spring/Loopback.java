package io.weir.spring;

import com.hazelcast.config.Config;

/** Hazelcast on this machine alone. */
final class Loopback {

    private Loopback() {}

    /** @param cluster members of another one are not joined, whatever their ports are */
    static Config config(String cluster) {
        Config config = new Config().setClusterName(cluster);
        config.setProperty("hazelcast.phone.home.enabled", "false");
        config.setProperty("hazelcast.wait.seconds.before.join", "0");
        config.setProperty("hazelcast.logging.type", "none");
        var network = config.getNetworkConfig().setPort(0).setPortAutoIncrement(true);
        network.getInterfaces().setEnabled(true).addInterface("127.0.0.1");
        network.getJoin().getAutoDetectionConfig().setEnabled(false);
        network.getJoin().getMulticastConfig().setEnabled(false);
        return config;
    }
}
