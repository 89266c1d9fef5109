package io.weir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.weir.algorithm.Bandwidth;
import io.weir.algorithm.BucketState;
import io.weir.algorithm.PackedBucket;
import io.weir.algorithm.Verdict;
import io.weir.store.Answer;
import io.weir.store.Source;
import io.weir.store.StoreUnavailableException;
import java.time.Duration;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class DecisionTest {

    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final Bandwidth TEN = Bandwidth.of(10, 1, SECOND);

    private final AtomicLong nowNanos = new AtomicLong();
    private final FaultyStore store = new FaultyStore(nowNanos, OptionalInt.of(1));

    private static Limit limit(Bandwidth... bandwidths) {
        Limit.Builder builder = Limit.named("api", FailurePolicy.DENY);
        for (Bandwidth bandwidth : bandwidths) {
            builder.bandwidth(bandwidth);
        }
        return builder.build();
    }

    private Limiter limiter(Bandwidth... bandwidths) {
        return Weir.over(store)
                .limit(limit(bandwidths))
                .time(nowNanos::get, duration -> {})
                .build()
                .limiter("api");
    }

    private Decision answered(Limit limit, long permits, Verdict verdict, long atNanos, long... levels) {
        BucketState state = BucketState.restore(limit.rule(), atNanos, levels);
        return answered(limit, permits, Answer.of(verdict, state, nowNanos.get(), Source.CLUSTER));
    }

    private Decision answered(Limit limit, long permits, Answer answer) {
        return Decision.answered(
                new Asked(limit, Returns.to(store.buckets(limit.name(), limit.rule()))), "client", permits, answer);
    }

    /** An answer at zero, of a bucket of {@link #TEN} that holds so much. */
    private static Answer answer(Verdict verdict, long level) {
        return Answer.of(verdict, BucketState.restore(limit(TEN).rule(), 0, level, 0), 0, Source.LEASE);
    }

    @Test
    void saysWhatWasGranted() {
        Limiter limiter = limiter(TEN);

        Decision decision = limiter.tryAcquire("client", 4);

        assertThat(decision.granted()).isTrue();
        assertThat(decision.impossible()).isFalse();
        assertThat(decision.verdict()).isEqualTo(Verdict.GRANTED);
        assertThat(decision.limit()).isSameAs(limiter.limit());
        assertThat(decision.permits()).isEqualTo(4);
        assertThat(decision.source()).isEqualTo(Source.LOCAL);
        assertThat(decision.bandwidth()).isEqualTo(TEN);
        assertThat(decision.capacity()).isEqualTo(10);
        assertThat(decision.window()).isEqualTo(Duration.ofSeconds(10));
        assertThat(decision.remaining()).hasValue(6);
        assertThat(decision.stale()).isFalse();
        assertThat(decision.retryAfter()).isEmpty();
        assertThat(decision.timeToNextPermit()).contains(SECOND);
        assertThat(decision.timeToFull()).contains(Duration.ofSeconds(4));
        assertThat(decision).hasToString("Decision[api, GRANTED, 4 permits, LOCAL, 6 remaining in default]");
    }

    @Test
    void saysHowLongToWait() {
        Limiter limiter = limiter(TEN);
        limiter.tryAcquire("client", 8);
        nowNanos.set(500_000_000);

        Decision decision = limiter.tryAcquire("client", 4);

        assertThat(decision.granted()).isFalse();
        assertThat(decision.retryAfter()).contains(Duration.ofMillis(1_500));
        assertThat(decision.timeToNextPermit()).contains(Duration.ofMillis(500));
        assertThat(decision.timeToFull()).contains(Duration.ofMillis(7_500));
        assertThat(decision)
                .hasToString("Decision[api, DENIED, 4 permits, LOCAL, 2 remaining in default, retry after PT1.5S]");
    }

    @Test
    void tellsNobodyToWaitForTheImpossible() {
        Decision decision = limiter(TEN).tryAcquire("client", 11); // I5

        assertThat(decision.granted()).isFalse();
        assertThat(decision.impossible()).isTrue();
        assertThat(decision.retryAfter()).isEmpty();
        assertThat(decision.remaining()).hasValue(10);
    }

    @Test
    void needsNoTimeToFillWhatIsFull() {
        Decision full = limiter(TEN).peek("client");

        assertThat(full.timeToNextPermit()).contains(Duration.ZERO);
        assertThat(full.timeToFull()).contains(Duration.ZERO);
    }

    @Test
    void needsNoTimeToFillWhatIsFullAlsoAfterTheClockSteppedBack() {
        Decision full = answered(limit(TEN), 0, Verdict.GRANTED, 3 * SECOND.toNanos(), 10, 0); // I2

        assertThat(full.timeToNextPermit()).contains(Duration.ZERO);
        assertThat(full.timeToFull()).contains(Duration.ZERO);
    }

    @Test
    void showsADebtAsNothing() {
        Decision decision = answered(limit(TEN), 1, Verdict.DENIED, 0, -3, 0);

        assertThat(decision.remaining()).hasValue(0);
        assertThat(decision.retryAfter()).contains(Duration.ofSeconds(4));
        assertThat(decision.timeToNextPermit()).contains(Duration.ofSeconds(4));
    }

    @Test
    void tellsToWaitUntilTheLaterOfRefillAndWhatTheStoreKnows() {
        Answer denial = answer(Verdict.DENIED, 0);

        assertThat(answered(limit(TEN), 1, denial.notBefore(3 * SECOND.toNanos()))
                        .retryAfter())
                .contains(Duration.ofSeconds(3));
        assertThat(answered(limit(TEN), 1, denial.notBefore(SECOND.toNanos() / 2))
                        .retryAfter())
                .contains(SECOND);
        assertThat(answered(limit(TEN), 1, denial.notBefore(Long.MAX_VALUE)).retryAfter())
                .contains(Duration.ofNanos(Long.MAX_VALUE));
    }

    @Test
    void countsWhatTheNodeHoldsAsRemainingButNotAsRefilled() {
        Decision decision = answered(limit(TEN), 1, answer(Verdict.GRANTED, 2).holding(5));

        assertThat(decision.remaining()).hasValue(7);
        assertThat(decision.timeToNextPermit()).contains(SECOND);
        assertThat(decision.timeToFull()).contains(Duration.ofSeconds(8));
    }

    @Test
    void countsWhatTheNodeHoldsAgainstADebt() {
        assertThat(answered(limit(TEN), 1, answer(Verdict.GRANTED, -2).holding(5))
                        .remaining())
                .hasValue(3);
        assertThat(answered(limit(TEN), 1, answer(Verdict.GRANTED, -7).holding(5))
                        .remaining())
                .hasValue(0);
    }

    @Test
    void needsNoTimeToFillWhatIsOnlyHeld() {
        Decision full = answered(limit(TEN), 0, answer(Verdict.GRANTED, 4).holding(6));

        assertThat(full.timeToNextPermit()).contains(Duration.ZERO);
        assertThat(full.timeToFull()).contains(Duration.ZERO);
    }

    @Test
    void countsFromTheInstantOfTheDecisionAlsoIfTheStateIsNewer() {
        nowNanos.set(0);

        Decision decision = answered(limit(TEN), 1, Verdict.DENIED, 3 * SECOND.toNanos(), 0, 0); // I2

        assertThat(decision.retryAfter()).contains(Duration.ofSeconds(4));
    }

    @Nested
    class WhileThreadsHoldPermits {

        /** A permit a second up to 150, in lots of 10. */
        private final Limit limit = limit(Bandwidth.of(150, 1, SECOND));

        private final PackedBucket packed = PackedBucket.of(limit.rule(), 10, 0).orElseThrow();
        private final long nothingOut = packed.take(packed.pack(BucketState.restore(limit.rule(), 0, 150, 0)), 100, 0);
        private final long oneLotOut = packed.lend(nothingOut, true, 0, 0);

        private Decision decision(long permits, Verdict verdict, long word, Duration at, long held) {
            Asked asked = new Asked(limit, Returns.to(store.buckets(limit.name(), limit.rule())));
            return Decision.packed(asked, "client", permits, verdict, packed, word, at.toNanos(), held);
        }

        @Test
        void countsWhatIsHeldAsRemainingButNotAsRefilled() {
            Decision decision = decision(1, Verdict.GRANTED, oneLotOut, Duration.ZERO, 7);

            assertThat(decision.stale()).isTrue();
            assertThat(decision.remaining()).hasValue(47);
            assertThat(decision.retryAfter()).isEmpty();
            assertThat(decision.timeToNextPermit()).contains(SECOND);
            assertThat(decision.timeToFull()).contains(SECOND.multipliedBy(110));
        }

        @Test
        void refillsUpToTheCapacityLessWhatIsOut() {
            Decision decision = decision(1, Verdict.GRANTED, oneLotOut, SECOND.multipliedBy(1_000), 7);

            assertThat(decision.remaining()).hasValue(147);
            assertThat(decision.timeToFull()).contains(SECOND.multipliedBy(10));
        }

        @Test
        void isFullIfAllThatItLacksIsHeld() {
            Decision decision = decision(0, Verdict.GRANTED, oneLotOut, SECOND.multipliedBy(1_000), 10);

            assertThat(decision.remaining()).hasValue(150);
            assertThat(decision.timeToNextPermit()).contains(Duration.ZERO);
            assertThat(decision.timeToFull()).contains(Duration.ZERO);
        }

        @Test
        void isNotStaleOnceNothingIsOut() {
            long settled = packed.settle(oneLotOut, 7, 0);
            Decision decision = decision(60, Verdict.DENIED, settled, Duration.ZERO, 0);

            assertThat(decision.stale()).isFalse();
            assertThat(decision.remaining()).hasValue(47);
            assertThat(decision.retryAfter()).contains(SECOND.multipliedBy(13));
        }
    }

    @Test
    void waitsForCenturiesAtMost292Years() {
        nowNanos.set(SECOND.toNanos());

        Decision decision = answered(
                limit(Bandwidth.of(1_000, 1, Duration.ofDays(365))), 1_000, Verdict.DENIED, nowNanos.get(), 0, 0);

        assertThat(decision.retryAfter()).contains(Duration.ofNanos(Long.MAX_VALUE));
    }

    @Test
    void inventsNothingItCouldNotKnow() {
        Decision decision = Decision.uncounted(limit(TEN), 3, Verdict.DENIED, Source.POLICY);

        assertThat(decision.remaining()).isEmpty();
        assertThat(decision.retryAfter()).isEmpty();
        assertThat(decision.timeToNextPermit()).isEmpty();
        assertThat(decision.timeToFull()).isEmpty();
        assertThat(decision.stale()).isFalse();
        assertThat(decision.bandwidth()).isEqualTo(TEN);
        assertThat(decision).hasToString("Decision[api, DENIED, 3 permits, POLICY]");
    }

    @Test
    void speaksOfTheNewerNumbersOfAnotherNode() {
        Limiter limiter = limiter(TEN); // I7
        limiter.tryAcquire("client");
        limiter.change(Limit.named("api", FailurePolicy.DENY)
                .bandwidth(Bandwidth.of(20, 1, SECOND))
                .version(2)
                .build());

        assertThat(limiter.tryAcquire("client").capacity()).isEqualTo(20);
    }

    @Nested
    class OfSeveralBandwidths {

        private final Limiter limiter = limiter(
                Bandwidth.of(5, 5, SECOND).named("burst"),
                Bandwidth.of(8, 1, SECOND).named("sustained"),
                Bandwidth.of(100, 100, Duration.ofDays(1)).named("daily"));

        @Test
        void hangsOnTheFewestPermitsLeftWhenGranted() {
            assertThat(limiter.tryAcquire("client").bandwidth().name()).isEqualTo("burst");
            assertThat(limiter.tryAcquire("client", 4).remaining()).hasValue(0);
            nowNanos.set(SECOND.toNanos());
            assertThat(limiter.tryAcquire("client").bandwidth().name()).isEqualTo("sustained");
        }

        @Test
        void hangsOnTheLongestWaitWhenDenied() {
            limiter.tryAcquire("client", 5);

            Decision decision = limiter.tryAcquire("client", 5);

            assertThat(decision.bandwidth().name()).isEqualTo("sustained");
            assertThat(decision.retryAfter()).contains(Duration.ofSeconds(2));
        }

        @Test
        void hangsOnTheFirstThatIsTooSmallWhenImpossible() {
            assertThat(limiter.tryAcquire("client", 9).bandwidth().name()).isEqualTo("burst");
            assertThat(limiter.tryAcquire("client", 6).bandwidth().name()).isEqualTo("burst");
        }
    }

    @Nested
    class Refunding {

        private final Limiter limiter = limiter(TEN);

        @Test
        void putsBackWhatWasGranted() {
            Decision decision = limiter.tryAcquire("client", 6);

            assertThat(decision.refund().join()).isTrue();

            assertThat(limiter.peek("client").remaining()).hasValue(10);
        }

        @Test
        void countsOnce() {
            Decision first = limiter.tryAcquire("client", 6);
            assertThat(first.refund().join()).isTrue();
            limiter.tryAcquire("client", 6);

            assertThat(first.refund().join()).isFalse();
            assertThat(first.settle(2).join()).isFalse();

            assertThat(limiter.peek("client").remaining()).hasValue(4);
        }

        @Test
        void putsBackWhatWasNotUsed() {
            assertThat(limiter.tryAcquire("client", 6).settle(2).join()).isTrue();

            assertThat(limiter.peek("client").remaining()).hasValue(8);
        }

        @Test
        void putsNothingBackIfAllWasUsedAndIsSettledThen() {
            Decision decision = limiter.tryAcquire("client", 6);

            assertThat(decision.settle(6).join()).isFalse();
            assertThat(decision.refund().join()).isFalse();

            assertThat(limiter.peek("client").remaining()).hasValue(4);
        }

        @ParameterizedTest
        @ValueSource(longs = {-1, Long.MIN_VALUE})
        void refusesToHaveUsedLessThanNothing(long used) {
            Decision decision = limiter.tryAcquire("client", 6);

            assertThatIllegalArgumentException()
                    .isThrownBy(() -> decision.settle(used))
                    .withMessageEndingWith("are " + used);
            assertThat(decision.refund().join()).isTrue();
        }

        @ParameterizedTest
        @ValueSource(longs = {7, Long.MAX_VALUE})
        void chargesWhatWasUsedBeyondTheGrant(long used) {
            assertThat(limiter.tryAcquire("client", 6).settle(used).join()).isTrue();

            assertThat(limiter.peek("client").remaining()).hasValue(Math.max(0, 10 - used));
        }

        @Test
        void putsNothingBackOfADenialOrAPeek() {
            limiter.tryAcquire("client", 10);

            assertThat(limiter.tryAcquire("client").refund().join()).isFalse();
            assertThat(limiter.peek("client").refund().join()).isFalse();
            assertThat(limiter.peek("client").remaining()).hasValue(0);
        }

        @Test
        void putsNothingBackOfWhatWasNotCounted() {
            limiter.switchOff();

            assertThat(limiter.tryAcquire("client", 5).refund().join()).isFalse();
        }

        @Test
        void putsBackIntoTheShareWhatAShareGranted() {
            Limiter limiter = limiterOf(FailurePolicy.LOCAL_SHARE);
            store.failWith(FaultyStore.unreachable());
            Decision decision = limiter.tryAcquire("client", 10);
            assertThat(decision.source()).isEqualTo(Source.SHARE);
            assertThat(limiter.tryAcquire("client").granted()).isFalse();

            assertThat(decision.settle(7).join()).isTrue();

            assertThat(limiter.tryAcquire("client", 4).granted()).isFalse();
            assertThat(limiter.tryAcquire("client", 3).granted()).isTrue();
            assertThat(decision.refund().join()).isFalse();
            assertThat(decision.remaining()).isEmpty();
            assertThat(decision.timeToNextPermit()).isEmpty();
            assertThat(decision.timeToFull()).isEmpty();
        }

        @Test
        void putsNothingBackOfWhatAShareDeniedOrAPolicyGranted() {
            Limiter shared = limiterOf(FailurePolicy.LOCAL_SHARE);
            store.failWith(FaultyStore.unreachable());
            shared.tryAcquire("client", 10);

            assertThat(shared.tryAcquire("client").refund().join()).isFalse();
            assertThat(shared.peek("client").refund().join()).isFalse();
            assertThat(limiterOf(FailurePolicy.GRANT)
                            .tryAcquire("client")
                            .refund()
                            .join())
                    .isFalse();
        }

        private Limiter limiterOf(FailurePolicy policy) {
            return Weir.over(store)
                    .limit(Limit.named("api", policy).bandwidth(TEN).build())
                    .time(nowNanos::get, duration -> {})
                    .build()
                    .limiter("api");
        }

        @Test
        void failsOnceAndIsNotSentAgainIfTheStoreIsAway() {
            Decision decision = limiter.tryAcquire("client", 6);
            store.failWith(FaultyStore.unreachable());
            CompletableFuture<Boolean> refund = decision.refund();
            store.recover();

            assertThat(refund)
                    .failsWithin(Duration.ZERO)
                    .withThrowableThat()
                    .havingCause()
                    .isInstanceOf(StoreUnavailableException.class);
            assertThat(decision.refund().join()).isFalse();
            assertThat(limiter.peek("client").remaining()).hasValue(4);
        }
    }
}
