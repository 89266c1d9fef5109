package io.weir.bench;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.hazelcast.HazelcastStore;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class RoundTripBudgetTest {

    private static LoopbackCluster cluster;
    private static HazelcastStore store;

    private final ByteArrayOutputStream printed = new ByteArrayOutputStream();

    @BeforeAll
    static void start() {
        cluster = LoopbackCluster.counting();
        store = HazelcastStore.join(cluster.caller(), ClusterBenchmark.NAMESPACE);
    }

    @AfterAll
    static void stop() {
        store.close();
        cluster.close();
    }

    @ParameterizedTest
    @EnumSource
    void everyKindOfCheckTakesTheRoundTripsItIsSaidTo(CheckKind kind) {
        BudgetLine line = RoundTripBudget.count(kind, cluster, store);

        NetworkCost grant = new NetworkCost(1, 1, 1, 4);
        NetworkCost denial = new NetworkCost(1, 1, 0, 2);
        NetworkCost cost = line.counted().typical();
        if (kind.roundTrips() == 0) {
            assertThat(cost.operations()).as("beside the callers' path").isLessThan(0.01);
        } else {
            assertThat(cost).isEqualTo(kind.roundTrips() == 1 ? denial : grant);
            assertThat(cost.roundTrips()).isEqualTo(kind.roundTrips());
        }
        assertThat(judge(line)).isZero();
        assertThat(verdict()).isEqualTo("budget: kept");
    }

    @Test
    void aCheckThatAsksTwiceBreaksTheBudget() {
        Check once = CheckKind.EXACT.on(cluster, store);
        Check twice = () -> {
            once.make();
            once.make();
        };

        BudgetLine line = new BudgetLine("twice", 1.5, CountedCost.of(twice, 10, cluster), null);

        assertThat(judge(line)).isEqualTo(1);
        assertThat(verdict()).isEqualTo("budget: BROKEN: twice takes 8.00 packets, 3.00 round trips");
    }

    @Test
    void aGrantThatTakesATenthLongerThanItsWayBreaksTheBudget() {
        CountedCost counted = CountedCost.of(CheckKind.EXACT.on(cluster, store), 10, cluster);
        BudgetLine line = new BudgetLine("exact", 1.5, counted, null);

        assertThat(judge(line.timed(new BudgetLine.Timing(16.4, 10)))).isZero();
        assertThat(judge(line.timed(new BudgetLine.Timing(16.6, 10)))).isEqualTo(1);
        assertThat(verdict()).isEqualTo("budget: BROKEN: exact takes 1.66 round trips by the clock");
    }

    private int judge(BudgetLine... lines) {
        return RoundTripBudget.judge(List.of(lines), new PrintStream(printed, true, StandardCharsets.UTF_8));
    }

    private String verdict() {
        String[] lines = printed.toString(StandardCharsets.UTF_8).split("\\R");
        return Arrays.asList(lines).get(lines.length - 1);
    }
}
