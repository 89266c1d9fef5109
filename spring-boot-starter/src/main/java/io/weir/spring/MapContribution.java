package io.weir.spring;

import com.hazelcast.config.Config;
import com.hazelcast.config.MapConfig;
import com.hazelcast.config.SplitBrainProtectionConfig;
import io.weir.hazelcast.HazelcastStore;
import java.util.function.Supplier;

/**
 * Adds the maps of buckets and of directives, and the protection that lets only a majority decide, to a member's configuration before the member
 * starts: Hazelcast ignores protection that comes later. What the application has configured itself under the same names stays.
 */
final class MapContribution {

    private final Supplier<String> namespace;

    /** @param namespace asked when there is a configuration to add to, and not before */
    MapContribution(Supplier<String> namespace) {
        this.namespace = namespace;
    }

    /** Adds what is missing from {@code config}; again changes nothing. */
    void addTo(Config config) {
        MapConfig ours = HazelcastStore.mapConfig(namespace.get());
        MapConfig theirs = config.getMapConfigs().get(ours.getName());
        MapConfig theirDirectives = config.getMapConfigs()
                .get(HazelcastStore.directivesConfig(namespace.get()).getName());
        MapConfig theirBoard = config.getMapConfigs()
                .get(HazelcastStore.boardConfig(namespace.get()).getName());
        SplitBrainProtectionConfig theirProtection =
                config.getSplitBrainProtectionConfigs().get(ours.getSplitBrainProtectionName());
        HazelcastStore.configure(config, namespace.get());
        if (theirs != null) {
            config.addMapConfig(theirs);
        }
        if (theirDirectives != null) {
            config.addMapConfig(theirDirectives);
        }
        if (theirBoard != null) {
            config.addMapConfig(theirBoard);
        }
        if (theirProtection != null) {
            config.addSplitBrainProtectionConfig(theirProtection);
        }
    }
}
