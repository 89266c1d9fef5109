package io.weir.bench;

import io.weir.hazelcast.HazelcastStore;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.ChainedOptionsBuilder;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.VerboseMode;

/**
 * Whether a check takes no more than two round trips on the network, whatever its kind: counted in packets between three
 * members, and timed over links of 10 ms, both with owner and backup on other members than the caller.
 *
 * <pre>
 * java -cp jmh-benchmarks/target/benchmarks.jar io.weir.bench.RoundTripBudget [--quick]
 * </pre>
 *
 * <p>Prints a line for each kind and, last, whether the budget is kept. Ends with 1 if it is not, so that a build can hold
 * on to it. With {@code --quick} it only counts, in seconds; with the clock it takes two minutes, and needs Linux.
 */
public final class RoundTripBudget {

    private static final int LINK_MILLIS = 10;

    /** A link that is further from what it should be says nothing about the checks that went over it. */
    private static final double LINK_SLACK = 1.1;

    private static final int CHECKS_OF_THE_OWNER = 200;
    private static final int CHECKS_FROM_MEMORY = 20_000;

    /** Would say that this JVM lacks flags which Hazelcast asks for. They matter for speed; this JVM counts. */
    private static final Logger STARTING = Logger.getLogger("com.hazelcast.instance.impl.HazelcastInstanceFactory");

    private RoundTripBudget() {}

    /**
     * Counts and times.
     *
     * @param args none, or {@code --quick} to count only
     */
    public static void main(String[] args) throws RunnerException {
        boolean quick = args.length == 1 && args[0].equals("--quick");
        if (args.length > 0 && !quick) {
            throw new IllegalArgumentException("expected nothing or --quick but got " + Arrays.toString(args));
        }
        STARTING.setLevel(Level.SEVERE);
        List<BudgetLine> lines = new ArrayList<>();
        double linkMillis = quick ? 0 : pingMillis(System.out);
        try (LoopbackCluster cluster = LoopbackCluster.counting();
                HazelcastStore store = HazelcastStore.join(cluster.caller(), ClusterBenchmark.NAMESPACE)) {
            for (CheckKind kind : CheckKind.values()) {
                BudgetLine line = count(kind, cluster, store);
                lines.add(quick ? line : line.timed(new BudgetLine.Timing(checkMillis(kind), linkMillis)));
                System.out.println(lines.get(lines.size() - 1));
            }
        }
        System.exit(judge(lines, System.out));
    }

    static BudgetLine count(CheckKind kind, LoopbackCluster cluster, HazelcastStore store) {
        int checks = kind.roundTrips() > 0 ? CHECKS_OF_THE_OWNER : CHECKS_FROM_MEMORY;
        CountedCost cost = CountedCost.of(kind.on(cluster, store), checks, cluster);
        return new BudgetLine(kind.toString(), kind.roundTrips(), cost, null);
    }

    /**
     * Prints what the lines come to.
     *
     * @return what a process that has found this out ends with
     */
    static int judge(List<BudgetLine> lines, PrintStream out) {
        String broken =
                lines.stream().map(BudgetLine::broken).flatMap(Optional::stream).collect(Collectors.joining("; "));
        out.println(broken.isEmpty() ? "budget: kept" : "budget: BROKEN: " + broken);
        return broken.isEmpty() ? 0 : 1;
    }

    private static double pingMillis(PrintStream out) throws RunnerException {
        double millis = medianMillis(options(LinkBenchmark.class));
        out.printf("link: %d ms there and back; a ping takes %.3f ms%n", LINK_MILLIS, millis);
        if (millis < LINK_MILLIS || millis > LINK_MILLIS * LINK_SLACK) {
            throw new IllegalStateException("the link is not what it should be: this machine is too busy to time by");
        }
        return millis;
    }

    private static double checkMillis(CheckKind kind) throws RunnerException {
        return medianMillis(options(RoundTripBenchmark.class).param("kind", kind.name()));
    }

    private static ChainedOptionsBuilder options(Class<?> benchmark) {
        return new OptionsBuilder()
                .include("^" + Pattern.quote(benchmark.getName() + '.'))
                .param("linkMillis", Integer.toString(LINK_MILLIS))
                .forks(1)
                .shouldFailOnError(true)
                .verbosity(VerboseMode.SILENT);
    }

    private static double medianMillis(ChainedOptionsBuilder options) throws RunnerException {
        return new Runner(options.build())
                        .runSingle()
                        .getPrimaryResult()
                        .getStatistics()
                        .getPercentile(50)
                / 1_000;
    }
}
