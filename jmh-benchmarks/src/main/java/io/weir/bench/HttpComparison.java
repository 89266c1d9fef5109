package io.weir.bench;

import java.io.PrintStream;
import java.util.Arrays;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import org.openjdk.jmh.runner.RunnerException;

/**
 * What limiting costs an HTTP request: in process, where the filter chain is called directly, and over HTTP; beside no limiter,
 * and beside bucket4j's Spring Boot starter on the same Hazelcast. A short form of {@link FilterBenchmark} and {@link
 * HttpBenchmark}.
 *
 * <pre>
 * java -cp jmh-benchmarks/target/benchmarks.jar io.weir.bench.HttpComparison [--quick]
 * </pre>
 *
 * <p>Prints tables and, last, whether a grant adds in process at most a fifth of what one of the starter's adds, and a denial at
 * most what a grant adds. Ends with 1 if not. It takes about twelve minutes on a quiet machine; with {@code --quick} it runs everything in this JVM and
 * for no time at all, and judges nothing.
 *
 * <p>Three members in one JVM, with one synchronous backup. Weir decides as it comes: from memory, granted and denied. The
 * starter asks the owner each time, which is another member, with the backup on a third; or, with its own key, the caller.
 */
public final class HttpComparison {

    private HttpComparison() {}

    /**
     * Runs the comparison.
     *
     * @param args none, or {@code --quick} to find out whether it works
     */
    public static void main(String[] args) throws RunnerException {
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
    static int run(boolean quick, PrintStream out) throws RunnerException {
        if (quick) {
            System.setProperty("jmh.ignoreLock", "true"); // what it measures is of no use to anybody
        }
        FilterCosts costs = new FilterCosts((quick ? Pace.QUICK : Pace.IN_PROCESS).measure(HttpRows.inProcess()));
        costs.cells().forEach((column, cell) -> out.printf(Locale.ROOT, "%-28s %s%n", column, cell));
        out.println();
        out.println(costs.markdown());

        Map<String, Latency> latencies =
                quick ? Pace.QUICK.latencies(HttpRows.grantedOverHttp()) : Pace.HTTP.latencies(HttpRows.overHttp());
        out.println("| over HTTP, " + HttpBenchmark.CLIENTS + " connections | requests, median, 99 % |");
        out.println("|---|---|");
        latencies.forEach((column, latency) -> out.printf(Locale.ROOT, "| %s | %s |%n", column, latency));
        out.println();
        return judge(costs, latencies, quick, out);
    }

    static int judge(FilterCosts costs, Map<String, Latency> latencies, boolean quick, PrintStream out) {
        String verdict = quick ? "not judged" : costs.met() ? "kept" : "MISSED";
        out.printf(
                Locale.ROOT,
                "http: in process a grant adds %.3f of what bucket4j's adds, a denial %.2f of a grant; over HTTP %.0f %% of the"
                        + " requests without a limiter, bucket4j %.0f %%: %s%n",
                costs.part(),
                costs.denialPart(),
                percent(latencies, ServletPeer.WEIR),
                percent(latencies, ServletPeer.BUCKET4J),
                verdict);
        return verdict.equals("MISSED") ? 1 : 0;
    }

    private static double percent(Map<String, Latency> latencies, ServletPeer peer) {
        Latency with = latencies.get(HttpRows.column(peer, Owner.ANOTHER, Outcome.GRANTED));
        Latency without = latencies.get(HttpRows.NONE);
        return 100
                * Objects.requireNonNull(with).perSecond()
                / Objects.requireNonNull(without).perSecond();
    }
}
