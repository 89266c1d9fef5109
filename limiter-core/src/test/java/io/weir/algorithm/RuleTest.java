package io.weir.algorithm;

import static io.weir.algorithm.Verdict.DENIED;
import static io.weir.algorithm.Verdict.GRANTED;
import static io.weir.algorithm.Verdict.NEVER;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;

import io.weir.algorithm.Request.Charge;
import io.weir.algorithm.Request.GiveBack;
import io.weir.algorithm.Request.Take;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class RuleTest {

    private static final Duration MINUTE = Duration.ofMinutes(1);
    private static final long SECOND = 1_000_000_000;

    private static Rule rule(long version, Bandwidth... bandwidths) {
        return new Rule(version, new TokenBucket(List.of(bandwidths)));
    }

    private static Rule rule(long version, long capacity) {
        return rule(version, Bandwidth.of(capacity, capacity, MINUTE));
    }

    @ParameterizedTest
    @ValueSource(longs = {0, -1, Long.MIN_VALUE})
    void refusesAVersionBelowOne(long version) {
        assertThatIllegalArgumentException().isThrownBy(() -> rule(version, 1)).withMessageEndingWith("is " + version);
    }

    @Test
    @SuppressWarnings("NullAway") // what callers without a null checker can do
    void refusesNoAlgorithm() {
        assertThatNullPointerException().isThrownBy(() -> new Rule(1, null)).withMessageContaining("algorithm");
    }

    /** I7. */
    @Nested
    class Changing {

        @ParameterizedTest
        @CsvSource({"5, 2, 10, 4", "10, 8, 5, 4", "3, 1, 10, 3", "5, 0, 10, 0", "5, -3, 10, -6", "10, -6, 5, -3"})
        void carriesTheBalanceOverInProportion(long before, long level, long after, long carried) {
            State state = BucketState.restore(rule(1, before), 0, level, 0);

            assertThat(rule(2, after).take(state, 0, 0).state().level(0)).isEqualTo(carried);
        }

        @Test
        void keepsTheFraction() {
            State state = BucketState.restore(rule(1, 3), 0, 1, 0);

            State carried = rule(2, 10).take(state, 0, 0).state();

            // 10/3: the fourth is there after 2/3 of the 6 seconds that one takes.
            assertThat(carried.readyAtNanos(0, 4)).isEqualTo(4 * SECOND);
        }

        @Test
        void roundsDownByLessThanAUnitAlsoInDebt() {
            Rule three = rule(1, Bandwidth.of(3, 1, Duration.ofNanos(1)));
            Rule ten = rule(2, Bandwidth.of(10, 1, Duration.ofNanos(2)));

            BucketState credit = (BucketState)
                    ten.take(BucketState.restore(three, 0, 1, 0), 0, 0).state();
            BucketState debt = (BucketState)
                    ten.take(BucketState.restore(three, 0, -1, 0), 0, 0).state();

            assertThat(List.of(credit.level(0), credit.fraction(0))).containsExactly(3L, 0L); // 6.67 half tokens
            assertThat(List.of(debt.level(0), debt.fraction(0))).containsExactly(-4L, 1L); // -6.67 half tokens
        }

        @Test
        void keepsAFullBucketFull() {
            State full = rule(1, 7_919).take(null, 0, 0).state();

            assertThat(rule(2, 104_729).take(full, 0, 0).state().level(0)).isEqualTo(104_729);
        }

        @Test
        void neverForgivesTheDeepestDebt() {
            State deepest = BucketState.restore(rule(1, 1), 0, BucketState.LOWEST_LEVEL, 0);

            State carried = rule(2, Bandwidth.MAX_PERMITS).take(deepest, 0, 0).state();

            assertThat(carried.level(0)).isEqualTo(BucketState.LOWEST_LEVEL);
            assertThat(carried.fullAtNanos()).isPositive();
        }

        @Test
        void refillsAtTheOldRateUpToTheChangeAndAtTheNewOneFromThen() {
            BucketUnderTest bucket = new BucketUnderTest(Bandwidth.of(10, 10, MINUTE));
            bucket.take(10, 0);
            bucket.change(Bandwidth.of(20, 40, MINUTE));

            assertThat(bucket.take(1, 12 * SECOND).state().level(0)).isEqualTo(3); // 2 of 10 are 4 of 20
            assertThat(bucket.level(15 * SECOND)).isEqualTo(5);
        }

        @Test
        void goesOnRefillingThoughEveryRequestIsDenied() {
            BucketUnderTest bucket = new BucketUnderTest(Bandwidth.of(10, 1, Duration.ofDays(1)));
            bucket.take(10, 0);
            bucket.change(Bandwidth.of(10, 10, MINUTE));

            assertThat(bucket.verdict(1, 0)).isEqualTo(DENIED);
            assertThat(bucket.verdict(1, 6 * SECOND - 1)).isEqualTo(DENIED);
            assertThat(bucket.verdict(1, 6 * SECOND)).isEqualTo(GRANTED);
        }

        @ParameterizedTest
        @CsvSource({"5, 10", "10, 5", "3, 10"})
        void goesOnRefillingToTheNewCapacity(long before, long after) {
            BucketUnderTest bucket = new BucketUnderTest(Bandwidth.of(before, before, MINUTE));
            bucket.take(1, 0);
            bucket.change(Bandwidth.of(after, after, MINUTE));
            bucket.take(bucket.level(0), 0);

            assertThat(bucket.level(60 * SECOND)).isEqualTo(after);
        }

        @Test
        void writesTheNewRuleEvenForADenialButNotForAPeek() {
            State drained = BucketState.restore(rule(1, 5), 0, 0, 0);

            assertThat(rule(2, 5).take(drained, 1, 0)).satisfies(denied -> {
                assertThat(denied.verdict()).isEqualTo(DENIED);
                assertThat(denied.changed()).isTrue();
                assertThat(denied.state().rule().version()).isEqualTo(2);
            });
            assertThat(rule(2, 5).take(drained, 0, 0).changed()).isFalse();
        }

        @Test
        void decidesByTheNewerRuleOfTheState() {
            State newer = BucketState.restore(rule(2, 20), 0, 15, 0);

            Transition step = rule(1, 10).take(newer, 12, 0);

            assertThat(step.verdict()).isEqualTo(GRANTED);
            assertThat(step.state().rule()).isEqualTo(rule(2, 20));
            assertThat(step.state().level(0)).isEqualTo(3);
        }

        @Test
        void takesOtherNumbersOfTheSameVersionForAChange() {
            State state = BucketState.restore(rule(1, 10), 0, 4, 0);

            assertThat(rule(1, 5).take(state, 1, 0).state()).isEqualTo(BucketState.restore(rule(1, 5), 0, 1, 0));
        }

        @Test
        void matchesBandwidthsByTheirNames() {
            Bandwidth burst = Bandwidth.of(10, 10, MINUTE).named("burst");
            Bandwidth daily = Bandwidth.of(100, 100, Duration.ofDays(1)).named("daily");
            State state = BucketState.restore(rule(1, burst, daily), 0, 3, 0, 40, 0);

            State carried = rule(2, daily, Bandwidth.of(20, 20, MINUTE).named("fresh"))
                    .take(state, 0, 0)
                    .state();

            assertThat(carried.level(0)).isEqualTo(40);
            assertThat(carried.level(1)).isEqualTo(6); // as full as the burst, of which less is left
        }

        @Test
        void startsANewBandwidthFullIfNothingIsMissing() {
            State full = rule(1, 10).take(null, 0, 0).state();

            State carried = rule(2, Bandwidth.of(7, 7, MINUTE).named("fresh"))
                    .take(full, 0, 0)
                    .state();

            assertThat(carried.level(0)).isEqualTo(7);
        }

        /** Part of the capacity, and not permits, says which is the emptiest. */
        @ParameterizedTest
        @CsvSource({"3, 50, 5", "0, 1000, 0", "10, 1000, 100", "1, 100, 10", "-3, 1000, -30", "-3, -400, -40"})
        void startsANewBandwidthAsFullAsTheEmptiest(long levelOfTen, long levelOfThousand, long levelOfHundred) {
            Bandwidth ten = Bandwidth.of(10, 1, MINUTE).named("ten");
            Bandwidth thousand = Bandwidth.of(1_000, 7, MINUTE).named("thousand");
            Bandwidth hundred = Bandwidth.of(100, 3, MINUTE).named("hundred");
            State state = BucketState.restore(rule(1, ten, thousand), 0, levelOfTen, 0, levelOfThousand, 0);

            State carried = rule(2, thousand, hundred).take(state, 0, 0).state();

            assertThat(carried.level(0)).isEqualTo(levelOfThousand);
            assertThat(carried.level(1)).isEqualTo(levelOfHundred);
        }

        @Test
        void doesNotRefillADrainedKeyByANewName() {
            BucketUnderTest bucket =
                    new BucketUnderTest(Bandwidth.of(10, 10, MINUTE).named("before"));
            bucket.take(10, 0);

            bucket.change(Bandwidth.of(10, 10, MINUTE).named("after"));

            assertThat(bucket.verdict(1, 0)).isEqualTo(DENIED);
            assertThat(bucket.verdict(1, 6 * SECOND)).isEqualTo(GRANTED);
        }

        /** A roll-out that did not raise the version. */
        @Test
        void grantsNoMoreToTwoNamesThatTakeTurnsThanToOne() {
            Bandwidth daily = Bandwidth.of(1_000, 1_000, Duration.ofDays(1)).named("daily");
            Rule before = rule(1, Bandwidth.of(10, 10, MINUTE).named("before"), daily);
            Rule after = rule(1, Bandwidth.of(10, 10, MINUTE).named("after"), daily);
            State state = null;
            long granted = 0;
            for (int second = 0; second <= 600; second++) {
                Rule asked = second % 2 == 0 ? before : after;
                Transition step = asked.take(state, 1, second * SECOND);
                granted += step.verdict() == GRANTED ? 1 : 0;
                state = step.changed() ? step.state() : state;
            }

            assertThat(granted).isEqualTo(10 + 100); // I1
        }

        @Test
        void givesBackUnderTheNewRule() {
            State state = BucketState.restore(rule(1, 10), 0, 4, 0);

            assertThat(rule(2, 20).giveBack(state, 3, 0).state()).isEqualTo(BucketState.restore(rule(2, 20), 0, 11, 0));
        }
    }

    /** Many requests in one step. */
    @Nested
    class Deciding {

        private final Rule rule = rule(1, 10);

        @Test
        void seesInALaterRequestWhatTheEarlierOnesLeft() {
            BatchTransition step =
                    rule.decide(null, List.of(new Take(6), new Take(6), new Take(11), new GiveBack(3), new Take(6)), 0);

            assertThat(step.verdicts()).containsExactly(GRANTED, DENIED, NEVER, GRANTED, GRANTED);
            assertThat(step.state().level(0)).isEqualTo(1);
            assertThat(step.changed()).isTrue();
        }

        @Test
        void changesNothingIfNoneOfThemDoes() {
            State stored = BucketState.restore(rule, 0, 2, 0);

            BatchTransition step = rule.decide(stored, List.of(new Take(3), new Take(0), new Take(11)), 6 * SECOND - 1);

            assertThat(step.verdicts()).containsExactly(DENIED, GRANTED, NEVER);
            assertThat(step.changed()).isFalse();
            assertThat(step.state().level(0)).isEqualTo(2);
        }

        @Test
        void showsTheBalanceOfItsInstantEvenIfTheLastOneIsDenied() {
            State stored = BucketState.restore(rule, 0, 0, 0);

            BatchTransition step = rule.decide(stored, List.of(new Take(1), new Take(5)), 18 * SECOND);

            assertThat(step.state().level(0)).isEqualTo(2);
            assertThat(step.state().atNanos()).isEqualTo(18 * SECOND);
        }

        @Test
        void createsNothingForAnUnknownKeyByPeeksAndGiveBacks() {
            BatchTransition step = rule.decide(null, List.of(new Take(0), new GiveBack(5)), 0);

            assertThat(step.changed()).isFalse();
            assertThat(step.state().level(0)).isEqualTo(10);
        }

        @Test
        void chargesDownToZeroAndNeverIntoDebt() {
            BatchTransition step = rule.decide(null, List.of(new Charge(7), new Take(4), new Charge(7)), 0);

            assertThat(step.verdicts()).containsExactly(GRANTED, DENIED, GRANTED);
            assertThat(step.changed()).isTrue();
            assertThat(step.state()).isEqualTo(BucketState.restore(rule, 0, 0, 0));
        }

        @Test
        void leavesADebtAsItIsByACharge() {
            State inDebt = BucketState.restore(rule, 0, -2, 5);

            assertThat(rule.charge(inDebt, 3, 0, 0).state()).isEqualTo(inDebt);
        }

        /** Six are out, and so four are the most that the bucket refills to. */
        @Test
        void chargesOnlyWhatIsNotLent() {
            State stored = BucketState.restore(rule, 0, 1, 0);

            State charged = rule.charge(stored, 2, 6, 60 * SECOND).state();

            assertThat(charged.level(0)).isEqualTo(2);
        }

        @Test
        void chargesUnderTheRuleInForce() {
            State stored = BucketState.restore(rule, 0, 5, 0);

            assertThat(rule(2, 20).charge(stored, 3, 0, 0).state())
                    .isEqualTo(BucketState.restore(rule(2, 20), 0, 7, 0));
            assertThat(rule.charge(BucketState.restore(rule(2, 20), 0, 7, 0), 3, 0, 0)
                            .state()
                            .level(0))
                    .isEqualTo(4);
        }

        @Test
        void isMadeOfRequestsThatMakeSense() {
            assertThatIllegalArgumentException().isThrownBy(() -> new Charge(0)).withMessageEndingWith("is 0");
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> rule.charge(null, -1, 0, 0))
                    .withMessageEndingWith("is -1");
            assertThatIllegalArgumentException().isThrownBy(() -> new Take(-1)).withMessageEndingWith("is -1");
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> new GiveBack(0))
                    .withMessageEndingWith("is 0");
        }
    }
}
