package io.weir.bench;

import com.zaxxer.hikari.HikariDataSource;
import java.io.IOException;
import java.io.PrintStream;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import org.openjdk.jmh.runner.RunnerException;

/**
 * What a spend costs beside hand-written SQL that does the same work, through the same pool on one PostgreSQL: a short form of {@link
 * QuotaBenchmark}. The server is started for it, on the machine that it runs on.
 *
 * <pre>
 * java -cp jmh-benchmarks/target/benchmarks.jar io.weir.bench.QuotaComparison [--quick]
 * </pre>
 *
 * <p>Prints a table and the round trips of a spend and of a rejection, and last whether there is at least {@value #LEAST} of the
 * hand-written throughput in every row, a spend makes at most two round trips and a repeated rejection none. Ends with 1 if not. It takes about
 * four minutes; with {@code --quick} it runs everything in this JVM for no time at all, and judges only what is counted.
 */
public final class QuotaComparison {

    static final double LEAST = 0.9;

    private static final int THREADS = 8;
    private static final int COUNTED = 100;

    private QuotaComparison() {}

    /**
     * Runs the comparison.
     *
     * @param args none, or {@code --quick} to find out whether it works
     */
    public static void main(String[] args) throws IOException, SQLException, RunnerException {
        boolean quick = args.length == 1 && args[0].equals("--quick");
        if (args.length > 0 && !quick) {
            throw new IllegalArgumentException("expected nothing or --quick but got " + Arrays.toString(args));
        }
        System.exit(run(quick, System.out));
    }

    /**
     * Runs a comparison, and prints what comes out of it.
     *
     * @return what a process that has found this out ends with
     */
    static int run(boolean quick, PrintStream out) throws IOException, SQLException, RunnerException {
        if (quick) {
            System.setProperty("jmh.ignoreLock", "true"); // what it measures is of no use to anybody
        }
        try (QuotaDatabase database = new QuotaDatabase()) {
            List<String> columns =
                    Arrays.stream(Spender.values()).map(Spender::text).toList();
            RatioTable table = new RatioTable(columns, 1);
            double least = Double.POSITIVE_INFINITY;
            for (Row row : rows(database.url())) {
                out.println("measuring: " + row.name());
                Map<String, RatioTable.Cell> cells = (quick ? Pace.QUICK : Pace.QUOTA).measure(row);
                table.add(row, cells);
                least = Math.min(least, throughput(cells));
            }
            out.println(table.markdown());
            double trips = roundTripsOfSpends(database, Spender.WEIR);
            double byHand = roundTripsOfSpends(database, Spender.HAND_WRITTEN);
            double rejections = roundTripsOfRejections(database);
            return judge(least, trips, byHand, rejections, quick, out);
        }
    }

    static int judge(double least, double trips, double byHand, double rejections, boolean quick, PrintStream out) {
        boolean counts = trips <= 2 && rejections == 0;
        boolean fast = quick || least >= LEAST;
        String verdict = !counts || !fast ? "MISSED" : quick ? "not judged" : "kept";
        out.printf(
                Locale.ROOT,
                "quota: %.2f times as many spends as hand-written SQL where it is least; %.2f round trips a spend, by hand"
                        + " %.2f, a repeated rejection %.2f: %s%n",
                least,
                trips,
                byHand,
                rejections,
                verdict);
        return verdict.equals("MISSED") ? 1 : 0;
    }

    private static List<Row> rows(String url) {
        return List.of(row(url, 1, 1_000), row(url, THREADS, 1_000), row(url, THREADS, 1));
    }

    private static Row row(String url, int threads, int keys) {
        List<Row.Entry> entries = new ArrayList<>();
        for (Spender each : Spender.values()) {
            Map<String, String> params = Map.of("spender", each.name(), "keys", "" + keys, "url", url);
            entries.add(new Row.Entry(each.text(), QuotaBenchmark.class, "spend", params));
        }
        String name = (keys == 1 ? "one key, " : String.format(Locale.ROOT, "%,d keys, ", keys))
                + (threads == 1 ? "one thread" : threads + " threads");
        return new Row(name, true, threads, entries);
    }

    private static double throughput(Map<String, RatioTable.Cell> cells) {
        return cell(cells, Spender.HAND_WRITTEN).nanos()
                / cell(cells, Spender.WEIR).nanos();
    }

    private static RatioTable.Cell cell(Map<String, RatioTable.Cell> cells, Spender spender) {
        return Objects.requireNonNull(cells.get(spender.text()), spender.text());
    }

    private static double roundTripsOfSpends(QuotaDatabase database, Spender spender) throws SQLException {
        QuotaBenchmark benchmark = new QuotaBenchmark();
        benchmark.spender = spender;
        benchmark.keys = 1;
        benchmark.url = database.url();
        benchmark.make(1);
        try {
            return counted(benchmark::spend);
        } finally {
            benchmark.stop();
        }
    }

    /** Each under a key that is asked for once more, as a client does that is told no. */
    private static double roundTripsOfRejections(QuotaDatabase database) {
        try (HikariDataSource pool = QuotaDatabase.pool(database.url(), 1);
                Spends spends = new WeirSpends(pool, 1, 0)) {
            return counted(() -> {
                if (spends.spend("nobody", "again")) {
                    throw new IllegalStateException("spent of nothing");
                }
            });
        }
    }

    private static double counted(Runnable call) {
        for (int i = 0; i < COUNTED; i++) {
            call.run();
        }
        long before = CountingSockets.roundTrips();
        for (int i = 0; i < COUNTED; i++) {
            call.run();
        }
        return (CountingSockets.roundTrips() - before) / (double) COUNTED;
    }
}
