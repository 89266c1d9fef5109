package io.weir.algorithm;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Permits that are out: a bucket and what was borrowed from it never hold more than the capacity together. */
class LentTest {

    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final long MILLI = 1_000_000;

    private static Rule rule(long version, Bandwidth... bandwidths) {
        return new Rule(version, new TokenBucket(List.of(bandwidths)));
    }

    private static BucketState state(Rule rule, long... levels) {
        return BucketState.restore(rule, 0, levels);
    }

    @Test
    void refillStopsBelowTheCapacityByWhatIsLent() {
        Rule rule = rule(1, Bandwidth.of(10, 10, SECOND));

        State later = rule.advance(state(rule, 0, 0), 4, 10 * SECOND.toNanos());

        assertThat(later.level(0)).isEqualTo(6);
        assertThat(((BucketState) later).fraction(0)).isZero();
    }

    @Test
    void refillGoesOnAsFarAsThere() {
        Rule rule = rule(1, Bandwidth.of(10, 10, SECOND));

        assertThat(rule.advance(state(rule, 0, 0), 4, 350 * MILLI).level(0)).isEqualTo(3);
    }

    @Test
    void eachBandwidthStopsBelowItsOwnCapacity() {
        Rule rule = rule(
                1,
                Bandwidth.of(10, 10, SECOND).named("a"),
                Bandwidth.of(100, 100, SECOND).named("b"));

        State later = rule.advance(state(rule, 0, 0, 0, 0), 4, 10 * SECOND.toNanos());

        assertThat(later.level(0)).isEqualTo(6);
        assertThat(later.level(1)).isEqualTo(96);
    }

    @Test
    void whatComesBackStopsThereToo() {
        Rule rule = rule(1, Bandwidth.of(10, 1, SECOND));
        State before = state(rule, 5, 0);

        assertThat(rule.giveBack(before, 3, 2, 0).state().level(0)).isEqualTo(8);
        assertThat(rule.giveBack(before, 9, 2, 0).state().level(0)).isEqualTo(8);
    }

    @Test
    void aBucketThatHoldsMoreThanThatKeepsIt() {
        Rule rule = rule(1, Bandwidth.of(10, 10, SECOND));
        State before = state(rule, 7, 0);

        assertThat(rule.advance(before, 6, SECOND.toNanos()).level(0)).isEqualTo(7);
        assertThat(rule.giveBack(before, 2, 6, 0).state().level(0)).isEqualTo(7);
    }

    @Test
    void aLoweredLimitKeepsRoomForWhatIsOut() {
        Rule high = rule(1, Bandwidth.of(100, 1, SECOND));
        Rule low = rule(2, Bandwidth.of(10, 1, SECOND));

        assertThat(low.advance(state(high, 80, 0), 5, 0).level(0))
                .as("in proportion it were 8")
                .isEqualTo(5);
        assertThat(low.advance(state(high, 80, 0), 20, 0).level(0))
                .as("more is out than it holds now")
                .isZero();
        assertThat(low.take(state(high, 80, 0), 1, 10, 0).verdict()).isEqualTo(Verdict.DENIED);
        assertThat(low.advance(state(high, -50, 0), 20, 0).level(0))
                .as("a debt stays")
                .isEqualTo(-5);
    }

    @Test
    void aRaisedLimitKeepsRoomForWhatIsOut() {
        Rule low = rule(1, Bandwidth.of(10, 1, SECOND));
        Rule high = rule(2, Bandwidth.of(100, 1, SECOND));

        assertThat(high.advance(state(low, 6, 0), 4, 0).level(0)).isEqualTo(60);
    }

    @Test
    void anOlderRuleDoesNotComeBack() {
        Rule newer = rule(2, Bandwidth.of(10, 1, SECOND));
        Rule older = rule(1, Bandwidth.of(100, 1, SECOND));

        State later = older.advance(state(newer, 3, 0), 2, SECOND.toNanos());

        assertThat(later.rule()).isEqualTo(newer);
        assertThat(later.level(0)).isEqualTo(4);
    }

    /** Borrowers take, spend late, bring back, and lose; whatever they do, the bounds hold. */
    @Test
    void aBucketAndItsBorrowersNeverHoldMoreThanTheCapacity() {
        long seed = Long.getLong("weir.seed", new Random().nextLong());
        Random random = new Random(seed);
        for (int round = 0; round < 2_000; round++) {
            long capacity = 1L + random.nextInt(50);
            long refill = 1L + random.nextInt(50);
            Rule rule = rule(1, Bandwidth.of(capacity, refill, SECOND));
            State state = state(rule, capacity, 0);
            long lent = 0;
            long granted = 0;
            long now = 0;
            for (int step = 0; step < 60; step++) {
                now += random.nextInt(300) * MILLI;
                State refilled = rule.advance(state, lent, now);
                long permits = 1L + random.nextInt((int) capacity);
                switch (random.nextInt(4)) {
                    case 0 -> { // borrow
                        Transition taken = rule.take(refilled, permits, lent, now);
                        refilled = taken.state();
                        lent += taken.verdict() == Verdict.GRANTED ? permits : 0;
                    }
                    case 1 -> { // spend what was borrowed
                        long spent = Math.min(lent, permits);
                        lent -= spent;
                        granted += spent;
                    }
                    case 2 -> { // bring some back
                        long back = Math.min(lent, permits);
                        lent -= back;
                        refilled = back == 0
                                ? refilled
                                : rule.giveBack(refilled, back, lent, now).state();
                    }
                    default -> lent -= Math.min(lent, permits); // lost with whoever had borrowed it
                }
                state = refilled;
                assertThat(state.level(0) + lent).as("seed %d", seed).isLessThanOrEqualTo(capacity);
                assertThat(granted * SECOND.toNanos())
                        .as("seed %d", seed)
                        .isLessThanOrEqualTo(capacity * SECOND.toNanos() + refill * now);
            }
        }
    }
}
