package io.weir.hazelcast;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.algorithm.Request;
import io.weir.algorithm.Rule;
import io.weir.algorithm.Verdict;
import io.weir.store.Answer;
import io.weir.store.LastKnown;
import io.weir.store.LeaseCounts;
import io.weir.store.Source;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Nodes that lease from the real owner's code, over a network and on clocks that the test moves. */
@SuppressWarnings("FutureReturnValueIgnored") // some calls are only made to be in the way of others
class LeasedBucketsTest {

    private static final long MILLI = 1_000_000;
    private static final long DEADLINE = 50 * MILLI;
    private static final Rule HUNDRED = Rules.rule(100, 1, Duration.ofDays(365));

    private final FakeOwners owners = new FakeOwners();
    private long now = 7;

    /** One node that asks for one limit. */
    private final class Asking {
        private final Node node;
        private final HazelcastBuckets buckets;

        Asking(int identity, Rule rule, Remembering remembering) {
            node = new Node(
                    new UUID(1, identity),
                    () -> now,
                    owners,
                    new OwnerClocks(() -> now, () -> owners.nowNanos),
                    Runnable::run,
                    (completion, refused) -> completion.run(),
                    new Deadlines(() -> now),
                    1_000);
            buckets = new HazelcastBuckets(node, "limit", rule, remembering);
        }

        CompletableFuture<Answer> ask(long permits) {
            return buckets.takeAsync("key", permits, DEADLINE);
        }

        /** Asks, and has every call that is sent for it answered at once. */
        Answer take(long permits) {
            CompletableFuture<Answer> answer = ask(permits);
            answerAll();
            return answer.join();
        }

        /** Asks until an answer comes from the lease; how many were granted. */
        long heatUp() {
            for (int granted = 1; granted < 50; granted++) {
                if (take(1).source() == Source.LEASE) {
                    return granted;
                }
            }
            throw new AssertionError("no lease after 50 requests at once");
        }

        void close() {
            node.close();
            buckets.close(() -> true, () -> {});
            answerAll();
        }
    }

    private void answerAll() {
        while (!owners.isIdle()) {
            owners.answerNext();
        }
    }

    private void pass(long nanos) {
        now += nanos;
        owners.nowNanos += nanos;
    }

    /** Time passes, and nodes look after their leases as the store has them do. */
    private void passTending(long nanos, Asking... nodes) {
        long tick = 100 * MILLI;
        for (long passed = 0; passed < nanos; passed += tick) {
            pass(Math.min(tick, nanos - passed));
            for (Asking each : nodes) {
                each.buckets.tend();
                answerAll();
            }
        }
    }

    private StoredBucket stored() {
        return Objects.requireNonNull(owners.entry("limit:key").getValue());
    }

    /** What is available at the owner now. */
    private long available() {
        StoredBucket stored = stored();
        return stored.stateAt(stored.state().rule(), owners.nowNanos).level(0);
    }

    private long lent() {
        return stored().lentAt(owners.nowNanos);
    }

    private Asking node(int identity) {
        return new Asking(identity, HUNDRED, Remembering.ALL);
    }

    @Test
    void aKeyThatIsAskedForOftenIsAnsweredFromALease() {
        Asking node = node(1);
        long before = node.heatUp();
        int sent = owners.sent();

        Answer answer = node.take(1);

        assertThat(before).as("seldom asked, the owner decides").isGreaterThan(3);
        assertThat(answer.source()).isEqualTo(Source.LEASE);
        assertThat(answer.stale()).isTrue();
        assertThat(owners.sent()).isEqualTo(sent);
    }

    @Test
    void whatIsLentHasLeftTheBucket() {
        Asking node = node(1);
        long granted = node.heatUp();

        LeaseCounts counts = node.buckets.leases();
        assertThat(available() + counts.granted() + granted - 1).isEqualTo(100);
        assertThat(lent()).isEqualTo(counts.granted());
    }

    @Test
    void aKeyThatIsAskedForSeldomIsNot() {
        Asking node = node(1);
        for (int i = 0; i < 50; i++) {
            assertThat(node.take(1).source()).isEqualTo(Source.CLUSTER);
            pass(200 * MILLI);
        }
        assertThat(lent()).isZero();
    }

    @Test
    void anExactLimitNeverLeases() {
        Asking node = new Asking(1, HUNDRED, Remembering.DENIALS);
        for (int i = 0; i < 90; i++) {
            assertThat(node.take(1).source()).isEqualTo(Source.CLUSTER);
        }
        assertThat(lent()).isZero();
    }

    @Test
    void aSmallLimitNeverLeases() {
        Rule small = Rules.rule(15, 1, Duration.ofDays(365)); // for two nodes
        Asking one = new Asking(1, small, Remembering.ALL);
        Asking other = new Asking(2, small, Remembering.ALL);
        other.take(1);
        for (int i = 0; i < 14; i++) {
            assertThat(one.take(1).source()).isEqualTo(Source.CLUSTER);
        }
    }

    @Test
    void nodesThatTakeTurnsUseUpTheWholeCapacityAndNoMore() {
        Asking[] nodes = {node(1), node(2), node(3)};
        int granted = 0;
        for (int i = 0; i < 3_000; i++) {
            granted += nodes[i % 3].take(1).verdict() == Verdict.GRANTED ? 1 : 0;
            pass(100_000); // 300 ms altogether: within one lease
        }
        assertThat(granted).isEqualTo(100);
    }

    @Test
    void tenNodesThatGoOnAskingAreGrantedTheCapacityAndNoMore() {
        List<Asking> nodes = IntStream.rangeClosed(1, 10).mapToObj(this::node).toList();
        int granted = 0;
        for (int tries = 0; tries < 50; tries++) {
            for (Asking each : nodes) {
                granted += each.take(1).verdict() == Verdict.GRANTED ? 1 : 0;
            }
        }
        assertThat(granted).isEqualTo(100);
    }

    /** A node that is lent more than it turns out to need gives it back, and then others get it. */
    @Test
    void tenNodesThatAskAllAtOnceAreGrantedTheCapacityAndNoMore() {
        List<Asking> nodes = IntStream.rangeClosed(1, 10).mapToObj(this::node).toList();
        List<CompletableFuture<Answer>> answers = nodes.stream()
                .flatMap(each -> IntStream.range(0, 50).mapToObj(i -> each.ask(1)))
                .toList();
        answerAll();
        long granted = answers.stream()
                .filter(each -> each.join().verdict() == Verdict.GRANTED)
                .count();
        assertThat(granted).isEqualTo(100 - lent());

        passTending(400 * MILLI, nodes.toArray(Asking[]::new));
        assertThat(available()).isEqualTo(100 - granted);
    }

    @Test
    void oneNodeIsGrantedAllOfItOverManyLeases() {
        Asking node = node(1);
        for (int i = 0; i < 100; i++) {
            assertThat(node.take(1).verdict()).as("request %d", i).isEqualTo(Verdict.GRANTED);
            passTending(100 * MILLI, node);
        }
        assertThat(node.take(1).verdict()).isEqualTo(Verdict.DENIED);
        assertThat(available()).isZero();
        assertThat(node.buckets.leases().forfeited()).isZero();
    }

    @Test
    void moreIsAskedForBeforeTheLeaseRunsOut() {
        Asking node = new Asking(1, Rules.rule(1_000, 1, Duration.ofDays(365)), Remembering.ALL);
        node.heatUp();
        for (int i = 0; i < 300; i++) {
            CompletableFuture<Answer> answer = node.ask(1);
            assertThat(answer).as("request %d waits for nobody", i).isCompleted();
            answerAll(); // what was asked ahead
            pass(MILLI);
        }
        assertThat(node.buckets.leases().spent()).isGreaterThan(200);
    }

    /** Requests go on while the call for more is under way, and are below the mark again. */
    @Test
    void moreIsAskedForAheadOfNeedEveryTime() {
        for (long origin : new long[] {7, -1_000_000_000_000L}) { // where a clock begins is its own affair
            now = origin;
            Asking node = new Asking(
                    (int) (origin % 100), Rules.rule(100_000, 100_000, Duration.ofSeconds(1)), Remembering.ALL);
            node.heatUp();
            for (int i = 0; i < 2_000; i++) {
                assertThat(node.ask(1))
                        .as("request %d on a clock from %d", i, origin)
                        .isCompleted();
                if (i % 2 == 1) {
                    answerAll(); // a millisecond late
                }
                pass(MILLI);
            }
        }
    }

    @Test
    void anIdleLeaseGoesBackBeforeItExpires() {
        Asking node = node(1);
        long granted = node.heatUp();

        passTending(450 * MILLI, node);

        assertThat(lent()).isZero();
        assertThat(available()).isEqualTo(100 - granted);
        assertThat(node.buckets.leases().forfeited()).isZero();
        passTending(450 * MILLI, node);
        assertThat(node.buckets.lines())
                .as("a key that is not asked for leaves nothing behind")
                .isZero();
    }

    @Test
    void aLeaseInUseIsRenewed() {
        Asking node = new Asking(1, Rules.rule(1_000, 1, Duration.ofDays(365)), Remembering.ALL);
        node.heatUp();
        for (int i = 0; i < 100; i++) {
            passTending(20 * MILLI, node);
            assertThat(node.take(1).verdict()).isEqualTo(Verdict.GRANTED);
        }
        assertThat(node.buckets.leases().forfeited()).isZero();
        assertThat(node.take(1).source()).isEqualTo(Source.LEASE);
    }

    @Test
    void closingGivesBackWhatIsLeased() {
        Asking node = node(1);
        long granted = node.heatUp();

        node.close();

        assertThat(lent()).isZero();
        assertThat(available()).isEqualTo(100 - granted);
    }

    @Test
    void closingDuringACallGivesBackWhatIsLeased() {
        Asking node = node(1);
        long granted = node.heatUp();
        CompletableFuture<Answer> large = node.ask(90); // takes along what is held, and wants more
        node.close();

        assertThat(large).isCompletedExceptionally();
        assertThat(lent()).as("its lease ended with the call").isZero();
        assertThat(available()).as("granted to one who has left: lost (L7)").isLessThanOrEqualTo(100 - granted - 90);
    }

    @Test
    void aFarewellThatOvertakesItsNodesLastCallHasItRefused() {
        Asking node = node(1);
        node.heatUp();
        while (lent() > 0 || node.take(1).source() == Source.LEASE) {
            passTending(100 * MILLI, node); // until nothing is held
        }
        for (int i = 0; i < 3; i++) {
            node.take(1);
        }
        node.ask(1);
        FakeOwners.Sent lending = owners.next();
        node.close();
        CallAnswer late = owners.run(lending);

        assertThat(late.outcome()).isEqualTo(CallAnswer.Outcome.SUPERSEDED);
        assertThat(lent()).isZero();
    }

    @Test
    void aRequestForMoreThanThereCanBeNeedsNothing() {
        Asking node = node(1);
        for (int i = 0; i < 50; i++) {
            assertThat(node.take(101).verdict()).isEqualTo(Verdict.NEVER);
        }
        assertThat(node.take(1).source()).isEqualTo(Source.CLUSTER);
        assertThat(lent()).isZero();
    }

    @Test
    void oneLargeRequestDoesNotMakeAKeyHot() {
        Asking node = node(1);
        node.take(40);

        assertThat(lent()).isZero();
    }

    /** Nobody hears of the node again: the lease is lost, once. */
    @Test
    void aLeaseThatExpiresIsForfeited() {
        Asking node = node(1);
        long granted = node.heatUp();
        long held = node.buckets.leases().granted() - 1;

        pass(HeldLease.TTL.toNanos() + Settlement.MARGIN.toNanos());

        assertThat(available()).isEqualTo(100 - granted - held);
        Answer answer = node.take(1);
        assertThat(answer.source()).as("what has expired is not spent").isEqualTo(Source.CLUSTER);
        assertThat(available() + lent()).isEqualTo(100 - granted - held - 1);
    }

    /** The node stops first: its lease counts from the sending, the owner's from the receipt. */
    @Test
    void aLeaseEndsOnItsNodeBeforeItEndsAtItsOwner() {
        Asking node = node(1);
        node.heatUp();
        long expiry = stored().records().get(0).expiryNanos();
        pass(HeldLease.TTL.toNanos() - 1);
        assertThat(node.take(1).source()).isEqualTo(Source.LEASE);
        pass(1);

        assertThat(owners.nowNanos).isLessThan(expiry);
        assertThat(node.ask(1)).isNotDone();
    }

    /** As when its whole machine is suspended: what it held then is the most that it can spend too late. */
    @Test
    void aNodeWhoseClockStandsStillSpendsNoMoreThanItHeld() {
        Asking node = node(1);
        node.heatUp();
        long held = node.buckets.leases().granted() - 1;
        owners.nowNanos += Duration.ofHours(1).toNanos();
        node(2).take(1);

        long late = 0;
        while (node.ask(1).isDone()) {
            late++;
        }
        assertThat(late).isEqualTo(held);
        answerAll();
        assertThat(lent()).as("nothing of the old lease is left").isLessThanOrEqualTo(10);
    }

    @Test
    void anAnswerThatIsSlowDoesNotMakeALeaseLonger() {
        Asking node = node(1);
        for (int i = 0; i < 3; i++) {
            node.take(1);
        }
        node.ask(1);
        FakeOwners.Sent lending = owners.next();
        CallAnswer answer = owners.run(lending);
        assertThat(Objects.requireNonNull(answer.lease()).lent()).isPositive();
        pass(40 * MILLI);
        lending.callback().ended(answer, null);

        pass(HeldLease.TTL.toNanos() - 40 * MILLI);
        assertThat(node.ask(1)).as("counted from the sending (L5)").isNotDone();
    }

    @Test
    void anAnswerAfterItsCallWasGivenUpCountsForNothing() {
        Asking node = node(1);
        for (int i = 0; i < 3; i++) {
            node.take(1);
        }
        CompletableFuture<Answer> impatient = node.ask(1);
        FakeOwners.Sent lending = owners.next();
        CallAnswer answer = owners.run(lending);
        pass(DEADLINE);
        node.node.deadlines().sweep();
        assertThat(impatient).isCompletedExceptionally();
        lending.callback().ended(answer, null);

        CompletableFuture<Answer> next = node.ask(1);
        assertThat(next).as("nothing is held").isNotDone();
        answerAll();
        assertThat(next.join().verdict()).isEqualTo(Verdict.GRANTED);
    }

    @Test
    void aCallThatIsDeliveredTwiceLendsOnce() {
        Asking node = node(1);
        for (int i = 0; i < 3; i++) {
            node.take(1);
        }
        node.ask(1);
        FakeOwners.Sent lending = owners.next();
        CallAnswer first = owners.run(lending);
        long available = available();
        CallAnswer again = owners.run(lending);

        assertThat(again.lease()).isEqualTo(first.lease());
        assertThat(available()).isEqualTo(available);
    }

    /** A request larger than what is held, and than what is available, but not than both together. */
    @Test
    void whatIsHeldGoesAlongWithALargerRequest() {
        Asking node = node(1);
        long granted = node.heatUp();

        assertThat(node.take(100 - granted).verdict()).isEqualTo(Verdict.GRANTED);
        assertThat(node.take(1).verdict()).isEqualTo(Verdict.DENIED);
    }

    @Test
    void leasesAreAskedBackForARequestThatNeedsThem() {
        Asking holder = new Asking(1, Rules.rule(100, 200, Duration.ofSeconds(1)), Remembering.ALL);
        holder.heatUp();
        Asking large = new Asking(2, Rules.rule(100, 200, Duration.ofSeconds(1)), Remembering.ALL);
        large.take(1);
        pass(500 * MILLI - 1);
        holder.take(1); // goes on spending, and so is not idle

        assertThat(large.take(100).verdict()).as("while anything is out").isEqualTo(Verdict.DENIED);
        holder.ask(50); // its next call, for whatever reason
        owners.answerNext();
        holder.buckets.tend();
        answerAll();

        assertThat(lent()).as("given back at once").isZero();
    }

    @Test
    void anIdleLeaseIsNotKeptForThoseWhoPeek() {
        Asking node = node(1);
        long granted = node.heatUp();
        for (int i = 0; i < 6; i++) {
            passTending(100 * MILLI, node);
            node.take(0);
        }
        assertThat(node.buckets.leases().forfeited()).isZero();
        assertThat(lent()).isZero();
        assertThat(available()).isEqualTo(100 - granted);
    }

    @Test
    void nothingIsLentWhileLeasesAreAskedBack() {
        Asking holder = node(1);
        holder.heatUp();
        node(2).take(100); // while anything is out, no refill will ever do
        Asking another = node(3);
        for (int i = 0; i < 20; i++) {
            assertThat(another.take(1).source()).isEqualTo(Source.CLUSTER);
        }
    }

    @Test
    void aDeniedKeyIsNotAskedForUntilItCouldBeGranted() {
        Asking node = new Asking(1, Rules.TEN_A_SECOND, Remembering.DENIALS);
        node.take(10);
        Answer denied = node.take(2);
        int sent = owners.sent();
        pass(200 * MILLI - 1);

        Answer again = node.take(2);
        assertThat(again.verdict()).isEqualTo(Verdict.DENIED);
        assertThat(again.source()).isEqualTo(Source.DENY_CACHE);
        assertThat(again.state().readyAtNanos(0, 2) - again.nowNanos()).isEqualTo(1);
        assertThat(denied.source()).isEqualTo(Source.CLUSTER);
        assertThat(node.take(3).source()).as("for more, all the more").isEqualTo(Source.DENY_CACHE);
        assertThat(owners.sent()).isEqualTo(sent);

        assertThat(node.take(1).verdict()).as("for less, the owner is asked").isEqualTo(Verdict.GRANTED);
        pass(1);
        assertThat(node.take(1).source()).isEqualTo(Source.CLUSTER);
    }

    @Test
    void aDenialEndsWhenPermitsComeBackOnThisNode() {
        Asking node = new Asking(1, Rules.TEN_A_SECOND, Remembering.DENIALS);
        node.take(10);
        node.take(5);
        node.buckets.decide("key", List.of(new Request.GiveBack(5)), DEADLINE);
        answerAll();

        assertThat(node.take(5).verdict()).isEqualTo(Verdict.GRANTED);
    }

    @Test
    void aDenialEndsWhenTheLimitChanges() {
        Asking node = new Asking(1, HUNDRED, Remembering.DENIALS);
        node.take(50);
        node.take(60);
        node.buckets.change(
                new Rule(2, Rules.rule(1_000, 1, Duration.ofDays(365)).algorithm()));

        assertThat(node.take(60).verdict()).isEqualTo(Verdict.GRANTED);
    }

    /** Permits that are lent to others may come back: the denial is forgotten soon. */
    @Test
    void aDenialLastsNoLongerThanTheGapWhileOthersHoldPermits() {
        Asking holder = node(1);
        holder.heatUp();
        Asking other = new Asking(2, HUNDRED, Remembering.DENIALS);
        other.take(available());
        assertThat(other.take(1).verdict()).isEqualTo(Verdict.DENIED);
        int sent = owners.sent();
        assertThat(other.take(1).source()).isEqualTo(Source.DENY_CACHE);
        assertThat(owners.sent()).isEqualTo(sent);

        holder.close();
        pass(Denial.LONGEST_GAP.toNanos());

        assertThat(other.take(1).verdict()).isEqualTo(Verdict.GRANTED);
    }

    @Test
    void aLoweredLimitLendsNothingWhileMoreIsOutThanItHolds() {
        Asking node = new Asking(1, Rules.rule(1_000, 1, Duration.ofDays(365)), Remembering.ALL);
        for (int i = 0; i < 300; i++) {
            node.take(1);
        }
        long held = lent();
        assertThat(held).isGreaterThan(20);
        Rule lowered = new Rule(2, Rules.rule(20, 100, Duration.ofSeconds(1)).algorithm());
        Asking changed = new Asking(2, lowered, Remembering.ALL);
        for (int i = 0; i < 10; i++) {
            pass(MILLI * 40);
            assertThat(changed.take(1).verdict()).isEqualTo(Verdict.DENIED);
        }
        assertThat(available()).isZero();
        assertThat(lent()).isEqualTo(held);
    }

    @Test
    void refillAfterAnExpiryDoesNotMakeUpForTheTimeBefore() {
        Rule hundred = Rules.rule(100, 100, Duration.ofSeconds(1));
        Asking node = new Asking(1, hundred, Remembering.ALL);
        node.heatUp();
        long held = lent();
        long expiry = stored().records().get(0).expiryNanos();
        pass(expiry - owners.nowNanos);

        assertThat(available()).as("as far as was allowed while it was out").isEqualTo(100 - held);
        pass(10 * MILLI);
        assertThat(available()).as("one more").isEqualTo(100 - held + 1);
    }

    @Test
    void anExpiredLeaseDoesNotComeBackWithAnOlderClock() {
        Asking node = node(1);
        node.heatUp();
        pass(Duration.ofMinutes(1).toNanos());
        node(2).take(1); // writes, and so ends it for good
        owners.nowNanos -= Duration.ofMinutes(1).toNanos();
        node(3).take(1); // an owner whose clock is behind

        assertThat(lent()).isZero();
    }

    @Test
    void aRefundOnAHotKeyEndsItsDenial() {
        Asking node = node(1);
        node.heatUp();
        node.take(100 - 4); // with what is held
        while (node.take(1).verdict() == Verdict.GRANTED) {
            // empties the bucket
        }
        pass(Denial.LONGEST_GAP.toNanos());
        node.buckets.decide("key", List.of(new Request.Take(10), new Request.GiveBack(50)), DEADLINE);
        answerAll();

        assertThat(node.take(10).verdict()).isEqualTo(Verdict.GRANTED);
    }

    @Test
    void aPeekEndsNoDenial() {
        Asking node = new Asking(1, HUNDRED, Remembering.DENIALS);
        node.take(50);
        node.take(60);
        int sent = owners.sent();
        node.take(0);
        node.take(1);

        assertThat(node.take(60).source()).isEqualTo(Source.DENY_CACHE);
        assertThat(owners.sent()).isEqualTo(sent + 2);
    }

    @Test
    void aDenialFromMemoryCountsWhatIsHeld() {
        Asking node = node(1);
        node.take(50);
        assertThat(node.take(60).verdict()).isEqualTo(Verdict.DENIED);
        node.heatUp();
        Answer denied = node.take(60);

        assertThat(denied.source()).isEqualTo(Source.DENY_CACHE);
        assertThat(denied.held()).isEqualTo(lent() - 1).isPositive();
    }

    @Test
    void aFloodOfKeysIsRememberedUpToABoundAndThenForgotten() {
        Asking node = node(1);
        for (int i = 0; i < 100_000; i++) {
            node.buckets.takeAsync("key-" + i, 1, DEADLINE);
            owners.answerNext();
        }
        assertThat(node.buckets.lines()).isBetween(1, HazelcastBuckets.MAX_REMEMBERED + 1);

        passTending(400 * MILLI, node);

        assertThat(node.buckets.lines()).isZero();
    }

    @Test
    void aLeaseIsNotForgottenInAFloodOfKeys() {
        Asking node = node(1);
        node.heatUp();
        for (int i = 0; i < HazelcastBuckets.MAX_REMEMBERED + 10; i++) {
            node.buckets.takeAsync("key-" + i, 1, DEADLINE);
            owners.answerNext();
        }
        assertThat(node.take(1).source()).isEqualTo(Source.LEASE);
    }

    @Test
    void tellsWhatWasLastHeardOfABucketWithoutAskingAndWithoutWhatItHolds() {
        Asking node = new Asking(1, HUNDRED, Remembering.ALL);
        assertThat(node.buckets.lastKnown("key")).isEmpty();
        long granted = node.heatUp();
        int sent = owners.sent();
        pass(3 * MILLI);

        LastKnown known = node.buckets.lastKnown("key").orElseThrow();

        assertThat(known.state().level(0)).isEqualTo(available()).isLessThan(100 - granted);
        assertThat(known.ageNanos()).isEqualTo(3 * MILLI);
        assertThat(node.buckets.lastKnown("key").orElseThrow().state()).isSameAs(known.state());
        assertThat(owners.sent()).isEqualTo(sent);
    }

    @Test
    void tellsWhatWasLastHeardOfAKeyThatIsNotAskedForAnyMoreAndOnceClosed() {
        Asking node = new Asking(1, HUNDRED, Remembering.DENIALS);
        node.take(30);
        assertThat(node.buckets.lines()).isZero();
        passTending(60_000 * MILLI, node);

        LastKnown known = node.buckets.lastKnown("key").orElseThrow();
        assertThat(known.state().level(0)).isEqualTo(70);
        assertThat(known.ageNanos()).isEqualTo(60_000 * MILLI);

        node.take(70);
        node.take(1); // a denial, which keeps the line
        assertThat(node.buckets.lines()).isEqualTo(1);
        node.close();
        assertThat(node.buckets.lastKnown("key").orElseThrow().state().level(0)).isZero();
    }

    /** What is lent stays lent: who holds it may have spent it. */
    @Test
    void chargesWhatIsAvailableAndLeavesLeasesAlone() {
        Asking node = new Asking(1, HUNDRED, Remembering.ALL);
        node.heatUp();
        Asking other = new Asking(2, HUNDRED, Remembering.NOTHING);
        long lent = lent();
        assertThat(lent).isPositive();

        CompletableFuture<List<Answer>> charged =
                other.buckets.decide("key", List.of(new Request.Charge(1_000)), DEADLINE);
        answerAll();

        assertThat(charged.join().get(0).verdict()).isEqualTo(Verdict.GRANTED);
        assertThat(available()).isZero();
        assertThat(lent()).isEqualTo(lent);
        assertThat(node.take(1).source()).isEqualTo(Source.LEASE);
    }
}
