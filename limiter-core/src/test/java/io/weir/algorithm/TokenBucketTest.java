package io.weir.algorithm;

import static io.weir.algorithm.Verdict.DENIED;
import static io.weir.algorithm.Verdict.GRANTED;
import static io.weir.algorithm.Verdict.NEVER;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class TokenBucketTest {

    private static final Duration MINUTE = Duration.ofMinutes(1);
    private static final Duration DAY = Duration.ofDays(1);
    private static final long MILLI = 1_000_000;
    private static final long SECOND = 1_000 * MILLI;
    private static final long HOUR = 3_600 * SECOND;
    private static final long TOLERANCE = Algorithm.STEP_BACK_TOLERANCE_NANOS;

    private static Bandwidth perSecond(long capacity, long refill) {
        return Bandwidth.of(capacity, refill, Duration.ofSeconds(1));
    }

    private static Bandwidth perMinute(long capacity, long refill) {
        return Bandwidth.of(capacity, refill, MINUTE);
    }

    /** Everything from one a year to a billion a second, and numbers without a common divisor. */
    static Stream<Bandwidth> allKindsOfRates() {
        return Stream.of(
                perSecond(1, 1),
                perSecond(1, 3),
                perSecond(10, 3_000),
                perSecond(1_000_000_000, 1_000_000_000),
                perSecond(5, 999_999_937),
                Bandwidth.of(7, 7_919, Duration.ofMillis(1_009)),
                Bandwidth.of(104_729, 13, Duration.ofNanos(1_000_003)),
                Bandwidth.of(1_000_000, 1, DAY),
                Bandwidth.of(1_000, 1, Duration.ofDays(365)),
                Bandwidth.of(Bandwidth.MAX_PERMITS, 1, Duration.ofNanos(1)),
                Bandwidth.of(Bandwidth.MAX_PERMITS, Bandwidth.MAX_PERMITS, DAY),
                Bandwidth.of(3, Bandwidth.MAX_PERMITS - 1, Duration.ofNanos(Long.MAX_VALUE)),
                Bandwidth.of(1, 1, Duration.ofNanos(Long.MAX_VALUE)));
    }

    /** I1 and the conservation of what was refilled. */
    @Nested
    class Granting {

        @Test
        void startsFull() {
            assertThat(new BucketUnderTest(perMinute(5, 5)).grantedOf(9, 0)).isEqualTo(5);
        }

        @Test
        void deniesWhenEmpty() {
            BucketUnderTest bucket = new BucketUnderTest(perMinute(5, 5));
            assertThat(bucket.verdict(5, 0)).isEqualTo(GRANTED);

            assertThat(bucket.verdict(1, 0)).isEqualTo(DENIED);
        }

        @Test
        void grantsNothingExtraAfterIdle() {
            BucketUnderTest bucket = new BucketUnderTest(perMinute(5, 5));

            assertThat(bucket.grantedOf(5, 0)).isEqualTo(5);
            assertThat(bucket.level(HOUR)).isEqualTo(5);
            assertThat(bucket.take(1, HOUR).state().level(0)).isEqualTo(4);
        }

        @Test
        void grantsTheBurstAndTheRefillAndNoMore() {
            BucketUnderTest bucket = new BucketUnderTest(perSecond(3, 3)); // I1
            List<Long> grantedAt = new ArrayList<>();
            for (long now = 0; now < 10 * SECOND; now += 100 * MILLI) {
                if (bucket.grants(1, now)) {
                    grantedAt.add(now);
                }
            }

            assertThat(grantedAt).hasSize(32);
            for (long from : grantedAt) {
                assertThat(grantedAt.stream().filter(at -> at >= from && at <= from + SECOND))
                        .hasSizeLessThanOrEqualTo(6);
            }
        }

        @Test
        void refillsContinuouslyAndNotAtTheTurnOfThePeriod() {
            BucketUnderTest bucket = new BucketUnderTest(perMinute(2, 2));

            assertThat(Stream.of(0, 0, 0, 30, 31).map(second -> bucket.verdict(1, second * SECOND)))
                    .containsExactly(GRANTED, GRANTED, DENIED, GRANTED, DENIED);
        }

        @Test
        void countsIntervalsBelowAMillisecond() {
            assertThat(new BucketUnderTest(perSecond(10, 3_000)).grantedOfOneEach(1_000, SECOND))
                    .isEqualTo(3_010);
        }

        @Test
        void countsLessThanOnePermitASecond() {
            assertThat(new BucketUnderTest(Bandwidth.of(1, 1, Duration.ofSeconds(5)))
                            .grantedOfOneEach(SECOND, 50 * SECOND))
                    .isEqualTo(11);
        }

        @ParameterizedTest
        @MethodSource("io.weir.algorithm.TokenBucketTest#allKindsOfRates")
        void neitherGainsNorLosesByBeingAskedOften(Bandwidth bandwidth) {
            Bandwidth roomy = Bandwidth.of(Bandwidth.MAX_PERMITS, bandwidth.refill(), bandwidth.period());
            BucketUnderTest often = new BucketUnderTest(roomy);
            BucketUnderTest once = new BucketUnderTest(roomy);
            often.take(Bandwidth.MAX_PERMITS, 0);
            once.take(Bandwidth.MAX_PERMITS, 0);
            long stepNanos = Math.max(1, Refill.of(roomy).nanosUntil(0, 0, 1) / 3 * 2);
            long now = 0;
            long granted = 0;
            for (int i = 0; i < 10_000 && now <= Long.MAX_VALUE - stepNanos; i++) {
                now += stepNanos;
                granted += often.grants(1, now) ? 1 : 0;
            }

            assertThat(granted + often.level(now)).isEqualTo(once.level(now));
        }
    }

    /** I2. */
    @Nested
    class SteppingBack {

        @Test
        void earnsNoTimeTwice() {
            BucketUnderTest bucket = new BucketUnderTest(perSecond(4, 2));
            long now = HOUR;
            assertThat(bucket.grantedOf(5, now)).isEqualTo(4);
            State drained = bucket.state();

            assertThat(bucket.grantedOf(1, now - 10 * SECOND)).isZero();
            assertThat(bucket.state()).isSameAs(drained);
            assertThat(bucket.grantedOf(5, now)).isZero();
            assertThat(bucket.grantedOf(3, now + SECOND)).isEqualTo(2);
        }

        @Test
        void isNotFrozenByAClockThatWasAnHourAhead() {
            BucketUnderTest bucket = new BucketUnderTest(perSecond(10, 10));
            assertThat(bucket.grantedOf(1, HOUR)).isEqualTo(1);

            assertThat(bucket.grantedOfOneEach(50 * MILLI, 10 * SECOND)).isBetween(100L, 110L);
        }

        @Test
        void grantsWhatIsThereAtAnOlderInstantButKeepsTheNewer() {
            BucketUnderTest bucket = new BucketUnderTest(perSecond(10, 1));
            bucket.take(1, HOUR);

            assertThat(bucket.take(9, HOUR - 1).state().atNanos()).isEqualTo(HOUR);
            assertThat(bucket.level(HOUR + SECOND)).isEqualTo(1);
        }

        @Test
        void toleratesDisorderUpToTheToleranceAndRebasesBeyond() {
            for (long back : new long[] {TOLERANCE, TOLERANCE + 1}) {
                BucketUnderTest bucket = new BucketUnderTest(perSecond(10, 1));
                bucket.take(10, HOUR);
                bucket.take(1, HOUR - back); // denied

                assertThat(bucket.level(HOUR - back + SECOND)).isEqualTo(back > TOLERANCE ? 1 : 0);
            }
        }

        @Test
        void addsNothingByARebase() {
            BucketUnderTest bucket = new BucketUnderTest(perSecond(10, 1));
            bucket.take(8, HOUR);

            Transition denied = bucket.take(3, 0);

            assertThat(denied.verdict()).isEqualTo(DENIED);
            assertThat(denied.changed()).isTrue();
            assertThat(denied.state().level(0)).isEqualTo(2);
            assertThat(denied.state().atNanos()).isZero();
        }

        @Test
        void writesNothingForAPeekAfterAStepBack() {
            BucketUnderTest bucket = new BucketUnderTest(perSecond(10, 1));
            bucket.take(8, HOUR);

            assertThat(bucket.take(0, 0).changed()).isFalse();
        }

        @Test
        void survivesStepsAcrossTheWholeRangeOfAClock() {
            BucketUnderTest bucket = new BucketUnderTest(perSecond(10, 1));
            assertThat(bucket.verdict(10, Long.MAX_VALUE)).isEqualTo(GRANTED);
            assertThat(bucket.verdict(1, Long.MIN_VALUE)).isEqualTo(DENIED);
            assertThat(bucket.level(Long.MIN_VALUE + SECOND)).isEqualTo(1);
            assertThat(bucket.level(Long.MAX_VALUE)).isEqualTo(10);
        }
    }

    /** I3. */
    @Nested
    class Waiting {

        @ParameterizedTest
        @MethodSource("io.weir.algorithm.TokenBucketTest#allKindsOfRates")
        void retryAfterIsSharp(Bandwidth bandwidth) {
            long capacity = bandwidth.capacity();
            for (long permits : new long[] {1, (capacity + 1) / 2, capacity}) {
                BucketUnderTest bucket = new BucketUnderTest(bandwidth);
                bucket.take(capacity, 0);
                long readyAt = bucket.peek(0).readyAtNanos(0, permits);

                assertThat(bucket.verdict(permits, readyAt - 1)).isEqualTo(DENIED);
                if (readyAt < Long.MAX_VALUE) {
                    assertThat(bucket.verdict(permits, readyAt)).isEqualTo(GRANTED);
                }
            }
        }

        @Test
        void roundsAWaitUpToANanosecond() {
            BucketUnderTest bucket = new BucketUnderTest(perSecond(1, 3));
            bucket.take(1, 0);

            assertThat(bucket.waitNanos(1, 0)).isEqualTo(333_333_334);
        }

        @Test
        void countsDownToOneNanosecond() {
            BucketUnderTest bucket = new BucketUnderTest(perSecond(1, 3_000));
            bucket.take(1, 0);

            assertThat(bucket.verdict(1, 333_333)).isEqualTo(DENIED);
            assertThat(bucket.waitNanos(1, 333_333)).isEqualTo(1);
            assertThat(bucket.verdict(1, 333_334)).isEqualTo(GRANTED);
        }

        @Test
        void grantsOncePerPeriodToWhoeverTriesEachSecond() {
            BucketUnderTest bucket = new BucketUnderTest(Bandwidth.of(1, 1, Duration.ofSeconds(10)));

            assertThat(bucket.grantedOfOneEach(SECOND, 60 * SECOND)).isEqualTo(7);
        }

        @Test
        void waitsForTheRestOfAPermitOfWhichAPartIsThere() {
            BucketUnderTest bucket = new BucketUnderTest(perMinute(5, 5));
            assertThat(bucket.verdict(1, 0)).isEqualTo(GRANTED);
            assertThat(bucket.verdict(5, 178 * SECOND)).isEqualTo(GRANTED);
            assertThat(bucket.verdict(1, 181 * SECOND)).isEqualTo(DENIED);

            BucketState state = (BucketState) bucket.peek(181 * SECOND);
            assertThat(4 * state.fraction(0))
                    .isEqualTo(Refill.of(perMinute(5, 5)).nanos());
            assertThat(bucket.waitNanos(1, 181 * SECOND)).isEqualTo(9 * SECOND);
        }

        @Test
        void saysWhenItIsFull() {
            BucketUnderTest bucket = new BucketUnderTest(perMinute(5, 5));

            assertThat(bucket.take(2, 0).state().fullAtNanos()).isEqualTo(24 * SECOND);
            assertThat(bucket.take(2, 6 * SECOND).state().fullAtNanos()).isEqualTo(48 * SECOND);
            assertThat(bucket.peek(48 * SECOND).fullAtNanos()).isEqualTo(48 * SECOND);
        }

        @Test
        void isFullWhenItsSlowestBandwidthIs() {
            BucketUnderTest bucket = new BucketUnderTest(
                    perSecond(10, 1).named("fast"), perMinute(10, 1).named("slow"));

            assertThat(bucket.take(3, 0).state().fullAtNanos()).isEqualTo(3 * 60 * SECOND);
        }
    }

    /** I4, I5, I6. */
    @Nested
    class Denying {

        @Test
        void writesNothingForADenial() {
            BucketUnderTest bucket = new BucketUnderTest(perSecond(5, 1)); // I4
            bucket.take(5, 0);

            Transition denied = bucket.take(2, SECOND);

            assertThat(denied.verdict()).isEqualTo(DENIED);
            assertThat(denied.changed()).isFalse();
            assertThat(denied.state().level(0)).isEqualTo(1);
        }

        @Test
        void neverGrantsMoreThanTheCapacity() {
            BucketUnderTest bucket = new BucketUnderTest(Bandwidth.of(3, 3, Duration.ofSeconds(2))); // I5

            assertThat(bucket.verdict(4, 0)).isEqualTo(NEVER);
            assertThat(bucket.state()).isNull();
            assertThat(bucket.verdict(Long.MAX_VALUE, 0)).isEqualTo(NEVER);
            assertThat(bucket.verdict(3, 0)).isEqualTo(GRANTED);
            assertThat(bucket.verdict(4, 0)).isEqualTo(NEVER);

            bucket.change(Bandwidth.of(5, 5, Duration.ofSeconds(2)));
            assertThat(bucket.verdict(4, 0)).isEqualTo(DENIED);
            assertThat(bucket.verdict(4, 2 * SECOND)).isEqualTo(GRANTED);
        }

        @Test
        void neverGrantsWhatOneOfSeveralBandwidthsIsTooSmallFor() {
            BucketUnderTest bucket = new BucketUnderTest(
                    perSecond(10, 10).named("large"), perSecond(3, 3).named("small")); // I5
            bucket.take(3, 0);

            assertThat(bucket.verdict(4, 0)).isEqualTo(NEVER);
            assertThat(bucket.verdict(3, 0)).isEqualTo(DENIED);
        }

        @Test
        void refusesNegativePermits() {
            BucketUnderTest bucket = new BucketUnderTest(perSecond(10, 1)); // I6
            bucket.take(6, 0);

            for (long permits : new long[] {-3, Long.MIN_VALUE}) {
                assertThatIllegalArgumentException()
                        .isThrownBy(() -> bucket.take(permits, 0))
                        .withMessageContaining(String.valueOf(permits));
            }
            assertThat(bucket.level(0)).isEqualTo(4);
        }

        @Test
        void grantsAPeekOfAnEmptyBucket() {
            BucketUnderTest bucket = new BucketUnderTest(perSecond(10, 1)); // I6
            bucket.take(10, 0);

            Transition peek = bucket.take(0, 0);

            assertThat(peek.verdict()).isEqualTo(GRANTED);
            assertThat(peek.changed()).isFalse();
        }

        @Test
        void grantsAPeekOfADebtAndCreatesNothingForAnUnknownKey() {
            Rule rule = new Rule(1, new TokenBucket(List.of(perSecond(10, 1))));
            BucketUnderTest debt = new BucketUnderTest(rule, BucketState.restore(rule, 0, -3, 0)); // I6
            BucketUnderTest unknown = new BucketUnderTest(perSecond(10, 1));

            assertThat(debt.verdict(0, 0)).isEqualTo(GRANTED);
            assertThat(debt.level(0)).isEqualTo(-3);
            assertThat(unknown.verdict(0, 0)).isEqualTo(GRANTED);
            assertThat(unknown.state()).isNull();
        }

        @Test
        void paysADebtOffBeforeItGrants() {
            Rule rule = new Rule(1, new TokenBucket(List.of(perSecond(10, 1))));
            BucketUnderTest debt = new BucketUnderTest(rule, BucketState.restore(rule, 0, -3, 0));

            assertThat(debt.waitNanos(1, 0)).isEqualTo(4 * SECOND);
            assertThat(debt.verdict(1, 4 * SECOND - 1)).isEqualTo(DENIED);
            assertThat(debt.verdict(1, 4 * SECOND)).isEqualTo(GRANTED);
        }
    }

    @Nested
    class SeveralBandwidths {

        private final BucketUnderTest bucket = new BucketUnderTest(
                perSecond(3, 3).named("burst"), Bandwidth.of(5, 1, DAY).named("daily"));

        @Test
        void chargesAllOrNone() {
            assertThat(bucket.verdict(3, 0)).isEqualTo(GRANTED);

            assertThat(bucket.verdict(3, SECOND)).isEqualTo(DENIED);

            assertThat(bucket.peek(SECOND).level(0)).isEqualTo(3);
            assertThat(bucket.peek(SECOND).level(1)).isEqualTo(2);
            assertThat(bucket.verdict(2, SECOND)).isEqualTo(GRANTED);
        }

        @Test
        void refillsEachAtItsOwnRate() {
            bucket.take(3, 0);
            bucket.take(2, SECOND);

            State later = bucket.peek(SECOND + DAY.toNanos());

            assertThat(later.level(0)).isEqualTo(3);
            assertThat(later.level(1)).isEqualTo(1);
        }

        @Test
        void givesBackToEach() {
            bucket.take(3, 0);

            State state = bucket.giveBack(2, 0).state();

            assertThat(state.level(0)).isEqualTo(2);
            assertThat(state.level(1)).isEqualTo(4);
        }

        @Test
        void needsNamesOfTheirOwn() {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> new TokenBucket(List.of(perSecond(1, 1), perMinute(1, 1))))
                    .withMessageContaining("\"default\"");
        }

        @Test
        void areOneToEight() {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> new TokenBucket(List.of()))
                    .withMessageContaining("given 0");
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> new TokenBucket(Collections.nCopies(9, perSecond(1, 1))))
                    .withMessageContaining("given 9");
        }
    }

    @Nested
    class GivingBack {

        @Test
        void addsToWhatWasRefilled() {
            BucketUnderTest bucket = new BucketUnderTest(perSecond(10, 1));
            bucket.take(8, 0);

            assertThat(bucket.giveBack(4, 2 * SECOND).state().level(0)).isEqualTo(8);
        }

        @Test
        void neverLiftsABalanceAboveTheCapacity() {
            BucketUnderTest bucket = new BucketUnderTest(perSecond(10, 1));
            bucket.take(4, 0);
            assertThat(bucket.giveBack(4, 2 * SECOND).state().level(0)).isEqualTo(10);

            bucket.take(6, 2 * SECOND);
            assertThat(bucket.giveBack(6, 2 * SECOND).state().level(0)).isEqualTo(10);
            bucket.take(6, 2 * SECOND);
            assertThat(bucket.level(2 * SECOND)).isEqualTo(4);
            assertThat(bucket.giveBack(Long.MAX_VALUE, 2 * SECOND).state().level(0))
                    .isEqualTo(10);
        }

        @Test
        void dropsTheFractionOfABucketThatItFills() {
            BucketUnderTest bucket = new BucketUnderTest(perSecond(10, 1));
            bucket.take(1, 0);

            BucketState full = (BucketState) bucket.giveBack(1, SECOND / 2).state();

            assertThat(full.level(0)).isEqualTo(10);
            assertThat(full.fraction(0)).isZero();
        }

        @Test
        void keepsTheFractionOfABucketThatItDoesNotFill() {
            BucketUnderTest bucket = new BucketUnderTest(perSecond(10, 1));
            bucket.take(5, 0);
            bucket.giveBack(1, SECOND / 2);

            assertThat(bucket.waitNanos(7, SECOND / 2)).isEqualTo(SECOND / 2);
        }

        @Test
        void isFullAfterEveryPairOfTakeAndGiveBack() {
            BucketUnderTest bucket = new BucketUnderTest(perSecond(10, 10));
            for (long now = 0; now < 60 * SECOND; now += 100 * MILLI) {
                assertThat(bucket.verdict(1, now)).isEqualTo(GRANTED);
                assertThat(bucket.giveBack(1, now).state().level(0)).isEqualTo(10);
            }
        }

        @Test
        void createsNothingForAnUnknownKey() {
            BucketUnderTest bucket = new BucketUnderTest(perSecond(10, 1));

            assertThat(bucket.giveBack(3, 0).state().level(0)).isEqualTo(10);

            assertThat(bucket.state()).isNull();
        }

        @Test
        void fillsALoweredCapacityAtMost() {
            BucketUnderTest bucket = new BucketUnderTest(perSecond(10, 1));
            bucket.take(8, 0);
            bucket.change(perSecond(3, 1));

            assertThat(bucket.giveBack(8, 0).state().level(0)).isEqualTo(3);
        }

        @Test
        void refusesNothingAndLess() {
            BucketUnderTest bucket = new BucketUnderTest(perSecond(10, 1));
            for (long permits : new long[] {0, -1, Long.MIN_VALUE}) {
                assertThatIllegalArgumentException()
                        .isThrownBy(() -> bucket.giveBack(permits, 0))
                        .withMessageContaining("is " + permits);
            }
        }
    }

    /** The far ends of every range. */
    @Nested
    class AtTheExtremes {

        @Test
        void refillsHalfADayOfTenMillionExactly() {
            BucketUnderTest bucket = new BucketUnderTest(Bandwidth.of(10_000_000, 10_000_000, DAY));
            bucket.take(10_000_000, 0);

            assertThat(bucket.level(12 * HOUR)).isEqualTo(5_000_000);
        }

        @Test
        void stopsAtTheCapacityHoweverLongItWasIdle() {
            BucketUnderTest bucket = new BucketUnderTest(Bandwidth.of(1_000_000, 1_000_000, Duration.ofHours(1)));
            bucket.take(1_000_000, 0);

            assertThat(bucket.level(12 * HOUR)).isEqualTo(1_000_000);
            assertThat(bucket.verdict(1_000_000, 12 * HOUR)).isEqualTo(GRANTED);
        }

        @ParameterizedTest
        @MethodSource("io.weir.algorithm.TokenBucketTest#allKindsOfRates")
        void staysWithinZeroAndCapacityAfterTheLongestTime(Bandwidth bandwidth) {
            BucketUnderTest bucket = new BucketUnderTest(bandwidth);
            bucket.take(bandwidth.capacity(), 0);

            assertThat(bucket.level(Long.MAX_VALUE)).isBetween(0L, bandwidth.capacity());
            assertThat(bucket.peek(Long.MAX_VALUE).fullAtNanos()).isPositive();
        }

        @Test
        void holdsAMillionRefilledAtOneADay() {
            BucketUnderTest bucket = new BucketUnderTest(Bandwidth.of(1_000_000, 1, DAY));
            bucket.take(1_000_000, 0);

            assertThat(bucket.waitNanos(1, 0)).isEqualTo(DAY.toNanos());
            assertThat(bucket.level(1_000 * DAY.toNanos() - 1)).isEqualTo(999);
            assertThat(bucket.level(1_000 * DAY.toNanos())).isEqualTo(1_000);
            assertThat(bucket.waitNanos(1_000_000, 0)).isEqualTo(Long.MAX_VALUE); // 2,738 years
        }

        @Test
        void holdsAThousandRefilledAtOneAYear() {
            Duration year = Duration.ofDays(365);
            BucketUnderTest bucket = new BucketUnderTest(Bandwidth.of(1_000, 1, year));
            bucket.take(1_000, 0);

            assertThat(bucket.waitNanos(292, 0)).isEqualTo(292 * year.toNanos());
            assertThat(bucket.waitNanos(293, 0)).isEqualTo(Long.MAX_VALUE);
            assertThat(bucket.level(Long.MAX_VALUE)).isEqualTo(292);
        }

        @Test
        void refillsOneInEachNanosecond() {
            BucketUnderTest bucket = new BucketUnderTest(perSecond(1_000_000_000, 1_000_000_000));
            bucket.take(1_000_000_000, 0);

            assertThat(bucket.level(1)).isEqualTo(1);
            assertThat(bucket.level(123_456_789)).isEqualTo(123_456_789);
            assertThat(bucket.waitNanos(1_000_000_000, 0)).isEqualTo(SECOND);
        }

        @Test
        void holdsTheLargestCapacity() {
            BucketUnderTest bucket =
                    new BucketUnderTest(Bandwidth.of(Bandwidth.MAX_PERMITS, Bandwidth.MAX_PERMITS, DAY));
            assertThat(bucket.verdict(Bandwidth.MAX_PERMITS, 0)).isEqualTo(GRANTED);
            assertThat(bucket.level(0)).isZero();

            assertThat(bucket.level(12 * HOUR)).isEqualTo(Bandwidth.MAX_PERMITS / 2);
            assertThat(bucket.level(Long.MAX_VALUE)).isEqualTo(Bandwidth.MAX_PERMITS);
        }

        @Test
        void driftsByNothingOverALongTimeAtPrimeRates() {
            BucketUnderTest bucket = new BucketUnderTest(Bandwidth.of(10_000_000, 7_919, Duration.ofMillis(1_009)));
            bucket.take(10_000_000, 0);
            long taken = 0;
            // Each step is 1.000003 periods.
            for (int i = 1; i <= 1_009; i++) {
                taken += bucket.grants(7_900, i * 1_009L * 1_000_003) ? 7_900 : 0;
            }

            long now = 1_009L * 1_009 * 1_000_003;
            long refilled = 7_919L * 1_009 * 1_000_003 / 1_000_000;
            assertThat(taken + bucket.level(now)).isEqualTo(refilled);
        }
    }
}
