package io.weir.chaos;

/** The two kinds of {@link Network}. */
enum Rig {
    /**
     * A network namespace for each process, and a packet filter in each: real packets, really dropped. Needs root, and
     * {@code nft} or {@code iptables}. Cannot delay: the kernel's {@code netem} is not everywhere.
     */
    NAMESPACES {
        @Override
        Network open(String cluster) {
            return new NamespaceNetwork(cluster);
        }
    },

    /** A loopback address for each process, and a relay in front of it that knows both ends. Needs Linux. */
    LOOPBACK {
        @Override
        Network open(String cluster) {
            return new LoopbackNetwork(cluster);
        }
    };

    /** The better one that works here; {@code -Dweir.chaos.rig=LOOPBACK} overrules. */
    static Rig available() {
        String wanted = System.getProperty("weir.chaos.rig");
        if (wanted != null) {
            return valueOf(wanted);
        }
        return NamespaceNetwork.isPossible() ? NAMESPACES : LOOPBACK;
    }

    /** The network of a cluster. */
    abstract Network open(String cluster);

    /** Whether a network of this kind can make such weather. */
    boolean can(Weather weather) {
        return this == LOOPBACK || !weather.needsRelay();
    }
}
