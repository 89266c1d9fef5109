package io.weir.bench;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.runner.RunnerException;

/**
 * Weir beside its peers in about ten minutes: a short form of {@link LocalBenchmark}, {@link ClusterBenchmark}, {@link
 * RedisBenchmark} and {@link SaturatedBenchmark} that prints tables of ratios.
 *
 * <pre>
 * java -cp jmh-benchmarks/target/benchmarks.jar io.weir.bench.PeerComparison
 *     [--markdown FILE] [--svg FILE] [--only WORDS] [--quick]
 * </pre>
 *
 * <p>Ratios are good to about 15 percent on a quiet machine. Who needs more runs the whole of JMH.
 */
public final class PeerComparison {

    private static final String LEGEND = """
            Time of a call as its thread sees it, bytes it allocates (on a cluster: by all members together), and Weir's
            time divided by the peer's: below 1.00 Weir is the faster one. The floor is one clock read with one
            compare-and-set. On the cluster there are two such ratios: Weir as it comes, which answers a key that is asked
            for often from memory, and Weir that asks the owner each time. Beside it a hand-written token bucket processor
            without any of the guarantees; bucket4j that sends calls together, and bucket4j that grants a thousand permits
            before it asks and so may grant too many; and a token bucket in Lua in a Redis that has no replica.
            """;

    private final ComparisonOptions options;
    private final PrintStream out;
    private final long beganNanos = System.nanoTime();
    private final RatioTable local = new RatioTable(LocalRows.COLUMNS, 1);
    private final RatioTable cluster = new RatioTable(ClusterRows.COLUMNS, ClusterRows.BASES);
    private final PeerPicture picture = new PeerPicture();

    private PeerComparison(ComparisonOptions options, PrintStream out) {
        this.options = options;
        this.out = out;
    }

    /**
     * Runs the comparison.
     *
     * @param args any of {@code --markdown FILE} to write the tables to a file as well, {@code --svg FILE} to draw the hot
     *     key's calls per second, {@code --only WORDS} to run the rows whose names contain them, and {@code --quick} to run
     *     a row of each kind, in this JVM and for no time at all
     */
    public static void main(String[] args) throws RunnerException, IOException {
        run(ComparisonOptions.of(args), System.out);
    }

    /** Runs a comparison, and prints what comes out of it. */
    static void run(ComparisonOptions options, PrintStream out) throws RunnerException, IOException {
        if (options.quick()) {
            System.setProperty("jmh.ignoreLock", "true"); // what it measures is of no use to anybody
        }
        if (!RedisServer.isInstalled()) {
            out.println("no redis-server on the PATH: its column stays empty");
        }
        PeerComparison comparison = new PeerComparison(options, out);
        comparison.measure();
        comparison.report();
    }

    private void measure() throws RunnerException {
        for (Row row : chosen(LocalRows.all())) {
            local.add(row, measure(row, Pace.LOCAL));
        }
        for (Row row : chosen(ClusterRows.all())) {
            Map<String, RatioTable.Cell> cells = measure(row, Pace.CLUSTER);
            cluster.add(row, cells);
            if (ClusterRows.isPictured(row)) {
                picture.add(row.threads() == 1 ? "1 thread" : row.threads() + " threads", cells);
            }
        }
        for (Row row : chosen(List.of(ClusterRows.saturated()))) {
            cluster.add(row, measure(row, Pace.CLUSTER));
        }
    }

    private List<Row> chosen(List<Row> rows) {
        return rows.stream()
                .filter(row -> row.name().contains(options.only()))
                .limit(options.quick() ? 1 : Long.MAX_VALUE)
                .toList();
    }

    private Map<String, RatioTable.Cell> measure(Row row, Pace pace) throws RunnerException {
        Map<String, RatioTable.Cell> cells = (options.quick() ? Pace.QUICK : pace).measure(row);
        long seconds = TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - beganNanos);
        out.printf(Locale.ROOT, "%4d s: %s%n", seconds, row.name());
        cells.forEach((column, cell) ->
                out.printf(Locale.ROOT, "        %-18s %s, %,.0f calls/s%n", column, cell, cell.callsPerSecond()));
        return cells;
    }

    private void report() throws IOException {
        String tables = local.markdown() + "\n" + cluster.markdown() + "\n" + LEGEND;
        out.printf("%n%s%n", tables);
        out.println("compare: " + local.ratios("Weir", "floor"));
        out.println("compare: " + local.ratios("Weir", "bucket4j"));
        out.println("compare: " + cluster.ratios("Weir exact", "processor"));
        out.println("compare: " + cluster.ratios("Weir exact", "bucket4j"));
        out.println("compare: " + cluster.ratios("Weir", "bucket4j delaying"));
        out.println("compare: " + cluster.ratios("Weir", "Weir exact"));
        if (options.markdown() != null) {
            Files.writeString(options.markdown(), tables);
        }
        if (options.svg() != null) {
            picture.write(options.svg());
        }
    }
}
