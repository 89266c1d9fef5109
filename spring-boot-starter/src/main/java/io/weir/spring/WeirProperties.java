package io.weir.spring;

import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.NestedConfigurationProperty;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * What an application says about its limits. A name that is not here stops the start.
 *
 * @param enabled Whether there is anything of Weir at all: beans, filters, the map in Hazelcast.
 * @param namespace What keeps applications apart that share a cluster, and names the map of buckets: 1 to 64 of A-Z a-z 0-9 . _ -.
 *     The same on every node. Unless set, spring.application.name.
 * @param store Where buckets live: in the application's Hazelcast, or in each JVM by itself.
 * @param hazelcastInstance The name of the bean to use, where there are several Hazelcast instances and none is primary.
 * @param nodes Among how many nodes local-share divides a limit: every member and client that limits. Unless set, the store
 *     counts them.
 * @param limits The limits, by name.
 * @param keys Whether keys are watched: which ask for most, and which sit at their cap.
 * @param endpoint What the actuator endpoint may do.
 * @param console The page that shows all limits, on all nodes, as they are now.
 * @param quotas The quotas, by name: durable budgets, in the application's database.
 * @param quota Where quotas are kept.
 * @param http Which HTTP requests are limited, and how denials are answered; and what this node takes upon itself at one time.
 */
@ConfigurationProperties(prefix = WeirProperties.PREFIX, ignoreUnknownFields = false)
record WeirProperties(
        @DefaultValue("true") boolean enabled,
        @Nullable String namespace,
        @DefaultValue("hazelcast") StoreKind store,
        @Nullable String hazelcastInstance,
        @Nullable Integer nodes,
        @DefaultValue Map<String, LimitProperties> limits,
        @DefaultValue @NestedConfigurationProperty KeysProperties keys,
        @DefaultValue @NestedConfigurationProperty EndpointProperties endpoint,
        @DefaultValue @NestedConfigurationProperty ConsoleProperties console,
        @DefaultValue Map<String, QuotaProperties> quotas,
        @DefaultValue @NestedConfigurationProperty LedgerProperties quota,
        @DefaultValue @NestedConfigurationProperty HttpProperties http) {

    static final String PREFIX = "weir";

    /** Where buckets live. */
    enum StoreKind {
        /** In the application's Hazelcast: all nodes enforce the limit together. */
        HAZELCAST,

        /** In this JVM: each node enforces the limit by itself. */
        LOCAL
    }
}
