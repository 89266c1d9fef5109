package io.weir;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.algorithm.Algorithm;
import io.weir.algorithm.Bandwidth;
import io.weir.algorithm.Request;
import io.weir.algorithm.Rule;
import io.weir.algorithm.TokenBucket;
import io.weir.store.Source;
import io.weir.store.StoreUnavailableException;
import io.weir.store.StoreUnavailableException.Reason;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

class SharesTest {

    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final Duration MINUTE = Duration.ofMinutes(1);
    private static final Duration DAY = Duration.ofDays(1);

    private final AtomicLong nowNanos = new AtomicLong();

    /** One node with a store of its own, so that nothing but its share holds it back during an outage. */
    private final class NodeAlone {
        private final FaultyStore store;
        private final Weir weir;
        private final Limiter limiter;
        private final Rule rule;

        NodeAlone(int nodes, Bandwidth... bandwidths) {
            this(nodes, Algorithm.Kind.TOKEN_BUCKET, bandwidths);
        }

        NodeAlone(int nodes, Algorithm.Kind algorithm, Bandwidth... bandwidths) {
            store = new FaultyStore(nowNanos, OptionalInt.of(nodes));
            Limit.Builder limit = Limit.named("api", FailurePolicy.LOCAL_SHARE).algorithm(algorithm);
            for (Bandwidth each : bandwidths) {
                limit.bandwidth(each);
            }
            weir = Weir.over(store)
                    .limit(limit.build())
                    .time(nowNanos::get, duration -> nowNanos.addAndGet(duration.toNanos()))
                    .build();
            limiter = weir.limiter("api");
            rule = limiter.limit().rule();
        }

        NodeAlone fail() {
            store.failWith(FaultyStore.unreachable());
            return this;
        }

        long grantedOf(int requests, String key) {
            long granted = 0;
            for (int i = 0; i < requests; i++) {
                granted += limiter.tryAcquire(key).granted() ? 1 : 0;
            }
            return granted;
        }

        long held(String key) {
            return store.held("api", rule, key);
        }

        /** Brings the owners back, and has this node find out. */
        void heal() {
            store.recover();
            pass(Outage.QUIET);
            limiter.tryAcquire("another");
        }
    }

    private void pass(Duration time) {
        nowNanos.addAndGet(time.toNanos());
    }

    /** K-03, first and second part: 100 a second, among 10 nodes and among 3, away for a minute. */
    @ParameterizedTest
    @CsvSource({"10, 10, 610", "3, 33, 2033"})
    void divideTheLimitAmongSaturatedNodes(int nodes, int burst, int inAMinute) {
        List<NodeAlone> all = new ArrayList<>();
        for (int i = 0; i < nodes; i++) {
            all.add(new NodeAlone(nodes, Bandwidth.of(100, 100, SECOND)).fail());
        }
        long[] granted = new long[nodes];
        for (int i = 0; i < nodes; i++) {
            granted[i] = all.get(i).grantedOf(200, "key");
            assertThat(granted[i]).isEqualTo(burst);
        }
        for (int millis = 0; millis < 60_000; millis += 10) {
            pass(Duration.ofMillis(10));
            for (int i = 0; i < nodes; i++) {
                granted[i] += all.get(i).grantedOf(2, "key");
            }
        }

        assertThat(granted).containsOnly(inAMinute);
        assertThat(nodes * (long) inAMinute).isLessThanOrEqualTo(100 + 100 * 60);
    }

    /** K-03, third part: 10 a minute, drained, on one node out of one, with a store that flaps six times in a minute. */
    @ParameterizedTest
    @CsvSource({"1000, true", "1000, false", "5000, true", "9900, true"})
    void handOutNothingNewWhenTheStoreFlaps(int awayMillis, boolean tended) {
        NodeAlone node = new NodeAlone(1, Bandwidth.of(10, 10, MINUTE));
        assertThat(node.grantedOf(20, "key")).isEqualTo(10);
        long granted = 0;
        for (int flap = 0; flap < 6; flap++) {
            for (int millis = 0; millis < 10_000; millis += 100) {
                if (millis < awayMillis) {
                    node.fail();
                } else {
                    node.store.recover();
                }
                pass(Duration.ofMillis(100));
                granted += node.grantedOf(3, "key");
                if (tended) {
                    node.weir.tend();
                }
            }
        }

        // What the owner alone would have granted; and what the share refills while it is used, which is less than once
        // B.
        assertThat(granted).isBetween(9L, 10L + 10L);
    }

    /** The share of a limit that is smaller than the number of nodes. */
    @Test
    void holdOnePermitAtLeast() {
        NodeAlone node = new NodeAlone(10, Bandwidth.of(1, 1, MINUTE)).fail();

        assertThat(node.grantedOf(5, "key")).isEqualTo(1);
        pass(MINUTE.multipliedBy(10).minusNanos(1));
        assertThat(node.grantedOf(5, "key")).isZero();
        pass(Duration.ofNanos(1));
        assertThat(node.grantedOf(5, "key")).isEqualTo(1);
    }

    @Test
    void startFromWhatWasLastHeardOfTheKeyAndRefillAtTheirPartOfTheRate() {
        NodeAlone node = new NodeAlone(4, Bandwidth.of(100, 4, MINUTE));
        node.limiter.tryAcquire("key", 60);
        pass(MINUTE.multipliedBy(3));
        node.fail();

        assertThat(node.grantedOf(100, "key")).isEqualTo(40 / 4 + 3);
        assertThat(node.grantedOf(100, "unheard")).isEqualTo(25);
    }

    @Test
    void startFromNothingIfNothingWasLeft() {
        NodeAlone node = new NodeAlone(10, Bandwidth.of(5, 1, DAY));
        node.limiter.tryAcquire("key", 5);
        node.fail();

        assertThat(node.limiter.tryAcquire("key").granted()).isFalse();
    }

    @Test
    void countEachBandwidthFromWhatWasHeardOfIt() {
        NodeAlone node = new NodeAlone(
                2,
                Bandwidth.of(20, 20, SECOND).named("burst"),
                Bandwidth.of(40, 1, DAY).named("daily"));
        node.limiter.tryAcquire("key", 20);
        pass(SECOND); // the owner has 20 and 20 now, and the node has not heard of it
        node.fail();

        assertThat(node.grantedOf(20, "key")).isEqualTo(10);
        pass(DAY.dividedBy(2)); // enough for any burst, and for a quarter of a permit a day
        assertThat(node.grantedOf(20, "key")).isZero();
    }

    @Test
    void areLoweredToWhatTheOwnerHasSaidSinceAndNeverRaised() {
        NodeAlone node = new NodeAlone(2, Bandwidth.of(20, 1, DAY)).fail();
        assertThat(node.grantedOf(3, "key")).isEqualTo(3); // 7 of 10 are left
        node.store.recover();
        node.limiter.tryAcquire("key", 2); // 18, of which half is 9
        node.fail();
        assertThat(node.grantedOf(3, "key")).isEqualTo(3);
        node.store.recover();
        node.limiter.tryAcquire("key", 14); // 4, of which half is 2
        node.fail();

        assertThat(node.grantedOf(10, "key")).isEqualTo(2);
    }

    @Test
    void areNotLoweredTwiceByOneWord() {
        NodeAlone node = new NodeAlone(2, Bandwidth.of(20, 2, SECOND));
        node.limiter.tryAcquire("key", 20);
        node.fail();
        for (int i = 0; i < 10; i++) {
            pass(SECOND);
            assertThat(node.grantedOf(3, "key")).isEqualTo(1);
        }
    }

    @Test
    void areBroughtUnderOtherNumbersInProportionWhateverVersionTheOwnerCountsUnder() {
        NodeAlone node = new NodeAlone(2, Bandwidth.of(20, 1, DAY));
        node.limiter.tryAcquire("key", 10);
        NodeAlone newer = new NodeAlone(2, Bandwidth.of(20, 1, DAY));
        newer.limiter.change(Limit.named("api", FailurePolicy.LOCAL_SHARE)
                .bandwidth(Bandwidth.of(100, 1, DAY))
                .version(2)
                .build());
        newer.limiter.tryAcquire("key", 50);
        newer.limiter.change(node.limiter.limit());

        assertThat(node.fail().grantedOf(20, "key")).isEqualTo(5);
        assertThat(newer.fail().grantedOf(20, "key")).isEqualTo(5);
    }

    @Nested
    class InAFlood {

        private static final int MOST = 100_000;
        private static final int FLOOD = 1_000_000;

        private final FaultyStore store = new FaultyStore(nowNanos, OptionalInt.of(2));
        private final Limit limit = Limit.named("api", FailurePolicy.LOCAL_SHARE)
                .bandwidth(Bandwidth.of(4, 1, MINUTE))
                .build();
        private final Shares shares =
                new Shares(limit.rule(), store.buckets("api", limit.rule()), () -> 2, nowNanos::get, MOST);

        @Test
        void areBoundedAndDoNotResetADrainedKey() {
            assertThat(shares.decide(limit, "victim", 2, true).granted()).isTrue();
            long granted = 0;
            for (int i = 0; i < FLOOD; i++) {
                granted += shares.decide(limit, "flood-" + i, 1, true).granted() ? 1 : 0;
            }

            assertThat(shares.size()).isEqualTo(MOST);
            assertThat(granted).isEqualTo(MOST - 1);
            assertThat(shares.decide(limit, "victim", 1, true).granted()).isFalse();
        }

        /** Full again, and long enough ago for the owner to have refilled as well. */
        @Test
        void makeRoomOnceTheyAreFullAndOweNothing() {
            for (int i = 0; i < MOST; i++) {
                shares.decide(limit, "flood-" + i, 1, true);
            }
            tend();
            assertThat(shares.decide(limit, "late", 1, true).granted()).isFalse();

            pass(MINUTE.multipliedBy(2)); // each is full: half a permit a minute
            tend();
            assertThat(shares.decide(limit, "late", 1, true).granted()).isFalse();
            pass(MINUTE.multipliedBy(6)); // twice the time in which four permits refill

            shares.tend(false, 1);
            assertThat(shares.decide(limit, "late", 1, true).granted()).isTrue();
            tend();
            assertThat(shares.size()).isEqualTo(1);
        }

        private void tend() {
            for (int i = 0; i < MOST / 10_000 + 1; i++) {
                shares.tend(false, 1);
            }
        }
    }

    @Test
    void oweByTheNumbersThatTheirKeyWasDecidedBy() {
        FaultyStore store = new FaultyStore(nowNanos, OptionalInt.of(1));
        Limit limit = Limit.named("api", FailurePolicy.LOCAL_SHARE)
                .bandwidth(Bandwidth.of(10, 10, SECOND))
                .build();
        Limit ofKey = limit.under(
                new Rule(KeyVersion.of(limit.name(), 1, 1), new TokenBucket(List.of(Bandwidth.of(1_000, 1_000, DAY)))));
        Shares shares = new Shares(limit.rule(), store.buckets("api", limit.rule()), () -> 1, nowNanos::get, 10);
        assertThat(shares.decide(ofKey, "key", 500, true).granted()).isTrue();
        Decision settled = shares.decide(ofKey, "settled", 7, true);
        assertThat(shares.decide(limit, "another", 1, true).granted()).isTrue();
        pass(SECOND.multipliedBy(3));

        assertThat(settled.settle(9).join()).isTrue();
        shares.tend(true, 1);

        assertThat(store.charges()).containsExactlyInAnyOrder(new Request.Charge(500), new Request.Charge(9));
    }

    /** What was granted in the window before still counts. */
    @Test
    void areChargedOfASlidingWindowForTwoWindows() {
        NodeAlone node = new NodeAlone(1, Algorithm.Kind.SLIDING_WINDOW, Bandwidth.perWindow(10, MINUTE)).fail();
        pass(Duration.ofSeconds(30));
        assertThat(node.grantedOf(1, "key")).isEqualTo(1);
        pass(Duration.ofSeconds(55));
        assertThat(node.grantedOf(4, "key")).isEqualTo(4);
        pass(Duration.ofSeconds(70));

        node.heal();
        node.weir.tend();

        assertThat(node.store.charges()).containsExactly(new Request.Charge(5));
    }

    @Nested
    class AfterHealing {

        private final NodeAlone node = new NodeAlone(2, Bandwidth.of(20, 1, DAY)).fail();

        @Test
        void areChargedToTheOwnerOnce() {
            assertThat(node.grantedOf(7, "key")).isEqualTo(7);
            node.weir.tend();
            assertThat(node.store.charges()).isEmpty();

            node.heal();
            node.weir.tend();
            node.weir.tend();

            assertThat(node.store.charges()).containsExactly(new Request.Charge(7));
            assertThat(node.held("key")).isEqualTo(13);
        }

        @Test
        void areChargedDownToZero() {
            node.store.recover();
            node.limiter.tryAcquire("key", 4);
            node.fail();
            assertThat(node.grantedOf(20, "key")).isEqualTo(8);
            node.store.recover();
            node.limiter.tryAcquire("key", 12); // by somebody else, say
            node.heal();

            node.weir.tend();

            assertThat(node.held("key")).isZero();
            pass(DAY);
            assertThat(node.held("key")).isEqualTo(1);
        }

        @Test
        void areNotChargedBeforeAnOwnerHasAnsweredForAWhile() {
            node.grantedOf(7, "key");
            pass(Outage.SILENCE.multipliedBy(2)); // nobody asks: that says nothing about the owners
            node.weir.tend();
            assertThat(node.limiter.isDegraded()).isFalse();
            assertThat(node.store.charges()).isEmpty();
        }

        /** A lease or a denial that this node remembers says nothing about the owner. */
        @ParameterizedTest
        @EnumSource(names = {"LEASE", "DENY_CACHE"})
        void areNotChargedBecauseThisNodeAnsweredFromMemory(Source memory) {
            node.grantedOf(7, "key");
            node.store.answerFrom(memory);
            node.heal();
            node.weir.tend();
            assertThat(node.limiter.isDegraded()).isTrue();
            assertThat(node.store.charges()).isEmpty();

            node.store.answerFrom(Source.CLUSTER);
            node.limiter.tryAcquire("another");
            node.weir.tend();
            assertThat(node.limiter.isDegraded()).isFalse();
            assertThat(node.store.charges()).containsExactly(new Request.Charge(7));
        }

        /** Another owner stays away all along. */
        @Test
        void areChargedAsSoonAsTheKeysOwnOwnerHasAnswered() {
            node.grantedOf(7, "key");
            node.store.recover();
            node.limiter.tryAcquire("key");
            node.fail().limiter.tryAcquire("another");
            node.store.recover();

            node.weir.tend();

            assertThat(node.limiter.isDegraded()).isTrue();
            assertThat(node.store.charges()).containsExactly(new Request.Charge(7));
        }

        @Test
        void areNotChargedAgainIfNobodyKnowsWhetherTheyWere() {
            node.grantedOf(7, "key");
            node.heal();
            node.store.failChargesWith(new StoreUnavailableException(Reason.UNREACHABLE, "target disconnected", null));
            node.weir.tend();
            node.store.failChargesWith(null);
            node.weir.tend();

            assertThat(node.store.charges()).hasSize(1);
        }

        @Test
        void areChargedLaterIfTheySurelyWereNot() {
            node.grantedOf(7, "key");
            node.heal();
            node.store.failChargesWith(StoreUnavailableException.beforeSending(Reason.OVERLOADED, "too many wait"));
            node.weir.tend();
            node.weir.tend();
            assertThat(node.held("key")).isEqualTo(20);
            node.store.failChargesWith(null);
            node.weir.tend();
            node.weir.tend();

            assertThat(node.held("key")).isEqualTo(13);
        }

        @Test
        void surfaceABugAndGoOn() {
            LogLines log = new LogLines();
            node.grantedOf(7, "key");
            node.grantedOf(1, "other");
            node.heal();
            node.store.failChargesWith(new IllegalStateException("off by one"));
            node.weir.tend();
            node.weir.tend();
            log.close();

            assertThat(node.store.charges()).hasSize(2);
            assertThat(log.lines())
                    .filteredOn(line -> line.contains("could not be looked after"))
                    .hasSize(1);
        }

        @Test
        void surfaceABugThoughTheNextChargeSucceeds() {
            LogLines log = new LogLines();
            node.grantedOf(7, "key");
            node.grantedOf(1, "other");
            node.heal();
            node.store.failNextChargeWith(new IllegalStateException("off by one"));
            node.weir.tend();
            node.weir.tend();
            log.close();

            assertThat(node.store.charges()).hasSize(2);
            assertThat(log.lines())
                    .filteredOn(line -> line.contains("could not be looked after"))
                    .hasSize(1);
        }

        /** Each is decided by its owner, too, and only the answer is missing. */
        @Test
        void areNotChargedForRequestsThatTheOwnerMayHaveCharged() {
            node.store.recover();
            node.store.answerLate();
            assertThat(node.grantedOf(5, "key")).isEqualTo(5);
            node.fail();
            Decision owed = node.limiter.tryAcquire("key", 2);
            assertThat(owed.granted()).isTrue();
            node.heal();
            node.weir.tend();

            assertThat(node.store.charges()).containsExactly(new Request.Charge(2));
            assertThat(node.held("key")).isEqualTo(20 - 5 - 2);
        }

        @Test
        void oweWhatTheyOwedWhenWhatTheyDidNotOweComesBack() {
            node.grantedOf(3, "key");
            node.store.recover();
            node.store.answerLate();
            Decision late = node.limiter.tryAcquire("key", 2);
            assertThat(late.refund().join()).isTrue();
            node.heal();
            node.weir.tend();

            assertThat(node.store.charges()).containsExactly(new Request.Charge(3));
        }

        @Test
        void areChargedThoughMetersThrow() {
            FaultyStore store = node.store;
            Weir weir = Weir.over(store)
                    .limit(node.limiter.limit())
                    .meters((limit, policy) -> new MetersOfNothing() {
                        @Override
                        public void inFallback(long nanos) {
                            throw new IllegalStateException("registry closed");
                        }
                    })
                    .time(nowNanos::get, duration -> {})
                    .build();
            Limiter limiter = weir.limiter("api");
            for (int i = 0; i < 7; i++) {
                assertThat(limiter.tryAcquire("key").granted()).isTrue();
                pass(Duration.ofMillis(1));
            }
            store.recover();
            pass(Outage.QUIET);
            limiter.tryAcquire("another");
            weir.tend();

            assertThat(store.charges()).containsExactly(new Request.Charge(7));
        }

        @Test
        void areForgottenOnceTheLimitWouldHaveRefilledAnyway() {
            NodeAlone fast = new NodeAlone(2, Bandwidth.of(20, 20, MINUTE)).fail();
            fast.grantedOf(10, "key");
            pass(MINUTE);
            fast.grantedOf(4, "key"); // refilled meanwhile
            pass(MINUTE.minus(Outage.QUIET));
            fast.heal();
            fast.weir.tend();
            assertThat(fast.store.charges()).containsExactly(new Request.Charge(4));

            fast.fail().grantedOf(10, "key");
            pass(MINUTE.multipliedBy(2));
            fast.heal();
            fast.weir.tend();
            assertThat(fast.store.charges()).hasSize(1);
        }

        @Test
        void areChargedWithoutWhatCameBack() {
            Decision taken = node.limiter.tryAcquire("key", 5);
            assertThat(taken.settle(2).join()).isTrue();
            assertThat(taken.refund().join()).isFalse();
            node.heal();
            node.weir.tend();

            assertThat(node.store.charges()).containsExactly(new Request.Charge(2));
        }

        @Test
        void areChargedNotAllAtOnce() {
            int keys = Shares.MOST_CHARGES_AT_ONCE + 100;
            for (int i = 0; i < keys; i++) {
                node.limiter.tryAcquire("key-" + i);
            }
            node.heal();
            node.store.hang();
            node.weir.tend();
            node.weir.tend();
            assertThat(node.store.charges()).hasSize(Shares.MOST_CHARGES_AT_ONCE);

            node.store.reachDeadlines();
            node.store.recover();
            node.weir.tend();
            node.weir.tend();
            assertThat(node.store.charges()).hasSize(keys);
        }

        @Test
        void areNotChargedIfTheKeyIsTooLongToBeKept() {
            assertThat(node.grantedOf(20, "k".repeat(10_000))).isEqualTo(10);
            node.heal();
            node.weir.tend();

            assertThat(node.store.charges()).isEmpty();
        }
    }
}
