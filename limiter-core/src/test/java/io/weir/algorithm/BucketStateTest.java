package io.weir.algorithm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class BucketStateTest {

    private static final Bandwidth LARGEST = Bandwidth.of(Bandwidth.MAX_PERMITS, 1, Duration.ofSeconds(1));

    @Test
    void aWaitOfCenturiesIsNoInstantOnAClockThatBeganBelowZero() {
        State empty = BucketState.restore(rule(LARGEST), -5, 0, 0);

        assertThat(empty.readyAtNanos(0, Bandwidth.MAX_PERMITS)).isEqualTo(Long.MAX_VALUE);
    }

    @Test
    void theDeepestDebtIsNotForgiven() {
        Rule rule = rule(LARGEST);
        State indebted = BucketState.restore(rule, 0, BucketState.LOWEST_LEVEL, 0);

        assertThat(indebted.readyAtNanos(0, 1)).isEqualTo(Long.MAX_VALUE);
        assertThat(rule.take(indebted, 0, Duration.ofSeconds(1).toNanos())
                        .state()
                        .level(0))
                .isEqualTo(BucketState.LOWEST_LEVEL + 1);
        assertThat(rule.giveBack(indebted, 1, 0).state().level(0)).isEqualTo(BucketState.LOWEST_LEVEL + 1);
    }

    @Test
    void aDebtThatGrowsWithItsCapacityStopsAtTheDeepest() {
        State indebted = BucketState.restore(rule(Bandwidth.of(1, 1, Duration.ofSeconds(1))), 0, -2, 1);

        BucketState carried = (BucketState) new Rule(2, new TokenBucket(List.of(LARGEST)))
                .take(indebted, 1, 0)
                .state();

        assertThat(carried.level(0)).isEqualTo(BucketState.LOWEST_LEVEL);
        assertThat(carried.fraction(0)).isZero();
    }

    @Test
    void refusesADebtBelowTheDeepest() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> BucketState.restore(rule(LARGEST), 0, BucketState.LOWEST_LEVEL - 1, 0))
                .withMessageContaining("level -4611686018427387904");
    }

    private static Rule rule(Bandwidth bandwidth) {
        return new Rule(1, new TokenBucket(List.of(bandwidth)));
    }
}
