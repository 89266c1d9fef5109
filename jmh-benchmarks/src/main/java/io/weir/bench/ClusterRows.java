package io.weir.bench;

import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** On a cluster: {@link ClusterBenchmark}, with {@link RedisBenchmark} where there is a Redis to ask. */
final class ClusterRows {

    /** Weir as it comes, and Weir that asks the owner each time: what the others are compared with. */
    static final int BASES = 2;

    private static final String REDIS = "Redis";

    /** Columns of the table. */
    static final List<String> COLUMNS =
            List.of("Weir", "Weir exact", "processor", "bucket4j", "bucket4j batching", "bucket4j delaying", REDIS);

    private static final Set<ClusterPeer> PLAIN =
            EnumSet.of(ClusterPeer.WEIR, ClusterPeer.WEIR_EXACT, ClusterPeer.PROCESSOR, ClusterPeer.BUCKET4J);

    /** Weir denies from memory, exact or not. */
    private static final Set<ClusterPeer> DENYING = EnumSet.complementOf(EnumSet.of(ClusterPeer.WEIR_EXACT));

    private static final int MANY_THREADS = 32;

    private ClusterRows() {}

    static List<Row> all() {
        Set<ClusterPeer> everybody = EnumSet.allOf(ClusterPeer.class);
        return List.of(
                row("one key", "check", everybody, ClusterBenchmark.Keys.ONE, Outcome.GRANTED, 1),
                row("one key", "check", everybody, ClusterBenchmark.Keys.ONE, Outcome.GRANTED, MANY_THREADS),
                row("one key, 64 in flight", "async", everybody, ClusterBenchmark.Keys.ONE, Outcome.GRANTED, 1),
                row("one key", "check", DENYING, ClusterBenchmark.Keys.ONE, Outcome.DENIED, 1),
                row("one key, 64 in flight", "async", DENYING, ClusterBenchmark.Keys.ONE, Outcome.DENIED, 1),
                row("10,000 keys", "check", PLAIN, ClusterBenchmark.Keys.UNIFORM, Outcome.GRANTED, MANY_THREADS));
    }

    private static Row row(
            String which,
            String method,
            Set<ClusterPeer> peers,
            ClusterBenchmark.Keys keys,
            Outcome outcome,
            int threads) {
        List<Row.Entry> entries = new ArrayList<>();
        for (ClusterPeer peer : peers) {
            entries.add(new Row.Entry(
                    peer.text(),
                    ClusterBenchmark.class,
                    method,
                    Map.of("keys", keys.name(), "outcome", outcome.name(), "peer", peer.name())));
        }
        if (RedisServer.isInstalled()) {
            entries.add(new Row.Entry(
                    REDIS, RedisBenchmark.class, method, Map.of("keys", keys.name(), "outcome", outcome.name())));
        }
        boolean headline = keys == ClusterBenchmark.Keys.ONE;
        return new Row(Row.name("cluster", which, threads, outcome), headline, threads, entries);
    }

    /** Whether a row goes into the picture: a hot key that grants, asked in the way that everybody offers. */
    static boolean isPictured(Row row) {
        return row.entries().stream()
                .allMatch(entry -> entry.method().equals("check")
                        && ClusterBenchmark.Keys.ONE
                                .name()
                                .equals(entry.params().get("keys"))
                        && Outcome.GRANTED.name().equals(entry.params().get("outcome")));
    }

    /** What three members decide together, with leases and without. */
    static Row saturated() {
        List<Row.Entry> entries = new ArrayList<>();
        for (ClusterPeer peer : List.of(ClusterPeer.WEIR, ClusterPeer.WEIR_EXACT)) {
            entries.add(new Row.Entry(peer.text(), SaturatedBenchmark.class, "check", Map.of("peer", peer.name())));
        }
        int threads = 24;
        return new Row("three members, 10,000 keys by Zipf, 24 threads, granted", true, threads, entries);
    }
}
