package io.weir.algorithm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class BucketStateTest {

    private static final Rule ONE = rule(Bandwidth.of(5, 1, Duration.ofNanos(10)));
    private static final Rule TWO = rule(
            Bandwidth.of(5, 1, Duration.ofNanos(10)).named("a"),
            Bandwidth.of(7, 3, Duration.ofNanos(10)).named("b"));

    private static Rule rule(Bandwidth... bandwidths) {
        return new Rule(1, new TokenBucket(List.of(bandwidths)));
    }

    @Test
    void isRestoredFromItsNumbers() {
        BucketState state = BucketState.restore(TWO, -17, 4, 9, -2, 0);

        assertThat(state.rule()).isEqualTo(TWO);
        assertThat(state.atNanos()).isEqualTo(-17);
        assertThat(state.level(0)).isEqualTo(4);
        assertThat(state.fraction(0)).isEqualTo(9);
        assertThat(state.level(1)).isEqualTo(-2);
        assertThat(state.fraction(1)).isZero();
    }

    @Test
    void keepsNoHoldOfTheArrayItWasRestoredFrom() {
        long[] levels = {4, 9};
        BucketState state = BucketState.restore(ONE, 0, levels);

        levels[0] = 5;

        assertThat(state.level(0)).isEqualTo(4);
    }

    static Stream<long[]> misfits() {
        return Stream.of(
                new long[] {},
                new long[] {1},
                new long[] {1, 0, 1, 0},
                new long[] {6, 0},
                new long[] {5, 1},
                new long[] {4, 10},
                new long[] {4, -1},
                new long[] {BucketState.LOWEST_LEVEL - 1, 0},
                new long[] {Long.MIN_VALUE, 0});
    }

    @ParameterizedTest
    @MethodSource("misfits")
    void refusesLevelsThatDoNotFitTheRule(long[] levels) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> BucketState.restore(ONE, 0, levels))
                .withMessageContaining(levels.length == 2 ? "level " + levels[0] : "are " + levels.length);
    }

    @Test
    void acceptsTheEndsOfEachRange() {
        for (long[] levels : new long[][] {{5, 0}, {4, 9}, {BucketState.LOWEST_LEVEL, 0}}) {
            assertThat(BucketState.restore(ONE, 0, levels).level(0))
                    .as(Arrays.toString(levels))
                    .isEqualTo(levels[0]);
        }
    }

    @Test
    void isEqualIfAllItsNumbersAre() {
        BucketState state = BucketState.restore(ONE, 3, 4, 9);

        assertThat(state)
                .isEqualTo(BucketState.restore(ONE, 3, 4, 9))
                .hasSameHashCodeAs(BucketState.restore(ONE, 3, 4, 9));
        assertThat(state)
                .isNotEqualTo(BucketState.restore(ONE, 4, 4, 9))
                .isNotEqualTo(BucketState.restore(ONE, 3, 3, 9))
                .isNotEqualTo(BucketState.restore(ONE, 3, 4, 8))
                .isNotEqualTo(BucketState.restore(new Rule(2, ONE.algorithm()), 3, 4, 9));
    }

    @Test
    void isReadyAtOnceForWhatItHolds() {
        assertThat(BucketState.restore(ONE, 3, 4, 9).readyAtNanos(0, 4)).isEqualTo(3);
        assertThat(BucketState.restore(ONE, 3, 4, 9).readyAtNanos(0, 5)).isEqualTo(4);
    }

    @Test
    void isNeverReadyBeyondTheEndOfTime() {
        Rule slow = rule(Bandwidth.of(2, 1, Duration.ofNanos(Long.MAX_VALUE)));

        assertThat(BucketState.restore(slow, -5, 0, 0).readyAtNanos(0, 2)).isEqualTo(Long.MAX_VALUE);
        assertThat(BucketState.restore(slow, 5, 0, 1).readyAtNanos(0, 1)).isEqualTo(Long.MAX_VALUE);
        assertThat(BucketState.restore(slow, -5, 0, 1).readyAtNanos(0, 1)).isEqualTo(Long.MAX_VALUE - 6);
    }

    @Test
    void isFullOnceADebtIsPaidToo() {
        assertThat(BucketState.restore(ONE, 0, -3, 0).fullAtNanos()).isEqualTo(80);
        assertThat(BucketState.restore(ONE, 7, 5, 0).fullAtNanos()).isEqualTo(7);
    }
}
