package io.weir.hazelcast;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.algorithm.Rule;
import java.time.Duration;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What leases cost in permits, and save in calls: the same arrivals at a cluster of real nodes and at one central bucket,
 * on a network with a round trip of a millisecond.
 *
 * <p>Requests come at random (Poisson), to some nodes more often than to others (Zipf). The capacity is what refills in a
 * second.
 */
class UtilisationSimulationTest {

    private static final long SEED = Long.getLong("weir.seed", 1);
    private static final long SECOND = Duration.ofSeconds(1).toNanos();
    private static final double[] LOADS = {0.5, 0.95, 1.5, 5};

    /** What the largest limit is asked for in the gate, since that is most of the work: just below it, and just above. */
    private static final List<Double> LOADS_OF_THE_LARGEST = List.of(0.95, 1.5);

    private static final long LARGEST = 100_000;

    /** A cluster and a limit: the load is added. */
    record Case(int nodes, long perSecond, double load) {
        Simulation.Outcome run() {
            Rule rule = Rules.rule(perSecond, perSecond, Duration.ofSeconds(1));
            // As many requests as make the figure sharp, and long enough for the first burst not to be all of it.
            long nanos = Math.min(60 * SECOND, Math.max(3 * SECOND, 20_000 * SECOND / perSecond));
            return UtilisationSimulationTest.run(nodes, rule, Math.round(perSecond * load), nanos, 0.8);
        }
    }

    private static Simulation.Outcome run(int nodes, Rule rule, long requestsPerSecond, long nanos, double zipf) {
        return Simulation.run(new Scenario(
                SEED,
                nodes,
                Math.min(nodes, 3),
                3,
                1,
                rule,
                requestsPerSecond,
                nanos,
                0,
                1,
                SECOND / 20,
                Scenario.Asking.ONE_PERMIT,
                zipf,
                Link.perfect(Duration.ofMillis(1)),
                0,
                new Scenario.Faults(0, 0, 0, 0),
                EnumSet.noneOf(Scenario.Hazard.class)));
    }

    /** At most so many calls for each grant, where a limit is as large as this. */
    private static final double CALLS_PER_GRANT_OF_THE_LARGEST = 1.0 / 500;

    static Stream<Case> cases() {
        return Stream.of(
                        new Case(3, 10, 0),
                        new Case(100, 10, 0),
                        new Case(3, 1_000, 0),
                        new Case(100, 1_000, 0),
                        new Case(3, 10_000, 0),
                        new Case(100, 10_000, 0),
                        new Case(3, LARGEST, 0))
                .flatMap(each -> Arrays.stream(LOADS).mapToObj(load -> new Case(each.nodes(), each.perSecond(), load)))
                .filter(each -> each.perSecond() < LARGEST
                        || LOADS_OF_THE_LARGEST.contains(each.load())
                        || Boolean.getBoolean("weir.simulation.all-loads"));
    }

    @ParameterizedTest
    @MethodSource("cases")
    void grantsNearlyWhatOneBucketWouldHave(Case each) {
        Simulation.Outcome outcome = each.run();

        assertThat(outcome.violation()).isEmpty();
        double utilisation = outcome.tally().utilisationUntilTheLast(each.perSecond());
        double callsPerGrant = 1.0 * outcome.runs() / outcome.tally().granted();
        System.out.printf(
                Locale.ROOT,
                "Utilisation, seed %d: %d nodes, %d/s, load %.2f: %.2f %% of one bucket's grants, %.4f calls each%n",
                SEED,
                each.nodes(),
                each.perSecond(),
                each.load(),
                utilisation,
                callsPerGrant);
        assertThat(utilisation).isGreaterThanOrEqualTo(each.perSecond() < 1_000 ? 95 : 99.5);
        if (each.perSecond() >= LARGEST) {
            assertThat(callsPerGrant).isLessThanOrEqualTo(CALLS_PER_GRANT_OF_THE_LARGEST);
        }
    }

    /** A client that goes round, and no refill: nothing may be stranded for longer than a lease lives. */
    @ParameterizedTest
    @ValueSource(longs = {200, 500, 1_000, 5_000, 50_000})
    void aBurstIsGrantedWithinOneLease(long requestsPerSecond) {
        Rule hundred = Rules.rule(100, 1, Duration.ofDays(1));
        long lease = HeldLease.TTL.toNanos();
        long burst = Math.max(lease, 150 * SECOND / requestsPerSecond);
        Simulation.Outcome outcome = run(3, hundred, requestsPerSecond, burst, 0);

        assertThat(outcome.violation()).isEmpty();
        assertThat(outcome.tally().granted() - 100)
                .as("before the last request, for all")
                .isBetween(99L, 100L);
    }
}
