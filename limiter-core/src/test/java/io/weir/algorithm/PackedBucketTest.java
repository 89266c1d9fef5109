package io.weir.algorithm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.time.Duration;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Held to {@link Rule} on a {@link BucketState}: a word and a state of the same bucket never say different things. */
class PackedBucketTest {

    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final Duration DAY = Duration.ofDays(1);
    private static final int BUCKETS = 2_000;
    private static final int STEPS = 500;

    private static Rule rule(Bandwidth... bandwidths) {
        return new Rule(1, new TokenBucket(List.of(bandwidths)));
    }

    private static PackedBucket packed(Rule rule, long lot) {
        return PackedBucket.of(rule, lot, 0).orElseThrow();
    }

    private static long full(PackedBucket packed) {
        return packed.pack(packed.rule().take(null, 0, 0).state());
    }

    @Test
    void agreesWithAStateStepByStep() {
        long seed = Long.getLong("weir.seed", System.nanoTime());
        System.out.println("PackedBucketTest: replay with -Dweir.seed=" + seed);
        SplittableRandom random = new SplittableRandom(seed);
        for (int i = 0; i < BUCKETS; i++) {
            new Walk(random).walk();
        }
    }

    /** One bucket's life in both forms, on a clock that stands and runs and leaps, but not back. */
    private static final class Walk {
        private final SplittableRandom random;
        private final long lot;
        private final PackedBucket packed;
        private final Rule rule;
        private long now;
        private long word;
        private State state;

        /** Permits of the lots that are out, and those of them that were not spent. */
        private long out;

        private long unspent;

        Walk(SplittableRandom random) {
            this.random = random;
            long capacity = magnitude(random.nextBoolean() ? 1_000 : 1_000_000_000);
            this.rule = rule(Bandwidth.of(capacity, magnitude(1_000_000), anyPeriod()));
            this.lot = random.nextBoolean() ? 0 : random.nextLong(capacity / PackedBucket.MAX_LOTS + 1);
            this.now = random.nextLong(-DAY.toNanos(), DAY.toNanos());
            PackedBucket found = PackedBucket.of(rule, lot, now).orElse(null);
            while (found == null) { // one that does not fit: a coarser one
                Bandwidth coarse = Bandwidth.of(capacity, 1 + random.nextInt(100), SECOND);
                found = PackedBucket.of(rule(coarse), lot, now).orElse(null);
            }
            this.packed = found;
            this.state = found.rule().take(null, 0, now).state();
            this.word = found.pack(state);
        }

        private Duration anyPeriod() {
            return switch (random.nextInt(4)) {
                case 0 -> Duration.ofNanos(magnitude(DAY.toNanos()));
                case 1 -> DAY;
                case 2 -> Duration.ofMinutes(1);
                default -> SECOND;
            };
        }

        void walk() {
            for (int i = 0; i < STEPS; i++) {
                now = later();
                switch (random.nextInt(8)) {
                    case 0, 1 -> lend();
                    case 2 -> unspent -= unspent == 0 ? 0 : random.nextLong(unspent + 1);
                    case 3 -> settle();
                    default -> take();
                }
                State unpacked = packed.state(word, now);
                assertThat(unpacked).isEqualTo(packed.rule().advance(state, out, now));
                assertThat(packed.isFull(word, now)).isEqualTo(out == 0 && unpacked.fullAtNanos() <= now);
                if (out == 0) {
                    assertThat(packed.state(packed.pack(state), now)).isEqualTo(unpacked);
                }
            }
        }

        private void take() {
            long level = packed.state(word, now).level(0);
            long permits = Math.min(
                    packed.capacity(),
                    switch (random.nextInt(4)) {
                        case 0 -> Math.max(1, level);
                        case 1 -> level + 1;
                        default -> magnitude(packed.capacity());
                    });
            Transition expected = packed.rule().take(state, permits, out, now);
            long taken = packed.take(word, permits, now);
            assertThat(taken != PackedBucket.NONE).isEqualTo(expected.verdict() == Verdict.GRANTED);
            if (taken != PackedBucket.NONE) {
                word = taken;
                state = expected.state();
            }
        }

        private void lend() {
            boolean another = PackedBucket.lots(word) == 0 || random.nextInt(3) > 0;
            long replaced = another ? 0 : random.nextLong(Math.min(unspent, lot) + 1);
            long lent = packed.lend(word, another, replaced, now);
            if (lent != PackedBucket.NONE) {
                word = lent;
                state = packed.rule().take(state, lot - replaced, out, now).state();
                out += another ? lot : 0;
                unspent += lot - replaced;
            }
        }

        private void settle() {
            word = packed.settle(word, unspent, now);
            State before = packed.rule().advance(state, out, now);
            state = unspent == 0
                    ? before
                    : packed.rule().giveBack(before, unspent, 0, now).state();
            out = 0;
            unspent = 0;
        }

        /** Often just when something becomes ready, or a nanosecond off. */
        private long later() {
            State present = packed.state(word, now);
            long next = switch (random.nextInt(6)) {
                case 0, 1 -> now;
                case 2 -> present.readyAtNanos(0, 1 + random.nextLong(packed.capacity())) + random.nextInt(-1, 2);
                case 3 -> present.fullAtNanos() + random.nextInt(-1, 2);
                default -> now + magnitude(DAY.toNanos());
            };
            return packed.covers(next) ? Math.max(now, next) : now;
        }

        private long magnitude(long most) {
            int bits = Long.SIZE - Long.numberOfLeadingZeros(most);
            return Math.min(most, (random.nextLong() >>> (Long.SIZE - random.nextInt(1, bits + 1))) | 1);
        }
    }

    @ParameterizedTest
    @CsvSource({
        "1, 1, PT8760H",
        "100, 50, PT1S",
        "1000000000, 1000000000, PT1S",
        "1000000, 1000000, PT24H",
        "1000, 999983, PT1S",
        "7, 7919, PT1S"
    })
    void takesOrdinaryRules(long capacity, long refill, Duration period) {
        assertThat(PackedBucket.of(rule(Bandwidth.of(capacity, refill, period)), 0, 0))
                .isPresent();
    }

    @ParameterizedTest
    @CsvSource({"1000000, 1, PT24H", "1, 2147483647, PT1S", "4611686018427387904, 4611686018427387904, PT1S"})
    void leavesOutWhatDoesNotFit(long capacity, long refill, Duration period) {
        assertThat(PackedBucket.of(rule(Bandwidth.of(capacity, refill, period)), 0, 0))
                .isEmpty();
    }

    @Test
    void leavesOutSeveralBandwidths() {
        Rule two = rule(
                Bandwidth.of(1, 1, SECOND).named("one"), Bandwidth.of(1, 1, DAY).named("two"));

        assertThat(PackedBucket.of(two, 0, 0)).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({"1, 1, PT8760H", "1000, 999983, PT1S"})
    void isExactFromTheFirstInstantItCoversToTheLast(long capacity, long refill, Duration period) {
        Rule rule = rule(Bandwidth.of(capacity, refill, period));
        PackedBucket packed = packed(rule, 0);
        long first = firstCovered(packed, -(1L << 58));
        long last = packed.covers(1 - first) ? 1 - first : -first;
        assertThat(packed.covers(first - 1)).isFalse();
        assertThat(packed.covers(last + 1)).isFalse();

        for (long now : new long[] {first, last - 1, last}) {
            State state = rule.take(null, capacity, now).state();
            long word = packed.pack(state);
            assertThat(packed.state(word, now)).isEqualTo(state);
            assertThat(packed.take(word, 1, now)).isEqualTo(PackedBucket.NONE);
            assertThat(packed.state(word, last)).isEqualTo(rule.advance(state, 0, last));
        }
    }

    private static long firstCovered(PackedBucket packed, long from) {
        long not = from;
        long covered = 0;
        while (covered - not > 1) {
            long middle = not + (covered - not) / 2;
            if (packed.covers(middle)) {
                covered = middle;
            } else {
                not = middle;
            }
        }
        return covered;
    }

    @Test
    void packsNoDebtNoOtherRuleAndNoInstantBeyondIts() {
        Rule rule = rule(Bandwidth.of(10, 1, SECOND));
        PackedBucket packed = packed(rule, 0);
        Rule changed = new Rule(2, rule.algorithm());

        assertThat(packed.pack(BucketState.restore(rule, 0, -1, 0))).isEqualTo(PackedBucket.NONE);
        assertThat(packed.pack(BucketState.restore(changed, 0, 1, 0))).isEqualTo(PackedBucket.NONE);
        assertThat(packed.pack(BucketState.restore(rule, Long.MAX_VALUE, 1, 0))).isEqualTo(PackedBucket.NONE);
    }

    @Test
    void lendsNothingOfAFullBucketOrOneThatIsNearlyEmpty() {
        PackedBucket packed = packed(rule(Bandwidth.of(1_600, 1_000, SECOND)), 100);
        long full = full(packed);

        assertThat(packed.lend(full, true, 0, 0)).isEqualTo(PackedBucket.NONE);
        assertThat(packed.lend(packed.take(full, 9, 0), true, 0, 0)).isEqualTo(PackedBucket.NONE);
        assertThat(packed.lend(packed.take(full, 10, 0), true, 0, 0)).isNotEqualTo(PackedBucket.NONE);
        assertThat(packed.lend(packed.take(full, 1_400, 0), true, 0, 0)).isNotEqualTo(PackedBucket.NONE);
        assertThat(packed.lend(packed.take(full, 1_401, 0), true, 0, 0)).isEqualTo(PackedBucket.NONE);
    }

    @Test
    void lendsAsManyLotsAsItCanCountAndNoMore() {
        PackedBucket packed = packed(rule(Bandwidth.of(1_000, 1, DAY)), 1);
        long word = packed.take(full(packed), 100, 0);
        for (int lots = 1; lots <= PackedBucket.MAX_LOTS; lots++) {
            word = packed.lend(word, true, 0, 0);
            assertThat(PackedBucket.lots(word)).isEqualTo(lots);
        }

        assertThat(packed.lend(word, true, 0, 0)).isEqualTo(PackedBucket.NONE);
        assertThat(PackedBucket.lots(packed.lend(word, false, 0, 0))).isEqualTo(PackedBucket.MAX_LOTS);
    }

    /** The whole of I1: what is out may be spent at any time, and the bucket does not refill over it. */
    @Test
    void refillStopsBelowTheCapacityByWhatIsOut() {
        PackedBucket packed = packed(rule(Bandwidth.of(1_600, 1_000, SECOND)), 100);
        long word = packed.lend(packed.take(full(packed), 800, 0), true, 0, 0);
        long later = DAY.toNanos();

        assertThat(packed.state(word, later).level(0)).isEqualTo(1_500);
        assertThat(packed.take(word, 1_501, later)).isEqualTo(PackedBucket.NONE);
        assertThat(packed.isFull(word, later)).isFalse();
        assertThat(packed.state(packed.settle(word, 100, later), later).level(0))
                .isEqualTo(1_600);
        assertThat(packed.state(packed.settle(word, 30, later), later).level(0)).isEqualTo(1_530);
    }

    /** As long as the bucket lacks more than it could have refilled, it does not matter when a lot was spent. */
    @Test
    void settlesAsIfNothingHadBeenLentWhileItIsNotFull() {
        Rule rule = rule(Bandwidth.of(1_600, 1_000, SECOND));
        PackedBucket packed = packed(rule, 100);
        long word = packed.lend(packed.take(full(packed), 800, 0), true, 0, 0);
        State central = rule.take(null, 840, 0).state();
        long later = SECOND.toNanos() * 7 / 10;

        assertThat(packed.state(packed.settle(word, 60, later), later)).isEqualTo(rule.advance(central, 0, later));
    }

    @Test
    void countsGrantsByMarksALotOrTwoApart() {
        PackedBucket packed = packed(rule(Bandwidth.of(1_000_000, 1, SECOND)), 100);
        long word = full(packed);
        int marks = 0;
        for (int i = 0; i < 10_000; i++) {
            long taken = packed.take(word, 1, 0);
            marks += packed.passedMark(word, taken) ? 1 : 0;
            word = taken;
        }

        assertThat(marks).isBetween(50, 100);
        PackedBucket unlent = packed(rule(Bandwidth.of(1_000_000, 1, SECOND)), 0);
        assertThat(unlent.passedMark(full(unlent), unlent.take(full(unlent), 1_000_000, 0)))
                .isFalse();
    }

    @ParameterizedTest
    @CsvSource({"1500, 101", "14, 1", "10, -1"})
    void refusesALotThatTheCapacityDoesNotHoldOftenEnough(long capacity, long lot) {
        Rule rule = rule(Bandwidth.of(capacity, 1, SECOND));

        assertThatIllegalArgumentException()
                .isThrownBy(() -> PackedBucket.of(rule, lot, 0))
                .withMessageEndingWith("is " + lot);
    }
}
