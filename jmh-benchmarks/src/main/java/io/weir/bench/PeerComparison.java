package io.weir.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.profile.GCProfiler;
import org.openjdk.jmh.results.BenchmarkResult;
import org.openjdk.jmh.results.IterationResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.Options;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;
import org.openjdk.jmh.runner.options.VerboseMode;

/**
 * Weir beside its peers in less than five minutes: a short form of {@link LocalBenchmark} and {@link ClusterBenchmark}
 * that prints one table of ratios.
 *
 * <pre>
 * java -cp jmh-benchmarks/target/benchmarks.jar io.weir.bench.PeerComparison [--markdown FILE]
 * </pre>
 *
 * <p>In each local row the peers take turns, so that a machine that slows down meanwhile slows all of them. In a row on a
 * cluster, which takes too long to start for that, each has one turn, one peer after another. A cell is the median of its
 * iterations. Ratios are good to about 15 percent on a quiet machine. Who needs more runs the whole of JMH.
 */
public final class PeerComparison {

    private static final List<String> COLUMNS = List.of("Weir", "floor", "bucket4j", "resilience4j", "Guava");

    private static final List<String> LOCAL = List.of("weir", "clockAndCas", "bucket4j", "resilience4j", "guava");
    private static final List<String> CLUSTER = List.of("weir", "takeTokenProcessor", "bucket4j");
    private static final List<String> CLUSTER_ASYNC = List.of("weirAsync", "takeTokenProcessorAsync", "bucket4jAsync");

    private static final String LEGEND = """
            Time of a call as its thread sees it, bytes it allocates (on a cluster: by all members together), and Weir's
            time divided by the peer's: below 1.00 Weir is the faster one. The floor is one clock read with one
            compare-and-set; on a cluster, a hand-written token bucket processor without any of the guarantees.
            """;

    private PeerComparison() {}

    /**
     * Runs the comparison.
     *
     * @param args none, or {@code --markdown FILE} to write the table to a file as well
     */
    public static void main(String[] args) throws RunnerException, IOException {
        Path markdown = markdownFile(args);
        List<Row> rows = rows();
        RatioTable table = new RatioTable(COLUMNS);
        long began = System.nanoTime();
        for (Row row : rows) {
            long seconds = TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - began);
            System.out.printf("%3d s: row %d of %d, %s%n", seconds, rows.indexOf(row) + 1, rows.size(), row.name());
            table.add(row.name(), row.headline(), measure(row));
        }
        System.out.printf("%n%s%n%s%n%s%n", table.markdown(), LEGEND, table.summary());
        if (markdown != null) {
            Files.writeString(markdown, table.markdown() + "\n" + LEGEND);
        }
    }

    private static @Nullable Path markdownFile(String[] args) {
        if (args.length == 0) {
            return null;
        }
        if (args.length == 2 && args[0].equals("--markdown")) {
            return Path.of(args[1]);
        }
        throw new IllegalArgumentException("expected nothing or --markdown FILE but got " + Arrays.toString(args));
    }

    private static List<Row> rows() {
        List<Row> rows = new ArrayList<>();
        for (int threads : new int[] {1, 2}) {
            for (Outcome outcome : Outcome.values()) {
                rows.add(Row.local("one key", LocalBenchmark.Keys.ONE, outcome, threads));
                rows.add(Row.local("100,000 keys", LocalBenchmark.Keys.ZIPF, outcome, threads));
            }
        }
        for (Outcome outcome : Outcome.values()) {
            rows.add(Row.cluster("one key", CLUSTER, ClusterBenchmark.Keys.ONE, outcome, 1));
            rows.add(Row.cluster("one key, 64 in flight", CLUSTER_ASYNC, ClusterBenchmark.Keys.ONE, outcome, 1));
        }
        rows.add(Row.cluster("one key", CLUSTER, ClusterBenchmark.Keys.ONE, Outcome.GRANTED, 32));
        rows.add(Row.cluster("10,000 keys", CLUSTER, ClusterBenchmark.Keys.UNIFORM, Outcome.GRANTED, 32));
        return rows;
    }

    /** One cell for each of a row's methods, in their order. */
    private static List<RatioTable.Cell> measure(Row row) throws RunnerException {
        List<List<IterationResult>> iterations = new ArrayList<>();
        row.methods().forEach(method -> iterations.add(new ArrayList<>()));
        for (int turn = 0; turn < row.turns(); turn++) {
            for (int i = 0; i < row.methods().size(); i++) {
                for (BenchmarkResult result : new Runner(
                                row.options(row.methods().get(i)))
                        .runSingle()
                        .getBenchmarkResults()) {
                    iterations.get(i).addAll(result.getIterationResults());
                }
            }
        }
        return iterations.stream().map(PeerComparison::cell).toList();
    }

    private static RatioTable.Cell cell(List<IterationResult> iterations) {
        String unit = iterations.get(0).getScoreUnit().replace("/op", "");
        double[] times = iterations.stream()
                .mapToDouble(iteration -> iteration.getPrimaryResult().getScore())
                .toArray();
        double[] bytes = iterations.stream()
                .map(iteration -> iteration.getSecondaryResults().get("gc.alloc.rate.norm"))
                .mapToDouble(result -> Objects.requireNonNull(result, "no allocations were measured")
                        .getScore())
                .toArray();
        return new RatioTable.Cell(Median.of(times), unit, Math.round(Median.of(bytes)));
    }

    /**
     * One line of the table.
     *
     * @param methods the benchmark's methods, Weir's first, in the order of the columns
     */
    private record Row(
            String name, Class<?> benchmark, List<String> methods, Enum<?> keys, Outcome outcome, int threads) {

        static Row local(String which, LocalBenchmark.Keys keys, Outcome outcome, int threads) {
            String name = name("local", which, outcome, threads);
            return new Row(name, LocalBenchmark.class, LOCAL, keys, outcome, threads);
        }

        static Row cluster(
                String which, List<String> methods, ClusterBenchmark.Keys keys, Outcome outcome, int threads) {
            String name = name("cluster", which, outcome, threads);
            return new Row(name, ClusterBenchmark.class, methods, keys, outcome, threads);
        }

        private static String name(String where, String which, Outcome outcome, int threads) {
            return where + ", " + which + (threads == 1 ? "" : ", " + threads + " threads") + ", "
                    + outcome.name().toLowerCase(Locale.ROOT);
        }

        /** Two for local rows; a cluster takes too long to start for that. */
        int turns() {
            return local() ? 2 : 1;
        }

        /** Whether the row goes into the one line that sums up. */
        boolean headline() {
            return keys.name().equals("ONE") && (threads == 1 || !local());
        }

        Options options(String method) {
            return new OptionsBuilder()
                    .include("^" + Pattern.quote(benchmark.getName() + '.' + method) + "$")
                    .param("keys", keys.name())
                    .param("outcome", outcome.name())
                    .threads(threads)
                    .forks(1)
                    .warmupIterations(2)
                    .warmupTime(TimeValue.milliseconds(local() ? 200 : 1000))
                    .measurementIterations(local() ? 3 : 5)
                    .measurementTime(TimeValue.milliseconds(local() ? 150 : 300))
                    .addProfiler(GCProfiler.class)
                    .shouldFailOnError(true)
                    .verbosity(VerboseMode.SILENT)
                    .build();
        }

        private boolean local() {
            return benchmark == LocalBenchmark.class;
        }
    }
}
