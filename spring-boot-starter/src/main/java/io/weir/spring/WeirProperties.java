package io.weir.spring;

import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * What an application says about its limits. A name that is not here stops the start.
 *
 * @param enabled whether there is anything of Weir at all: beans, filters, the map in Hazelcast.
 * @param namespace what keeps applications apart that share a cluster, and names the map of buckets: 1 to 64 of A-Z a-z 0-9 . _ -.
 *     The same on every node. Unless set, spring.application.name.
 * @param store where buckets live: in the application's Hazelcast, or in each JVM by itself.
 * @param hazelcastInstance the name of the bean to use, where there are several Hazelcast instances and none is primary.
 * @param nodes among how many nodes local-share divides a limit: every member and client that limits. Unless set, the store
 *     counts them.
 * @param limits the limits, by name.
 */
@ConfigurationProperties(prefix = WeirProperties.PREFIX, ignoreUnknownFields = false)
record WeirProperties(
        @DefaultValue("true") boolean enabled,
        @Nullable String namespace,
        @DefaultValue("hazelcast") StoreKind store,
        @Nullable String hazelcastInstance,
        @Nullable Integer nodes,
        @DefaultValue Map<String, LimitProperties> limits) {

    static final String PREFIX = "weir";

    /** Where buckets live. */
    enum StoreKind {
        /** In the application's Hazelcast: all nodes enforce the limit together. */
        HAZELCAST,

        /** In this JVM: each node enforces the limit by itself. */
        LOCAL
    }
}
