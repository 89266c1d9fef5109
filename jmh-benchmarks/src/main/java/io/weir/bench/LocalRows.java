package io.weir.bench;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Inside one JVM: {@link LocalBenchmark}, on one key and on many, by one thread and by two. */
final class LocalRows {

    /** Columns of the table. */
    static final List<String> COLUMNS = List.of("Weir", "floor", "bucket4j", "resilience4j", "Guava", "Failsafe");

    /** In the columns' order. */
    private static final List<String> METHODS =
            List.of("weir", "clockAndCas", "bucket4j", "resilience4j", "guava", "failsafe");

    private LocalRows() {}

    static List<Row> all() {
        List<Row> rows = new ArrayList<>();
        for (int threads : new int[] {1, 2}) {
            for (Outcome outcome : Outcome.values()) {
                rows.add(row("one key", LocalBenchmark.Keys.ONE, outcome, threads));
                rows.add(row("100,000 keys", LocalBenchmark.Keys.ZIPF, outcome, threads));
            }
        }
        return rows;
    }

    private static Row row(String which, LocalBenchmark.Keys keys, Outcome outcome, int threads) {
        Map<String, String> params = Map.of("keys", keys.name(), "outcome", outcome.name());
        List<Row.Entry> entries = new ArrayList<>();
        for (int i = 0; i < COLUMNS.size(); i++) {
            entries.add(new Row.Entry(COLUMNS.get(i), LocalBenchmark.class, METHODS.get(i), params));
        }
        return new Row(Row.name("local", which, threads, outcome), threads == 1, threads, entries);
    }
}
