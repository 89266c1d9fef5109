package io.weir.hazelcast;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.fail;

import java.util.DoubleSummaryStatistics;
import java.util.Locale;
import java.util.function.LongFunction;
import org.junit.jupiter.api.Test;

/**
 * Whole clusters on simulated clocks, network and processes; see {@link Simulation}. Each seed is another scenario, and
 * always the same one. {@code -Dweir.seed=...} runs one alone, {@code -Dweir.simulation.seeds=...} sets how many there are.
 */
class SimulationTest {

    private static final int SEEDS = Integer.getInteger("weir.simulation.seeds", 3_000);

    /** The profile {@code simulation} sets another each time. */
    private static final long FIRST = Long.getLong("weir.simulation.first", 1);

    @Test
    void nothingIsGrantedAboveTheLimitWhateverTheNetworkDoes() {
        run("exact", SEEDS, seed -> seed);
    }

    @Test
    void nothingIsGrantedAboveWhatTheBoundsTableAllows() {
        run("hazardous", SEEDS / 4, seed -> -seed);
    }

    @Test
    void aSeedIsAlwaysTheSameRun() {
        for (long seed : new long[] {3, 5, -8, 13, 21, -34}) {
            Simulation.Outcome first = Simulation.traced(SeedRun.scenario(seed));
            Simulation.Outcome again = Simulation.traced(SeedRun.scenario(seed));
            assertThat(again.trace()).isEqualTo(first.trace());
            assertThat(again.tally()).hasToString(first.tally().toString());
        }
    }

    private static void run(String kind, int seeds, LongFunction<Long> seedOf) {
        Long only = Long.getLong("weir.seed");
        if (only != null) {
            if (only < 0 == seedOf.apply(1) < 0) {
                check(only, Simulation.traced(SeedRun.scenario(only)));
            }
            return;
        }
        System.out.println("Simulation, " + kind + ": first seed " + seedOf.apply(FIRST) + " of " + seeds);
        DoubleSummaryStatistics utilisation = new DoubleSummaryStatistics();
        DoubleSummaryStatistics runs = new DoubleSummaryStatistics();
        for (long i = FIRST; i < FIRST + seeds; i++) {
            long seed = seedOf.apply(i);
            Simulation.Outcome outcome = Simulation.run(SeedRun.scenario(seed));
            if (!outcome.violation().isEmpty()) {
                check(seed, Simulation.traced(outcome.scenario()));
            }
            utilisation.accept(outcome.tally().utilisation());
            runs.accept(1.0 * outcome.runs() / Math.max(1, outcome.tally().granted()));
            if ((i + 1 - FIRST) % 10_000 == 0 && i + 1 < FIRST + seeds) {
                report(kind, utilisation, runs);
            }
        }
        report(kind, utilisation, runs);
    }

    private static void report(String kind, DoubleSummaryStatistics utilisation, DoubleSummaryStatistics runs) {
        System.out.printf(
                Locale.ROOT,
                "Simulation, %s: %d seeds without violation; %.1f %% of one bucket's grants on average, %.2f calls each%n",
                kind,
                utilisation.getCount(),
                utilisation.getAverage(),
                runs.getAverage());
    }

    private static void check(long seed, Simulation.Outcome outcome) {
        if (!outcome.violation().isEmpty()) {
            fail(outcome.trace() + "\n\n" + outcome.violation() + "\n" + outcome.scenario() + "\n" + outcome.tally()
                    + "\nreplay with: mvn -B -pl hazelcast-store -am test -Dtest=SimulationTest"
                    + " -Dsurefire.failIfNoSpecifiedTests=false -Dweir.seed=" + seed
                    + " (and -Dweir.simulation.trace=1000 for more of what went before)");
        }
        System.out.println("Simulation: no violation in " + outcome.scenario() + ": " + outcome.tally());
    }
}
