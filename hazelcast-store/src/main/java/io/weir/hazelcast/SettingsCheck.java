package io.weir.hazelcast;

import com.hazelcast.config.Config;
import com.hazelcast.config.EvictionConfig;
import com.hazelcast.config.EvictionPolicy;
import com.hazelcast.config.InMemoryFormat;
import com.hazelcast.config.InvalidConfigurationException;
import com.hazelcast.config.MapConfig;
import com.hazelcast.core.HazelcastInstance;
import com.hazelcast.internal.serialization.Data;
import com.hazelcast.internal.serialization.SerializationService;
import com.hazelcast.nio.serialization.HazelcastSerializationException;
import com.hazelcast.spi.impl.SerializationServiceSupport;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Properties;
import java.util.UUID;

/**
 * Looks over the user's Hazelcast before the first call: refuses what cannot work, warns once, by name and value, of settings
 * that void a bound we promise, and adds the map's configuration where there is none.
 */
final class SettingsCheck {

    private static final System.Logger LOG = System.getLogger(HazelcastStore.class.getName());

    private static final String REMOVAL = "hazelcast.max.no.heartbeat.seconds";
    private static final String BACK_PRESSURE = "hazelcast.backpressure.enabled";

    private SettingsCheck() {}

    /**
     * Refuses and warns; asks nothing of the cluster.
     *
     * @param wanted the map of buckets as it should be
     * @param directives the map of directives as it should be
     */
    static void inspect(HazelcastInstance hazelcast, boolean client, MapConfig wanted, MapConfig directives) {
        requireReadable(hazelcast);
        if (client) {
            return; // a client does not see the members' configuration
        }
        Config config = hazelcast.getConfig();
        MapConfig found = found(config, wanted);
        List<String> ofTheMap = new ArrayList<>(warnings(found));
        protectionWarning(hazelcast, found).ifPresent(ofTheMap::add);
        for (String warning : ofTheMap) {
            LOG.log(System.Logger.Level.WARNING, "Map {0}: {1}", wanted.getName(), warning);
        }
        for (String warning : directivesWarnings(found(config, directives))) {
            LOG.log(System.Logger.Level.WARNING, "Map {0}: {1}", directives.getName(), warning);
        }
        for (String warning : warnings(config.getProperties())) {
            LOG.log(System.Logger.Level.WARNING, warning);
        }
    }

    /**
     * Adds the map's configuration where there is none, or where that cannot be seen. Waits for the cluster, for as long as
     * that takes.
     *
     * @throws RuntimeException if the cluster cannot do so now
     */
    static void addIfMissing(HazelcastInstance hazelcast, boolean client, MapConfig wanted) {
        if (client || !isConfigured(hazelcast.getConfig(), wanted)) {
            addToCluster(hazelcast, wanted);
        }
    }

    private static MapConfig found(Config config, MapConfig wanted) {
        return isConfigured(config, wanted) ? config.findMapConfig(wanted.getName()) : wanted;
    }

    private static boolean isConfigured(Config config, MapConfig wanted) {
        return !"default".equals(config.findMapConfig(wanted.getName()).getName());
    }

    /** What in a member's properties voids which bound; system properties count where a member has none of its own. */
    static List<String> warnings(Properties properties) {
        List<String> warnings = new ArrayList<>();
        String removal = valueOf(properties, REMOVAL, "60");
        long least = AwakeTick.LONGEST_GAP.plusSeconds(1).toSeconds();
        if (removal.matches("\\d{1,9}") && Integer.parseInt(removal) < least) {
            warnings.add(REMOVAL + " is " + removal + ". A member that sleeps for " + AwakeTick.LONGEST_GAP.toSeconds()
                    + " s can be removed without noticing, and grants from buckets that others own by then. Set at"
                    + " least " + least + "; we recommend 10.");
        }
        String backPressure = valueOf(properties, BACK_PRESSURE, "false");
        if (Boolean.parseBoolean(backPressure)) {
            warnings.add(
                    BACK_PRESSURE + " is " + backPressure + ". When too many calls are in flight Hazelcast holds up"
                            + " whoever sends another, beyond any deadline of ours. Weir bounds its calls by itself.");
        }
        return warnings;
    }

    /** Whether the protection that a map names is ours and runs: what is added to a running member does not. */
    static Optional<String> protectionWarning(HazelcastInstance hazelcast, MapConfig map) {
        String name = map.getSplitBrainProtectionName();
        boolean named = Majority.NAME.equals(name);
        if (named && isGuarded(hazelcast)) {
            return Optional.empty();
        }
        String found = named ? name + ", which does not run" : String.valueOf(name);
        return Optional.of(
                "split-brain-protection-ref is " + found + ". In a split each side then grants the whole limit,"
                        + " and so does a member that slept, until it knows better. Call HazelcastStore.configure before the member"
                        + " starts, on every member, or set the same in YAML: Hazelcast ignores what is added later.");
    }

    private static boolean isGuarded(HazelcastInstance hazelcast) {
        try {
            hazelcast.getSplitBrainProtectionService().getSplitBrainProtection(Majority.NAME);
            return Membership.of(hazelcast).isGuarded(); // else another function has our name
        } catch (IllegalArgumentException e) { // Hazelcast's way to say that there is none
            return false;
        }
    }

    private static String valueOf(Properties properties, String name, String otherwise) {
        return properties.getProperty(name, System.getProperty(name, otherwise));
    }

    private static void addToCluster(HazelcastInstance hazelcast, MapConfig wanted) {
        try {
            hazelcast.getConfig().addMapConfig(wanted);
        } catch (InvalidConfigurationException e) {
            // Somebody has configured this map already, and differently. Theirs stays; members warn of what it voids.
            LOG.log(
                    System.Logger.Level.INFO,
                    "Map {0} is configured by the cluster already, differently from what Weir would add.",
                    wanted.getName());
        }
    }

    /** What in a map's configuration voids which bound. */
    static List<String> warnings(MapConfig map) {
        List<String> warnings = new ArrayList<>();
        if (map.getBackupCount() == 0) {
            warnings.add("backup-count is 0. When a member dies its buckets are full again: one more capacity for each"
                    + " of its keys. Set 1.");
        }
        evictionWarning(map.getEvictionConfig()).ifPresent(warnings::add);
        if (map.getTimeToLiveSeconds() != 0) {
            // Harmless to our own writes, which say their own, but a sign that somebody expects it to count.
            warnings.add("time-to-live-seconds is " + map.getTimeToLiveSeconds()
                    + " and has no effect: each bucket says how long it lives. Remove it.");
        }
        if (map.getMaxIdleSeconds() != 0) {
            warnings.add("max-idle-seconds is " + map.getMaxIdleSeconds()
                    + ". A bucket that is dropped before it has refilled is full again: one more capacity for its key."
                    + " Remove it; idle buckets vanish by themselves.");
        }
        if (map.getMapStoreConfig().isEnabled()) {
            warnings.add("map-store is enabled. Every check of an unknown key then loads from it, on the way of the"
                    + " request. Remove it; quotas that must be durable do not belong in a map.");
        }
        String mergePolicy = map.getMergePolicyConfig().getPolicy();
        if (!LowerBalance.class.getName().equals(mergePolicy)) {
            warnings.add("merge-policy is " + mergePolicy + ". When a split heals, what the smaller side has granted is"
                    + " granted once more. Set " + LowerBalance.class.getName() + ".");
        }
        if (map.getInMemoryFormat() == InMemoryFormat.NATIVE) {
            warnings.add("in-memory-format is NATIVE, which is not tested. Set BINARY.");
        }
        return warnings;
    }

    /** What in the configuration of the map of directives voids which promise. */
    static List<String> directivesWarnings(MapConfig map) {
        List<String> warnings = new ArrayList<>();
        if (map.getBackupCount() == 0) {
            warnings.add(
                    "backup-count is 0. When the member dies that owns the directives they are lost, but for what other nodes"
                            + " remember. Set 1.");
        }
        if (map.getTimeToLiveSeconds() != 0
                || map.getMaxIdleSeconds() != 0
                || map.getEvictionConfig().getEvictionPolicy() != EvictionPolicy.NONE) {
            warnings.add(
                    "entries are dropped by time-to-live-seconds, max-idle-seconds or eviction. With its one entry go all"
                            + " live limits, overrides and blocks. Remove it.");
        }
        String mergePolicy = map.getMergePolicyConfig().getPolicy();
        if (!HigherVersion.class.getName().equals(mergePolicy)) {
            warnings.add("merge-policy is " + mergePolicy
                    + ". When a split heals, what was set on one of its sides is lost. Set "
                    + HigherVersion.class.getName() + ".");
        }
        if (!Majority.NAME.equals(map.getSplitBrainProtectionName())) {
            warnings.add("split-brain-protection-ref is " + map.getSplitBrainProtectionName()
                    + ". In a split each side takes directives then, which may contradict one another. Set "
                    + Majority.NAME
                    + ".");
        }
        return warnings;
    }

    private static Optional<String> evictionWarning(EvictionConfig eviction) {
        String comparator = eviction.getComparator() != null
                ? eviction.getComparator().getClass().getName()
                : eviction.getComparatorClassName();
        if (eviction.getEvictionPolicy() == EvictionPolicy.NONE && comparator == null) {
            return Optional.empty();
        }
        String bounded = "the map is bounded to " + eviction.getSize() + " by eviction (policy "
                + eviction.getEvictionPolicy() + ", comparator " + comparator
                + "). A bucket that is evicted before it is full grants one more capacity to its key. ";
        return Optional.of(
                SoonestFull.class.getName().equals(comparator)
                        ? bounded + "The comparator makes that rare; keep the bound well above the keys in use."
                        : bounded + "Remove it, since idle buckets vanish by themselves; if you must bound the map, set"
                                + " the comparator " + SoonestFull.class.getName() + ".");
    }

    /** A question that only our own class can answer, written and read back. */
    private static void requireReadable(HazelcastInstance hazelcast) {
        if (!(hazelcast instanceof SerializationServiceSupport support)) {
            throw new IllegalArgumentException("Weir needs a Hazelcast member or client itself, but was given a "
                    + hazelcast.getClass().getName() + ": unwrap it before handing it over");
        }
        SerializationService serialization = support.getSerializationService();
        try {
            Data written = serialization.toData(new MembershipQuestion(UUID.randomUUID()));
            Object read = serialization.toObject(written);
            if (!(read instanceof MembershipQuestion)) {
                throw clash("reads Weir's classes as " + read.getClass().getName());
            }
        } catch (HazelcastSerializationException e) {
            throw clash("cannot read Weir's classes: " + e.getMessage());
        }
    }

    private static IllegalStateException clash(String what) {
        return new IllegalStateException("Hazelcast " + what + ". Data serializable factory " + Wire.FACTORY_ID
                + " is taken, or Weir's jar is hidden from Hazelcast's class loader. Choose another id with"
                + " -Dweir.hazelcast.factory-id=..., the same on every member and client.");
    }
}
