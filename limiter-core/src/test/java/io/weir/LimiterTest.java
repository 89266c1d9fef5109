package io.weir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;

import io.weir.algorithm.Bandwidth;
import io.weir.store.Source;
import io.weir.store.StoreUnavailableException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class LimiterTest {

    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final Duration DEADLINE = Duration.ofMillis(30);

    private final AtomicLong nowNanos = new AtomicLong();
    private final FaultyStore store = new FaultyStore(nowNanos, OptionalInt.of(4));
    private final List<Duration> pauses = new ArrayList<>();

    /** Eight at once and one a second; two at once for each of the four nodes. */
    private Limiter limiter(FailurePolicy policy) {
        return limiter(policy, this::pause);
    }

    private Limiter limiter(FailurePolicy policy, Limiter.Pause pause) {
        return Weir.over(store)
                .limit(Limit.named("api", policy)
                        .bandwidth(Bandwidth.of(8, 1, SECOND))
                        .deadline(DEADLINE)
                        .build())
                .time(nowNanos::get, pause)
                .build()
                .limiter("api");
    }

    private void pause(Duration duration) {
        pauses.add(duration);
        nowNanos.addAndGet(duration.toNanos());
    }

    private static long grantedOf(int requests, Limiter limiter, String key) {
        long granted = 0;
        for (int i = 0; i < requests; i++) {
            granted += limiter.tryAcquire(key).granted() ? 1 : 0;
        }
        return granted;
    }

    @Nested
    class Asking {

        private final Limiter limiter = limiter(FailurePolicy.DENY);

        @Test
        void grantsUpToTheCapacityOfEachKey() {
            assertThat(grantedOf(10, limiter, "a")).isEqualTo(8);
            assertThat(grantedOf(10, limiter, "b")).isEqualTo(8);
        }

        @Test
        void asksForOnePermitUnlessToldHowMany() {
            assertThat(limiter.tryAcquire("a").permits()).isEqualTo(1);
            assertThat(limiter.tryAcquire("a", 3).remaining()).hasValue(4);
        }

        @Test
        void answersTheSameWithoutWaiting() {
            assertThat(limiter.tryAcquireAsync("a", 8).join().granted()).isTrue();
            assertThat(limiter.tryAcquireAsync("a").join().retryAfter()).contains(SECOND);
            assertThat(limiter.peekAsync("a").join().remaining()).hasValue(0);
        }

        @Test
        void peeksForFree() {
            assertThat(limiter.peek("a").remaining()).hasValue(8); // I6
            assertThat(limiter.tryAcquire("a", 8).granted()).isTrue();
            assertThat(limiter.peek("a").granted()).isTrue();
            assertThat(limiter.peek("a").remaining()).hasValue(0);
        }

        @Test
        @SuppressWarnings({"NullAway", "FutureReturnValueIgnored"}) // what callers without a null checker can do
        void throwsMistakesAtOnce() {
            assertThatNullPointerException().isThrownBy(() -> limiter.tryAcquire(null));
            assertThatNullPointerException().isThrownBy(() -> limiter.tryAcquireAsync(null));
            assertThatNullPointerException().isThrownBy(() -> limiter.peek(null));
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> limiter.tryAcquire("a", -3))
                    .withMessageEndingWith("is -3");
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> limiter.tryAcquireAsync("a", Long.MIN_VALUE))
                    .withMessageEndingWith("is " + Long.MIN_VALUE);

            assertThat(limiter.peek("a").remaining()).hasValue(8);
            assertThat(limiter.isDegraded()).isFalse();
        }
    }

    @Nested
    class WithoutAStore {

        @Test
        void deniesUnderDeny() {
            Limiter limiter = limiter(FailurePolicy.DENY);
            store.failWith(FaultyStore.unreachable());

            assertInvented(limiter.tryAcquire("a"), false, Source.POLICY);
            assertInvented(limiter.tryAcquireAsync("a").join(), false, Source.POLICY);
        }

        @Test
        void grantsUnderGrant() {
            Limiter limiter = limiter(FailurePolicy.GRANT);
            store.failWith(FaultyStore.unreachable());

            for (int i = 0; i < 1_000; i++) {
                assertInvented(limiter.tryAcquire("a", 8), true, Source.POLICY);
                assertInvented(limiter.tryAcquireAsync("a", 8).join(), true, Source.POLICY);
            }
        }

        @ParameterizedTest
        @EnumSource
        void deniesForEverWhatIsMoreThanTheSmallestCapacityUnderEveryPolicy(FailurePolicy policy) {
            Limiter limiter = Weir.over(store)
                    .limit(Limit.named("api", policy)
                            .bandwidth(Bandwidth.of(16, 1, SECOND).named("large"))
                            .bandwidth(Bandwidth.of(8, 1, SECOND).named("small"))
                            .build())
                    .build()
                    .limiter("api"); // I5
            store.failWith(FaultyStore.unreachable());

            for (Decision decision : List.of(
                    limiter.tryAcquire("a", 9),
                    limiter.tryAcquireAsync("a", Long.MAX_VALUE).join())) {
                assertInvented(decision, false, Source.POLICY);
                assertThat(decision.impossible()).isTrue();
            }
            assertThat(limiter.tryAcquire("a", 8).impossible()).isFalse();
        }

        /** Two are the share of eight. */
        @Test
        void deniesMoreThanTheShareButNotForEver() {
            Limiter limiter = limiter(FailurePolicy.LOCAL_SHARE);
            store.failWith(FaultyStore.unreachable());

            Decision decision = limiter.tryAcquire("a", 3);

            assertInvented(decision, false, Source.SHARE);
            assertThat(decision.impossible()).isFalse();
        }

        @Test
        void grantsTheShareOfEachKeyUnderLocalShare() {
            Limiter limiter = limiter(FailurePolicy.LOCAL_SHARE);
            store.failWith(FaultyStore.unreachable());

            assertInvented(limiter.tryAcquire("a"), true, Source.SHARE);
            assertInvented(limiter.tryAcquireAsync("a").join(), true, Source.SHARE);
            assertInvented(limiter.tryAcquire("a"), false, Source.SHARE);
            assertThat(limiter.tryAcquire("b", 2).granted()).isTrue();
        }

        @Test
        void refillsTheShareAtItsPartOfTheRate() {
            Limiter limiter = limiter(FailurePolicy.LOCAL_SHARE);
            store.failWith(FaultyStore.unreachable());
            assertThat(grantedOf(10, limiter, "a")).isEqualTo(2);

            nowNanos.addAndGet(Duration.ofSeconds(4).toNanos());

            assertThat(grantedOf(10, limiter, "a")).isEqualTo(1);
        }

        @Test
        void handsOutNoNewShareWhenTheStoreComesAndGoes() {
            Limiter limiter = limiter(FailurePolicy.LOCAL_SHARE);
            store.failWith(FaultyStore.unreachable());
            long granted = grantedOf(1, limiter, "a"); // of an owner that nobody has heard of
            store.recover();
            limiter.tryAcquire("a", 4);
            for (int i = 0; i < 6; i++) {
                store.failWith(FaultyStore.unreachable());
                granted += grantedOf(10, limiter, "a");
                store.recover();
                granted += grantedOf(10, limiter, "a");
            }

            assertThat(granted).isEqualTo(2 + 4);
        }

        @Test
        void keepsThePolicyOfTheShareThroughAChangeOfTheLimit() {
            Limiter limiter = limiter(FailurePolicy.LOCAL_SHARE);
            store.failWith(FaultyStore.unreachable());
            assertThat(grantedOf(10, limiter, "a")).isEqualTo(2);

            limiter.change(Limit.named("api", FailurePolicy.LOCAL_SHARE)
                    .bandwidth(Bandwidth.of(80, 10, SECOND))
                    .version(2)
                    .build());

            assertThat(grantedOf(10, limiter, "a")).isZero(); // nothing of more is still nothing
            assertThat(grantedOf(30, limiter, "b")).isEqualTo(20);
        }

        @Test
        void dividesAmongAsManyNodesAsThereAreNow() {
            Limiter limiter = limiter(FailurePolicy.LOCAL_SHARE);
            store.failWith(FaultyStore.unreachable());
            Decision half = limiter.tryAcquire("a", 1);

            store.knowsOf(OptionalInt.of(2));

            assertThat(grantedOf(10, limiter, "b")).isEqualTo(4);
            assertThat(grantedOf(10, limiter, "a")).isEqualTo(2); // half of two is half of four
            assertThat(half.refund().join()).isTrue();
            assertThat(grantedOf(10, limiter, "a")).isEqualTo(1);
        }

        /** A store that does not know any more is no reason to take the whole limit. */
        @ParameterizedTest
        @ValueSource(ints = {-1, 0})
        void dividesAmongTheNodesThatWereLastKnown(int nothing) {
            Limiter limiter = limiter(FailurePolicy.LOCAL_SHARE);
            store.failWith(FaultyStore.unreachable());

            store.knowsOf(nothing < 0 ? OptionalInt.empty() : OptionalInt.of(nothing));
            assertThat(grantedOf(10, limiter, "a")).isEqualTo(2);

            store.knowsOf(OptionalInt.of(2));
            assertThat(grantedOf(10, limiter, "b")).isEqualTo(4);
            store.knowsOf(nothing < 0 ? OptionalInt.empty() : OptionalInt.of(nothing));
            assertThat(grantedOf(10, limiter, "c")).isEqualTo(4);
        }

        @ParameterizedTest
        @EnumSource
        void grantsPeeksUnderEveryPolicy(FailurePolicy policy) {
            Limiter limiter = limiter(policy); // I6
            store.failWith(FaultyStore.unreachable());

            assertThat(limiter.peek("a").granted()).isTrue();
            assertThat(limiter.peekAsync("a").join().remaining()).isEmpty();
        }

        @ParameterizedTest
        @EnumSource
        void answersAtTheDeadlineOfAStoreThatHangs(FailurePolicy policy) {
            Limiter limiter = limiter(policy);
            store.hang();

            Decision decision = limiter.tryAcquire("a", 2);
            CompletableFuture<Decision> later = limiter.tryAcquireAsync("b", 2);

            assertThat(nowNanos).hasValue(DEADLINE.toNanos());
            assertThat(decision.granted()).isEqualTo(policy != FailurePolicy.DENY);
            assertThat(later).isNotDone();
            store.reachDeadlines();
            assertThat(later.join().granted()).isEqualTo(policy != FailurePolicy.DENY);
        }

        @ParameterizedTest
        @EnumSource
        void answersForAStoreThatThrowsWhereItsFutureShouldFail(FailurePolicy policy) {
            Limiter limiter = limiter(policy);
            store.throwAtOnce(FaultyStore.unreachable());

            assertThat(limiter.tryAcquireAsync("a").join().granted()).isEqualTo(policy != FailurePolicy.DENY);
        }

        /** Nobody can say when the owner is back, so there is nothing to wait for. */
        @ParameterizedTest
        @EnumSource
        void doesNotWaitForPermitsWithoutAnOwner(FailurePolicy policy) throws InterruptedException {
            Limiter limiter = limiter(policy);
            store.hang();

            Decision first = limiter.acquire("a", 2, Duration.ofHours(1));
            Decision second = limiter.acquire("a", 2, Duration.ofHours(1));

            assertThat(first.granted()).isEqualTo(policy != FailurePolicy.DENY);
            assertThat(second.granted()).isEqualTo(policy == FailurePolicy.GRANT);
            assertThat(pauses).isEmpty();
            assertThat(nowNanos).hasValue(2 * DEADLINE.toNanos());
        }

        @ParameterizedTest
        @EnumSource
        void answersWhoeverWaitedForPermitsWhenTheOwnerWentAway(FailurePolicy policy) throws InterruptedException {
            Limiter limiter = limiter(policy, duration -> {
                pause(duration);
                store.hang();
            });
            limiter.tryAcquire("a", 8);

            Decision decision = limiter.acquire("a", 1, Duration.ofHours(1));

            assertThat(pauses).hasSize(1);
            assertThat(nowNanos).hasValue(SECOND.plus(DEADLINE).toNanos());
            assertThat(decision.granted()).isEqualTo(policy == FailurePolicy.GRANT); // the share has refilled a quarter
        }

        @ParameterizedTest
        @EnumSource
        void answersEveryPathOnceClosed(FailurePolicy policy) throws InterruptedException {
            Limiter limiter = limiter(policy);
            Decision before = limiter.tryAcquire("a", 4);
            store.close();

            boolean granted = policy != FailurePolicy.DENY;
            assertThat(limiter.tryAcquire("a").granted()).isEqualTo(granted); // of half of two
            assertThat(limiter.tryAcquireAsync("b").join().granted()).isEqualTo(granted);
            assertThat(limiter.acquire("c", 1, SECOND).granted()).isEqualTo(granted);
            assertThat(limiter.peek("a").granted()).isTrue();
            assertThat(before.refund())
                    .failsWithin(Duration.ZERO)
                    .withThrowableThat()
                    .havingCause()
                    .isInstanceOf(StoreUnavailableException.class);
            assertThat(limiter.isDegraded()).isTrue();
        }

        @ParameterizedTest
        @EnumSource
        void letsABugSurfaceAsItself(FailurePolicy policy) {
            Limiter limiter = limiter(policy);
            IllegalStateException bug = new IllegalStateException("off by one");
            store.failWith(bug);

            assertThatIllegalStateException()
                    .isThrownBy(() -> limiter.tryAcquire("a"))
                    .isSameAs(bug);
            assertThat(limiter.tryAcquireAsync("a"))
                    .failsWithin(Duration.ZERO)
                    .withThrowableThat()
                    .havingCause()
                    .isSameAs(bug);
            assertThat(limiter.isDegraded()).isFalse();
        }

        @Test
        void isDegradedUntilTheStoreHasAnsweredForAWhile() {
            Limiter limiter = limiter(FailurePolicy.GRANT);
            store.failWith(FaultyStore.unreachable());
            limiter.tryAcquire("a");
            assertThat(limiter.isDegraded()).isTrue();

            store.recover();
            limiter.tryAcquire("a");
            assertThat(limiter.isDegraded()).isTrue();
            nowNanos.addAndGet(Outage.QUIET.toNanos());
            assertThat(limiter.tryAcquire("a").source()).isEqualTo(Source.LOCAL);
            assertThat(limiter.isDegraded()).isFalse();
        }

        @Test
        void isNotDegradedForLongIfNobodyAsks() {
            Limiter limiter = limiter(FailurePolicy.GRANT);
            store.failWith(FaultyStore.unreachable());
            limiter.tryAcquire("a");

            nowNanos.addAndGet(Outage.SILENCE.toNanos() - 1);
            assertThat(limiter.isDegraded()).isTrue();
            nowNanos.addAndGet(1);
            assertThat(limiter.isDegraded()).isFalse();

            limiter.tryAcquire("a");
            assertThat(limiter.isDegraded()).isTrue();
        }

        /** What nobody knows is not said. */
        private static void assertInvented(Decision decision, boolean granted, Source source) {
            assertThat(decision.granted()).isEqualTo(granted);
            assertThat(decision.source()).isEqualTo(source);
            assertThat(decision.remaining()).isEmpty();
            assertThat(decision.retryAfter()).isEmpty();
        }
    }

    @Nested
    class SwitchedOff {

        private final Limiter limiter = limiter(FailurePolicy.DENY);

        @Test
        void grantsEverythingAndCountsNothing() {
            limiter.switchOff();

            assertThat(limiter.isOn()).isFalse();
            assertThat(limiter.tryAcquire("a", 1_000).source()).isEqualTo(Source.SWITCHED_OFF);
            assertThat(limiter.tryAcquireAsync("a", 1_000).join().granted()).isTrue();
            limiter.switchOn();
            assertThat(limiter.isOn()).isTrue();
            assertThat(limiter.peek("a").remaining()).hasValue(8);
        }

        @Test
        void doesNotNeedTheStore() {
            store.failWith(new IllegalStateException("must not be asked"));
            limiter.switchOff();

            assertThat(limiter.tryAcquire("a").granted()).isTrue();
        }

        @Test
        void stillThrowsMistakes() {
            limiter.switchOff();

            assertThatIllegalArgumentException().isThrownBy(() -> limiter.tryAcquire("a", -1));
        }
    }

    @Nested
    class Waiting {

        private final Limiter limiter = limiter(FailurePolicy.DENY);

        @Test
        void doesNotWaitForWhatIsThere() throws InterruptedException {
            assertThat(limiter.acquire("a", 8, Duration.ZERO).granted()).isTrue();
            assertThat(pauses).isEmpty();
        }

        @Test
        void grantsAfterExactlyTheWaitItWasToldOf() throws InterruptedException {
            limiter.tryAcquire("a", 8);

            assertThat(limiter.acquire("a", 3, Duration.ofSeconds(3)).granted()).isTrue();

            assertThat(pauses).containsExactly(Duration.ofSeconds(3));
        }

        @Test
        void waitsAgainWhenSomebodyElseWasFaster() throws InterruptedException {
            limiter.tryAcquire("a", 8);
            List<Duration> waits = new ArrayList<>();
            Limiter beaten = limiter(FailurePolicy.DENY, duration -> {
                waits.add(duration);
                nowNanos.addAndGet(duration.toNanos());
                if (waits.size() == 1) {
                    limiter.tryAcquire("a");
                }
            });

            assertThat(beaten.acquire("a", 1, Duration.ofSeconds(2)).granted()).isTrue();

            assertThat(waits).containsExactly(SECOND, SECOND);
        }

        @Test
        void givesUpOnceItsTimeIsTooShortForAnotherWait() throws InterruptedException {
            limiter.tryAcquire("a", 8);
            Limiter beaten = limiter(FailurePolicy.DENY, duration -> {
                pause(duration);
                limiter.tryAcquire("a");
            });

            Decision decision = beaten.acquire("a", 1, Duration.ofMillis(2_999));

            assertThat(decision.granted()).isFalse();
            assertThat(pauses).hasSize(2);
        }

        @Test
        void givesUpAtOnceWhenThePermitsReturnTooLate() throws InterruptedException {
            limiter.tryAcquire("a", 8);

            Decision decision = limiter.acquire("a", 1, SECOND.minusNanos(1));

            assertThat(decision.retryAfter()).contains(SECOND);
            assertThat(pauses).isEmpty();
        }

        @Test
        void givesUpAtOnceOnMoreThanTheCapacity() throws InterruptedException {
            Decision decision = limiter.acquire("a", 9, Duration.ofDays(365)); // I5

            assertThat(decision.impossible()).isTrue();
            assertThat(pauses).isEmpty();
        }

        @Test
        void givesUpAtOnceWhenNobodyCanSayHowLong() throws InterruptedException {
            store.failWith(FaultyStore.unreachable());

            assertThat(limiter.acquire("a", 1, Duration.ofDays(365)).granted()).isFalse();
            assertThat(pauses).isEmpty();
        }

        @Test
        void chargesNothingWhenInterruptedBefore() {
            Thread.currentThread().interrupt();

            assertThatExceptionOfType(InterruptedException.class)
                    .isThrownBy(() -> limiter.acquire("a", 1, Duration.ZERO));

            assertThat(limiter.peek("a").remaining()).hasValue(8);
        }

        @Test
        void chargesNothingWhenInterruptedWhileItWaits() {
            Limiter interrupted = limiter(FailurePolicy.DENY, duration -> {
                throw new InterruptedException();
            });
            interrupted.tryAcquire("a", 7);

            assertThatExceptionOfType(InterruptedException.class).isThrownBy(() -> interrupted.acquire("a", 2, SECOND));

            assertThat(interrupted.peek("a").remaining()).hasValue(1);
        }

        @Test
        @SuppressWarnings("NullAway") // what callers without a null checker can do
        void refusesNoWait() {
            assertThatNullPointerException()
                    .isThrownBy(() -> limiter.acquire("a", 1, null))
                    .withMessage("longestWait");
        }

        @ParameterizedTest
        @ValueSource(strings = {"PT-0.000000001S", "PT-1H"})
        void refusesANegativeWait(Duration longestWait) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> limiter.acquire("a", 1, longestWait))
                    .withMessageEndingWith("is " + longestWait);
        }

        @Test
        void waitsAsLongAsADurationCanSay() throws InterruptedException {
            limiter.tryAcquire("a", 8);

            assertThat(limiter.acquire("a", 1, Duration.ofSeconds(Long.MAX_VALUE))
                            .granted())
                    .isTrue();
        }
    }
}
