package io.weir.algorithm;

import static org.assertj.core.api.Assertions.assertThat;

import java.math.BigInteger;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** A limit of which a part counts while members are missing. */
class StrictPartitionsTest {

    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final int RUNS = 2_000;
    private static final int STEPS = 60;

    private final long seed = Long.getLong("weir.seed", System.nanoTime());
    private final Random random = new Random(seed);

    StrictPartitionsTest() {
        System.out.println("StrictPartitionsTest: replay with -Dweir.seed=" + seed);
    }

    @Test
    void aPartIsOfCapacityAndRefillAlike() {
        Rule whole = strict(Bandwidth.of(100, 50, SECOND));
        assertThat(bandwidth(whole.part(2, 3))).isEqualTo(Bandwidth.of(66, 100, Duration.ofSeconds(3)));
        assertThat(whole.part(2, 3).strictPartitions()).isTrue();
        assertThat(whole.part(3, 3)).isSameAs(whole);
        assertThat(whole.part(0, 0)).as("nobody is known yet").isSameAs(whole);
    }

    @Test
    void aPartHasAtLeastOnePermit() {
        assertThat(bandwidth(strict(Bandwidth.of(1, 1, SECOND)).part(2, 3)))
                .isEqualTo(Bandwidth.of(1, 2, Duration.ofSeconds(3)));
    }

    @Test
    void numbersThatDoNotFitAreRoundedDown() {
        long most = Bandwidth.MAX_PERMITS;
        assertThat(bandwidth(strict(Bandwidth.of(most, most, SECOND)).part(2, 3)))
                .isEqualTo(Bandwidth.of(most / 3 * 2, most / 3 * 2, SECOND));
        Duration longest = Duration.ofNanos(Long.MAX_VALUE);
        assertThat(bandwidth(strict(Bandwidth.of(10, 2, longest)).part(2, 3))).isEqualTo(Bandwidth.of(6, 1, longest));
    }

    @Test
    void aRuleThatIsNotStrictStaysWhole() {
        Rule rule = new Rule(1, new TokenBucket(List.of(Bandwidth.of(100, 50, SECOND))));
        assertThat(rule.part(1, 3)).isSameAs(rule);
    }

    /** What the others may start their shares with is what it leaves behind. */
    @Test
    void keepsItsPartOfTheBalanceAndItsPermitsWhenTheOthersAreBack() {
        Rule whole = strict(Bandwidth.of(90, 1, Duration.ofDays(1)));
        State state = whole.take(null, 30, 0).state(); // 60 left
        state = whole.part(2, 3).take(state, 1, 0).state();
        assertThat(state.level(0)).isEqualTo(60 * 2 / 3 - 1);
        state = whole.take(state, 1, 0).state();
        assertThat(state.level(0)).isEqualTo(60 * 2 / 3 - 2);
    }

    @Test
    void aDebtNeitherShrinksNorGrows() {
        Rule whole = strict(Bandwidth.of(90, 1, Duration.ofDays(1)));
        State state = BucketState.restore(whole, 0, -30, 0);
        for (int i = 0; i < 3; i++) {
            state = whole.part(1, 3).advance(state, 0, 0);
            assertThat(state.level(0)).isEqualTo(-30);
            state = whole.advance(state, 0, 0);
            assertThat(state.level(0)).isEqualTo(-30);
        }
    }

    @Test
    void nothingIsAvailableWhileMoreIsLentThanThePartHolds() {
        Rule whole = strict(Bandwidth.of(90, 90, SECOND));
        State state = whole.take(null, 70, 0).state();
        State part = whole.part(1, 3).advance(state, 70, Duration.ofSeconds(9).toNanos());
        assertThat(part.level(0)).isZero();
    }

    /** Members come and go, and callers take what they can: against numbers that know no rounding. */
    @Test
    void staysWithinTheExactBalanceAndTheWholeLimit() {
        for (int run = 0; run < RUNS; run++) {
            String as = "seed " + seed + " run " + run;
            Bandwidth bandwidth = Bandwidth.of(
                    1L + random.nextInt(100), 1L + random.nextInt(50), Duration.ofNanos(1L + random.nextInt(1_000)));
            Rule whole = strict(bandwidth);
            Exact exact = new Exact(bandwidth);
            State state = whole.take(null, 0, 0).state();
            long now = 0;
            long granted = 0;
            int here = 5;
            for (int step = 0; step < STEPS; step++) {
                now += random.nextInt(200);
                here = random.nextInt(4) == 0 ? 1 + random.nextInt(5) : here;
                exact.advance(now, here);
                long permits = 1L + random.nextInt(8);
                Transition taken = whole.part(here, 5).take(state, permits, now);
                state = taken.changed() ? taken.state() : state;
                if (taken.verdict() == Verdict.GRANTED) {
                    granted += permits;
                    exact.take(permits);
                }
                exact.assertHolds(taken.state(), step + 2, as);
                // I1 of the whole limit, from its first instant on.
                assertThat(BigInteger.valueOf(granted - bandwidth.capacity())
                                .multiply(BigInteger.valueOf(bandwidth.period().toNanos())))
                        .as(as)
                        .isLessThanOrEqualTo(BigInteger.valueOf(bandwidth.refill() * now));
            }
        }
    }

    private static Rule strict(Bandwidth bandwidth) {
        return new Rule(1, new TokenBucket(List.of(bandwidth)), true);
    }

    private static Bandwidth bandwidth(Rule rule) {
        return rule.algorithm().bandwidths().get(0);
    }

    /** A balance as a fraction, and the rules for it written down once more. */
    private static final class Exact {
        private final Bandwidth whole;
        private BigInteger numerator;
        private BigInteger denominator = BigInteger.ONE;
        private long capacity;
        private int here = 5;
        private long atNanos;

        Exact(Bandwidth whole) {
            this.whole = whole;
            this.capacity = whole.capacity();
            this.numerator = BigInteger.valueOf(capacity);
        }

        void advance(long nowNanos, int hereNow) {
            plus(
                    BigInteger.valueOf(whole.refill() * here * (nowNanos - atNanos)),
                    BigInteger.valueOf(whole.period().toNanos() * 5));
            noMoreThan(capacity);
            atNanos = nowNanos;
            long changed = Math.max(1, whole.capacity() * hereNow / 5);
            if (changed < capacity) {
                numerator = numerator.multiply(BigInteger.valueOf(changed));
                denominator = denominator.multiply(BigInteger.valueOf(capacity));
            }
            capacity = changed;
            here = hereNow;
            noMoreThan(capacity);
        }

        void take(long permits) {
            plus(BigInteger.valueOf(-permits), BigInteger.ONE);
        }

        private void plus(BigInteger more, BigInteger of) {
            numerator = numerator.multiply(of).add(more.multiply(denominator));
            denominator = denominator.multiply(of);
            BigInteger common = numerator.gcd(denominator);
            numerator = numerator.divide(common);
            denominator = denominator.divide(common);
        }

        private void noMoreThan(long most) {
            if (numerator.compareTo(denominator.multiply(BigInteger.valueOf(most))) > 0) {
                numerator = BigInteger.valueOf(most);
                denominator = BigInteger.ONE;
            }
        }

        /** Never more than this, and less by no more than a unit for each change. */
        void assertHolds(State state, int changes, String as) {
            BucketState bucket = (BucketState) state;
            BigInteger unitsInToken =
                    BigInteger.valueOf(bucket.bucket().refill(0).nanos());
            BigInteger units = bucket.bucket().balance(bucket, 0).units();
            BigInteger exactTimesDenominator = numerator.multiply(unitsInToken);
            assertThat(units.multiply(denominator)).as(as).isLessThanOrEqualTo(exactTimesDenominator);
            BigInteger slack = BigInteger.valueOf(changes).multiply(unitsInToken.max(BigInteger.ONE));
            BigInteger missing = exactTimesDenominator.subtract(units.multiply(denominator));
            assertThat(missing).as(as).isLessThanOrEqualTo(denominator.multiply(slack));
        }
    }
}
