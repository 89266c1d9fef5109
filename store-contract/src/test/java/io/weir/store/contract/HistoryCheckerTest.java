package io.weir.store.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.weir.algorithm.Bandwidth;
import io.weir.algorithm.Rule;
import io.weir.algorithm.State;
import io.weir.algorithm.TokenBucket;
import io.weir.algorithm.Transition;
import io.weir.store.contract.HistoryVerdict.Excess;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class HistoryCheckerTest {

    private static final long SECOND = Duration.ofSeconds(1).toNanos();
    private static final Bandwidth TEN_A_SECOND = Bandwidth.of(10, 10, Duration.ofSeconds(1));

    /** Such that no refill comes out even. */
    private static final Bandwidth ODD = Bandwidth.of(1_000, 7_919, Duration.ofMillis(1_009));

    private final HistoryChecker checker = HistoryChecker.of(TEN_A_SECOND);

    @Test
    void findsExactlyTheGreatestExcessOfAnySpan() {
        forSmallHistories(200_000, (bandwidth, grants) -> {
            long excess = new BruteForce(bandwidth, 0).greatestExcess(grants);

            HistoryVerdict verdict = HistoryChecker.of(bandwidth).check(grants);

            assertThat(verdict.greatestExcess().map(Excess::permits).orElse(0L)).isEqualTo(excess);
            assertThat(verdict.withinBound()).isEqualTo(excess == 0);
            verdict.greatestExcess().ifPresent(worst -> assertHolds(grants, worst));
            return verdict.withinBound();
        });
    }

    @Test
    void neverRejectsWhatABucketCouldHaveGranted() {
        forSmallHistories(50_000, (bandwidth, grants) -> {
            boolean feasible = new BruteForce(bandwidth, 0).feasible(grants);
            if (feasible) {
                assertThat(HistoryChecker.of(bandwidth).check(grants).withinBound())
                        .isTrue();
            }
            return feasible;
        });
    }

    @Test
    void acceptsOnlyWhatABucketLargerByLessThanAnEnclosingGrantCouldHaveGranted() {
        forSmallHistories(50_000, (bandwidth, grants) -> {
            boolean accepted = HistoryChecker.of(bandwidth).check(grants).withinBound();
            if (accepted) {
                long blind = BruteForce.largestEnclosing(grants);
                assertThat(new BruteForce(bandwidth, blind).feasible(grants)).isTrue();
            }
            return accepted;
        });
    }

    @Test
    void isBlindToPartOfAnEnclosingGrant() {
        Bandwidth one = Bandwidth.of(1, 1, Duration.ofNanos(10));
        List<Grant> grants = List.of(new Grant(5, 5, 1), new Grant(0, 12, 1));

        assertThat(new BruteForce(one, 0).feasible(grants)).isFalse();
        assertThat(HistoryChecker.of(one).check(grants).withinBound()).isTrue();
    }

    @Test
    void acceptsNothing() {
        HistoryVerdict verdict = checker.check(List.of());

        assertThat(verdict.withinBound()).isTrue();
        assertThat(verdict.grants()).isZero();
        assertThat(verdict.permits()).isZero();
    }

    @Test
    void acceptsTheBurstAndThenTheRefill() {
        List<Grant> grants = new ArrayList<>(List.of(new Grant(0, 0, 10)));
        for (int i = 1; i <= 100; i++) {
            grants.add(new Grant(i * SECOND / 10, i * SECOND / 10, 1));
        }

        HistoryVerdict verdict = checker.check(grants);

        assertThat(verdict.withinBound()).isTrue();
        assertThat(verdict.permits()).isEqualTo(110);
        assertThat(verdict).hasToString("WITHIN the bound of 10 + 10 per 1s: 101 grants of 110 permits");
    }

    @Test
    void rejectsOnePermitTooMany() {
        HistoryVerdict verdict =
                checker.check(List.of(new Grant(0, 0, 10), new Grant(SECOND, SECOND, 10), new Grant(5, SECOND / 2, 1)));

        assertThat(verdict.greatestExcess()).contains(new Excess(0, SECOND, 21, 20));
        assertThat(verdict)
                .hasToString("ABOVE the bound of 10 + 10 per 1s by 1: 21 permits granted where 20 are allowed,"
                        + " in the 1s from 0 to 1000000000 ns; in all 3 grants of 21 permits");
    }

    @Test
    void rejectsOneNanosecondTooEarly() {
        Grant burst = new Grant(0, 0, 10);

        assertThat(checker.check(List.of(burst, new Grant(0, SECOND / 10, 1))).withinBound())
                .isTrue();
        assertThat(checker.check(List.of(burst, new Grant(0, SECOND / 10 - 1, 1)))
                        .withinBound())
                .isFalse();
    }

    @Test
    void rejectsTheDoubleBurstAtAWindowBoundary() {
        HistoryVerdict verdict =
                checker.check(List.of(new Grant(SECOND - 1, SECOND - 1, 10), new Grant(SECOND, SECOND, 10)));

        assertThat(verdict.greatestExcess()).contains(new Excess(SECOND - 1, SECOND, 20, 10));
    }

    @Test
    void rejectsAGrantLargerThanTheBurstHoweverLongItsSpan() {
        HistoryVerdict verdict = checker.check(List.of(new Grant(0, 100 * SECOND, 11)));

        assertThat(verdict.greatestExcess()).contains(new Excess(0, 100 * SECOND, 11, 10));
    }

    @Test
    void countsOnlyWhatSurelyLiesInASpan() {
        Grant late = new Grant(0, SECOND, 10);

        assertThat(checker.check(List.of(new Grant(0, 0, 10), late)).withinBound())
                .isTrue();
    }

    @Test
    void allowsExtraPermitsAndExtraRefill() {
        List<Grant> grants = List.of(new Grant(0, 0, 10), new Grant(0, 0, 10));

        assertThat(checker.plusPermits(9).check(grants).withinBound()).isFalse();
        assertThat(checker.plusPermits(4).plusPermits(6).check(grants).withinBound())
                .isTrue();
        assertThat(checker.plusRefillOf(Duration.ofSeconds(1).minusNanos(1))
                        .check(grants)
                        .withinBound())
                .isFalse();
        assertThat(checker.plusRefillOf(Duration.ofSeconds(1)).check(grants).withinBound())
                .isTrue();
        assertThat(checker.plusPermits(5).plusRefillOf(Duration.ofMillis(50)))
                .hasToString("10 + 5 + refill of 0.05s + 10 per 1s");
    }

    @Test
    void isExactWhereLongsWouldOverflow() {
        Bandwidth huge = Bandwidth.of(Bandwidth.MAX_PERMITS, Bandwidth.MAX_PERMITS, Duration.ofNanos(Long.MAX_VALUE));
        Grant first = new Grant(Long.MIN_VALUE, Long.MIN_VALUE, Bandwidth.MAX_PERMITS);

        // A permit takes a little less than two nanoseconds, so at -2 all but half a one of the capacity is back.
        assertThat(HistoryChecker.of(huge)
                        .check(List.of(first, new Grant(-2, -2, Bandwidth.MAX_PERMITS - 1)))
                        .withinBound())
                .isTrue();
        assertThat(HistoryChecker.of(huge)
                        .check(List.of(first, new Grant(-3, -3, Bandwidth.MAX_PERMITS - 1)))
                        .greatestExcess())
                .map(Excess::permits)
                .contains(1L);
    }

    @Test
    void refusesWhatIsNoGrantAndNoBound() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new Grant(2, 1, 1))
                .withMessageContaining("from 2 to 1 ns");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new Grant(1, 2, 0))
                .withMessageContaining("is 0");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> checker.plusPermits(-1))
                .withMessageContaining("is -1");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> checker.plusRefillOf(Duration.ofNanos(-1)))
                .withMessageContaining("PT-0.000000001S");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> checker.plusRefillOf(Duration.ofSeconds(Long.MAX_VALUE)))
                .withMessageContaining("PT2562047788015215H30M7S");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new Excess(0, 1, 5, 5))
                .withMessageContaining("5 where 5");
        List<Grant> overflowing = Collections.nCopies(2, new Grant(0, 0, Long.MAX_VALUE));
        assertThatThrownBy(() -> checker.check(overflowing)).isInstanceOf(ArithmeticException.class);
    }

    @Test
    void acceptsWhatARealBucketGrantedSeenThroughOverlappingSpans() {
        SplittableRandom random = new SplittableRandom(Seed.of(HistoryCheckerTest.class));
        List<Grant> seen = new ArrayList<>();
        for (Grant grant : grantsOfARealBucket(200_000, random)) {
            seen.add(new Grant(
                    grant.startNanos() - random.nextLong(10_000_000),
                    grant.endNanos() + random.nextLong(10_000_000),
                    grant.permits()));
        }
        Collections.shuffle(seen, new Random(random.nextLong()));

        assertThat(HistoryChecker.of(ODD).check(seen).withinBound()).isTrue();
    }

    @Test
    void rejectsASinglePermitPlantedInALongHistory() {
        SplittableRandom random = new SplittableRandom(Seed.of(HistoryCheckerTest.class));
        List<Grant> grants = grantsOfARealBucket(200_000, random);
        long planted = grants.get(random.nextInt(grants.size())).startNanos();
        grants.add(new Grant(planted, planted, 1));

        assertThat(HistoryChecker.of(ODD).check(grants).greatestExcess())
                .map(Excess::permits)
                .contains(1L);
    }

    /** Each grant takes all the whole permits there are, before the bucket is full again: one more is always too many. */
    private static List<Grant> grantsOfARealBucket(int count, SplittableRandom random) {
        Rule rule = new Rule(1, new TokenBucket(List.of(ODD)));
        List<Grant> grants = new ArrayList<>();
        State state = rule.take(null, 0, 0).state();
        for (long now = 0; grants.size() < count; now += random.nextLong(2_000_000)) {
            long permits = rule.take(state, 0, now).state().level(0);
            Transition taken = rule.take(state, permits, now);
            if (taken.changed()) {
                grants.add(new Grant(now, now, permits));
                state = taken.state();
            }
        }
        return grants;
    }

    private static void assertHolds(List<Grant> grants, Excess worst) {
        long inside = grants.stream()
                .filter(grant -> grant.startNanos() >= worst.startNanos() && grant.endNanos() <= worst.endNanos())
                .mapToLong(Grant::permits)
                .sum();
        assertThat(inside).isGreaterThanOrEqualTo(worst.granted());
    }

    /** Says whether the history was one that its claim speaks of, so that no claim is held for want of cases. */
    @FunctionalInterface
    private interface Claim {
        boolean check(Bandwidth bandwidth, List<Grant> grants);
    }

    private static void forSmallHistories(int count, Claim claim) {
        SplittableRandom random = new SplittableRandom(Seed.of(HistoryCheckerTest.class));
        int relevant = 0;
        for (int i = 0; i < count; i++) {
            Bandwidth bandwidth =
                    Bandwidth.of(random.nextLong(1, 6), random.nextLong(1, 4), Duration.ofNanos(random.nextLong(1, 6)));
            List<Grant> grants = new ArrayList<>();
            int size = random.nextInt(1, 7);
            long length = random.nextLong(1, 20);
            for (int k = 0; k < size; k++) {
                long start = random.nextLong(length) - length / 2;
                grants.add(new Grant(
                        start, start + random.nextLong(length), random.nextLong(1, 2 + bandwidth.capacity())));
            }
            if (claim.check(bandwidth, grants)) {
                relevant++;
            }
        }
        assertThat(relevant).isBetween(count / 20, count - count / 20);
    }
}
