package io.weir.bench;

import com.hazelcast.map.IMap;
import com.hazelcast.map.LocalMapStats;
import io.weir.hazelcast.HazelcastStore;
import java.util.List;
import java.util.Locale;
import java.util.function.ToLongFunction;
import java.util.stream.IntStream;

/** What Hazelcast counts in a namespace's map, over all members. */
final class EntryCounts {

    /** Many for each partition. */
    private static final int WARM_UP_KEYS = 3_000;

    private final LoopbackCluster cluster;
    private final String mapName;

    EntryCounts(LoopbackCluster cluster, String namespace) {
        this.cluster = cluster;
        this.mapName = HazelcastStore.mapName(namespace);
    }

    /** Makes what a partition has once it has ever held a key, so that nobody takes it for a key's. */
    void warmUp() {
        IMap<String, String> map = cluster.map(mapName);
        IntStream.range(0, WARM_UP_KEYS).forEach(i -> map.set(DistinctKeys.key(i), ""));
        map.clear();
    }

    /** On owners. */
    long owned() {
        return sum(LocalMapStats::getOwnedEntryCount);
    }

    /** On backups. */
    long backups() {
        return sum(LocalMapStats::getBackupEntryCount);
    }

    /** Now. */
    Costs costs() {
        long owned = owned();
        return new Costs(
                owned,
                (double) sum(LocalMapStats::getOwnedEntryMemoryCost) / owned,
                (double) sum(LocalMapStats::getBackupEntryMemoryCost) / backups());
    }

    private long sum(ToLongFunction<LocalMapStats> count) {
        List<LocalMapStats> stats = cluster.members().stream()
                .map(member -> member.getMap(mapName).getLocalMapStats())
                .toList();
        return stats.stream().mapToLong(count).sum();
    }

    /**
     * What entries cost by Hazelcast's own reckoning, which leaves out when they expire.
     *
     * @param entries how many there are
     * @param owner bytes of each on its owner
     * @param backup bytes of each on its backup
     */
    record Costs(long entries, double owner, double backup) {

        /** What has come since, in words. */
        String added(Costs before) {
            return String.format(
                    Locale.ROOT, ", %.0f and %.0f more than before", owner - before.owner, backup - before.backup);
        }
    }
}
