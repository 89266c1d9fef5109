package io.weir.bench;

import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.openjdk.jmh.profile.GCProfiler;
import org.openjdk.jmh.results.BenchmarkResult;
import org.openjdk.jmh.results.IterationResult;
import org.openjdk.jmh.results.Result;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.Options;
import org.openjdk.jmh.runner.options.TimeValue;
import org.openjdk.jmh.runner.options.VerboseMode;

/**
 * How much time a row gets.
 *
 * <p>The entries of a row take turns, so that a machine that slows down meanwhile slows all of them. What counts is the
 * median of the iterations of all turns.
 *
 * @param turns of each entry, each with JVMs of its own
 * @param forks JVMs in a turn; 0 for this one
 */
record Pace(int turns, int forks, int warmups, int warmupMillis, int iterations, int iterationMillis) {

    static final Pace LOCAL = new Pace(2, 1, 2, 200, 3, 150);

    static final Pace CLUSTER = new Pace(2, 1, 2, 600, 3, 300);

    static final Pace IN_PROCESS = new Pace(2, 1, 3, 600, 5, 200);

    /** Spends of a quota. */
    static final Pace QUOTA = new Pace(3, 1, 3, 1_000, 3, 1_000);

    static final Pace HTTP = new Pace(3, 1, 2, 700, 3, 500);

    /** For finding out whether it works, not how fast. */
    static final Pace QUICK = new Pace(1, 0, 1, 10, 1, 10);

    /** The cell of each entry, by its column. */
    Map<String, RatioTable.Cell> measure(Row row) throws RunnerException {
        Map<String, RatioTable.Cell> cells = new LinkedHashMap<>();
        run(row).forEach((column, results) -> cells.put(column, cell(results, row.threads())));
        return cells;
    }

    /** How long calls of each entry take, by its column. */
    Map<String, Latency> latencies(Row row) throws RunnerException {
        Map<String, Latency> latencies = new LinkedHashMap<>();
        run(row).forEach((column, results) -> latencies.put(column, Latency.of(results, row.threads())));
        return latencies;
    }

    private Map<String, List<IterationResult>> run(Row row) throws RunnerException {
        Map<String, List<IterationResult>> iterations = new LinkedHashMap<>();
        for (int turn = 0; turn < turns; turn++) {
            for (Row.Entry entry : row.entries()) {
                Collection<BenchmarkResult> forked =
                        new Runner(options(row, entry)).runSingle().getBenchmarkResults();
                List<IterationResult> all = iterations.computeIfAbsent(entry.column(), column -> new ArrayList<>());
                forked.forEach(result -> all.addAll(result.getIterationResults()));
            }
        }
        return iterations;
    }

    private Options options(Row row, Row.Entry entry) {
        return entry.options()
                .threads(row.threads())
                .forks(forks)
                .warmupIterations(warmups)
                .warmupTime(TimeValue.milliseconds(warmupMillis))
                .measurementIterations(iterations)
                .measurementTime(TimeValue.milliseconds(iterationMillis))
                .addProfiler(GCProfiler.class)
                .shouldFailOnError(true)
                .verbosity(VerboseMode.SILENT)
                .build();
    }

    private static RatioTable.Cell cell(List<IterationResult> iterations, int threads) {
        double[] times = iterations.stream()
                .mapToDouble(iteration -> nanos(iteration.getPrimaryResult()))
                .toArray();
        double[] bytes = iterations.stream()
                .map(iteration -> iteration.getSecondaryResults().get("gc.alloc.rate.norm"))
                .mapToDouble(result -> Objects.requireNonNull(result, "no allocations were measured")
                        .getScore())
                .toArray();
        return new RatioTable.Cell(Median.of(times), Math.round(Median.of(bytes)), threads);
    }

    private static double nanos(Result<?> result) {
        return switch (result.getScoreUnit()) {
            case "ns/op" -> result.getScore();
            case "us/op" -> result.getScore() * 1_000;
            default -> throw new IllegalStateException("a score in " + result.getScoreUnit());
        };
    }
}
