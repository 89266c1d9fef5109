package io.weir.hazelcast;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.hazelcast.core.OperationTimeoutException;
import com.hazelcast.nio.serialization.HazelcastSerializationException;
import io.weir.algorithm.Request;
import io.weir.algorithm.Verdict;
import io.weir.store.Answer;
import io.weir.store.StoreUnavailableException;
import io.weir.store.StoreUnavailableException.Reason;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** One node's side of calls, over a network that does what the test says, on a clock that the test moves. */
@SuppressWarnings("FutureReturnValueIgnored") // some calls are only made to be in the way of others
class HazelcastBucketsTest {

    private static final long DEADLINE = 50_000_000;

    /** So long that this node must have been held up, which it holds against no owner. */
    private static final long HELD_UP =
            Breakers.TENDING_INTERVAL.multipliedBy(10).toNanos();

    private final FakeOwners owners = new FakeOwners();
    private long now = 7;
    private Executor users = new CompletingHere();
    private final Continuations continuations = new PooledContinuations(task -> users.execute(task));
    private final Deadlines deadlines = new Deadlines(() -> now);
    private final Node node = new Node(
            new UUID(1, 1),
            () -> now,
            owners,
            new OwnerClocks(() -> now, () -> owners.nowNanos),
            Runnable::run,
            continuations,
            deadlines,
            1_000);
    private final HazelcastBuckets buckets =
            new HazelcastBuckets(node, "limit", Rules.TEN_A_SECOND, Remembering.NOTHING);

    @Test
    void oneCallForEachCheckWhenNobodyElseAsks() {
        for (int i = 0; i < 5; i++) {
            CompletableFuture<Answer> answer = ask(1);
            owners.answerNext();
            assertThat(answer.join().verdict()).isEqualTo(Verdict.GRANTED);
        }
        assertThat(owners.sent()).isEqualTo(5);
        assertThat(buckets.lines()).as("idle keys leave nothing behind").isZero();
    }

    @Test
    void whoComesWhileACallIsInFlightLeavesWithTheNextInOrder() {
        CompletableFuture<Answer> first = ask(1);
        List<CompletableFuture<Answer>> later =
                IntStream.range(0, 12).mapToObj(i -> ask(1)).toList();
        assertThat(owners.sent()).isEqualTo(1);

        owners.answerNext();
        assertThat(first).isCompleted();
        assertThat(owners.sent()).isEqualTo(2);

        owners.answerNext();
        assertThat(later.stream().map(CompletableFuture::join).map(Answer::verdict))
                .containsExactlyElementsOf(IntStream.range(0, 12)
                        .mapToObj(i -> i < 9 ? Verdict.GRANTED : Verdict.DENIED)
                        .toList());
        assertThat(owners.isIdle()).isTrue();
    }

    @Test
    void keysDoNotWaitForOneAnother() {
        buckets.takeAsync("a", 1, DEADLINE);
        buckets.takeAsync("b", 1, DEADLINE);
        assertThat(owners.sent()).isEqualTo(2);
    }

    @Test
    void aCallCarriesABoundedNumberOfRequests() {
        ask(1);
        List<Request> many = Collections.nCopies(100, new Request.Take(0));
        for (int i = 0; i < 5; i++) {
            buckets.decide("key", many, DEADLINE);
        }
        owners.answerNext(); // the first, then 200, 200, 100: a waiter's requests are never torn apart
        owners.answerNext();
        owners.answerNext();
        assertThat(owners.sent()).isEqualTo(4);
        owners.answerNext();
        assertThat(owners.sent()).isEqualTo(4);
    }

    @Test
    void nobodyWaitsPastTheDeadlineAndTheCallIsGivenUp() {
        CompletableFuture<Answer> answer = ask(1);
        FakeOwners.Sent lost = owners.next();
        now += DEADLINE - 1;
        deadlines.sweep();
        assertThat(answer).isNotDone();
        now += 1;
        deadlines.sweep();

        assertFailedWith(answer, Reason.DEADLINE);
        assertThat(buckets.lines()).isZero();

        CompletableFuture<Answer> next = ask(1);
        lost.callback().ended(owners.run(lost), null); // its answer comes after all, and means nothing any more (L1)
        assertThat(next).isNotDone();
        owners.answerNext();
        assertThat(next.join().verdict()).isEqualTo(Verdict.GRANTED);
    }

    @Test
    void aCallInFlightIsHeldUntilItsLatestWaiterLeaves() {
        ask(1);
        CompletableFuture<Answer> brief = buckets.takeAsync("key", 1, DEADLINE / 2);
        CompletableFuture<Answer> patient = buckets.takeAsync("key", 1, 10 * DEADLINE);
        owners.answerNext();
        now += DEADLINE;
        deadlines.sweep();

        assertFailedWith(brief, Reason.DEADLINE);
        assertThat(owners.sent()).isEqualTo(2);
        owners.answerNext();
        assertThat(patient.join().verdict()).isEqualTo(Verdict.GRANTED);
    }

    @Test
    void aCallThatRunsAfterItWasGivenUpChargesNothing() {
        learnTheOwnersClock();
        CompletableFuture<Answer> answer = ask(5);
        FakeOwners.Sent late = owners.next();
        now += DEADLINE;
        owners.nowNanos += DEADLINE + 10_000_000; // beyond the error that the deadline was sent with
        deadlines.sweep();
        assertFailedWith(answer, Reason.DEADLINE);

        owners.run(late);
        assertThat(levelOf(peek())).isEqualTo(10);
    }

    @Test
    void aCallThatWasGivenUpAndThenOvertakenChargesNothing() {
        ask(5);
        FakeOwners.Sent slow = owners.next();
        now += DEADLINE;
        deadlines.sweep(); // given up on this side; in time for the owner, whose clock stood still

        CompletableFuture<Answer> next = ask(1);
        owners.answerNext();
        assertThat(next.join().verdict()).isEqualTo(Verdict.GRANTED);
        assertThat(owners.run(slow).outcome()).isEqualTo(CallAnswer.Outcome.SUPERSEDED);
        assertThat(levelOf(peek())).isEqualTo(9);
    }

    @Test
    void sendsAgainWhatAnOwnerWithAnotherClockFoundLate() {
        learnTheOwnersClock();
        owners.nowNanos += 3_600_000_000_000L; // its clock was set
        int before = owners.sent();
        CompletableFuture<Answer> first = ask(4);
        CompletableFuture<Answer> second = ask(3);
        owners.answerNext();
        assertThat(first).isNotDone();
        owners.answerNext();

        assertThat(first.join().verdict()).isEqualTo(Verdict.GRANTED);
        assertThat(second.join().verdict()).as("in order still").isEqualTo(Verdict.GRANTED);
        assertThat(owners.sent() - before).isEqualTo(2);
        assertThat(levelOf(peek())).isEqualTo(3);
    }

    @Test
    void givesUpOnAnOwnerWhoseClockJumpsEachTime() {
        learnTheOwnersClock();
        CompletableFuture<Answer> answer = ask(1);
        while (!owners.isIdle()) {
            owners.nowNanos += 3_600_000_000_000L;
            owners.answerNext();
        }
        assertFailedWith(answer, Reason.UNREACHABLE);
    }

    @Test
    void aFailedCallFailsItsWaitersOnceAndTheNextGoesOut() {
        CompletableFuture<Answer> first = ask(1);
        CompletableFuture<Answer> second = ask(1);
        owners.failNext(new OperationTimeoutException("EntryOperation of key alice"));

        assertFailedWith(first, Reason.UNREACHABLE);
        assertThatThrownBy(first::join).hasMessageNotContaining("alice");
        owners.answerNext();
        assertThat(second.join().verdict()).isEqualTo(Verdict.GRANTED);
    }

    @Test
    void namesTheJarThatAMemberLacks() {
        CompletableFuture<Answer> answer = ask(1);
        owners.failNext(new CompletionException(new HazelcastSerializationException("no factory 87347")));

        assertFailedWith(answer, Reason.INCOMPATIBLE);
        assertThatThrownBy(answer::join).hasMessageContaining("hazelcast-store");
    }

    @Test
    void aBugOnTheOwnerIsNotMistakenForAnOutage() {
        CompletableFuture<Answer> answer = ask(1);
        FakeOwners.Sent sent = owners.next();
        sent.callback()
                .ended(CallAnswer.failed(FakeOwners.OWNER, owners.nowNanos, new ArithmeticException("planted")), null);

        assertThatThrownBy(answer::join)
                .cause()
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("ArithmeticException: planted");
    }

    /** A passive cluster, for one, fails calls with a plain exception of the JDK's. */
    @Test
    void whateverHazelcastFailsWithIsAnOutage() {
        for (RuntimeException failure : List.of(
                new IllegalStateException("Cluster is in PASSIVE state! Operation: key alice"),
                new NullPointerException("of Hazelcast's"))) {
            CompletableFuture<Answer> answer = ask(1);
            owners.failNext(failure);
            assertFailedWith(answer, Reason.UNREACHABLE);
            assertThatThrownBy(answer::join).hasMessageNotContaining("alice");
        }
    }

    @Test
    void noAnswerAtAllIsAnOutage() {
        CompletableFuture<Answer> answer = ask(1);
        owners.next().callback().ended(null, null);

        assertFailedWith(answer, Reason.UNREACHABLE);
    }

    @Test
    void boundsHowManyFuturesWait() {
        List<CompletableFuture<Answer>> waiting = new ArrayList<>();
        for (int i = 0; i < 1_000; i++) {
            waiting.add(ask(0));
        }
        assertFailedWith(ask(0), Reason.OVERLOADED);
        while (!owners.isIdle()) {
            owners.answerNext();
        }
        assertThat(waiting).allMatch(CompletableFuture::isDone);
        ask(0);
        assertThat(owners.isIdle()).as("room again").isFalse();
    }

    @Test
    void anOwnerThatHangsDoesNotUseUpTheRoomOfOthers() {
        for (int i = 0; i < Breaker.MAX_CALLS_OUT; i++) {
            buckets.takeAsync("key" + i, 1, DEADLINE);
            now += HELD_UP;
            deadlines.sweep(); // nobody waits any more, but Hazelcast still has the call
        }
        assertFailedWith(ask(1), Reason.OVERLOADED);
        assertThat(buckets.takeAsync("other", 1, DEADLINE)).isNotDone();
        assertThat(owners.sent()).isEqualTo(Breaker.MAX_CALLS_OUT + 1);

        owners.answerNext();
        assertThat(ask(1)).isNotDone();
    }

    @Test
    void anOwnerThatLeavesTakesItsCallsAlong() {
        for (int i = 0; i < Breaker.MAX_CALLS_OUT; i++) {
            buckets.takeAsync("key" + i, 1, DEADLINE);
            now += HELD_UP;
            deadlines.sweep();
        }
        node.forget(FakeOwners.OWNER);
        assertThat(ask(1)).isNotDone();
        owners.answerNext(); // an end that comes after that is not counted against anybody
        assertThat(ask(1)).isNotDone();
    }

    /** A thread that is held up between departure and sending must not send what has been given up meanwhile (L1). */
    @Test
    void aCallThatWasGivenUpBeforeItWasSentIsNotSent() {
        owners.whileOwnerIsLookedUp = () -> {
            owners.whileOwnerIsLookedUp = () -> {};
            now += DEADLINE;
            deadlines.sweep();
        };
        CompletableFuture<Answer> heldUp = ask(5);
        assertFailedWith(heldUp, Reason.DEADLINE);
        assertThat(owners.sent()).isZero();

        CompletableFuture<Answer> next = ask(1);
        owners.answerNext();
        assertThat(next.join().verdict()).isEqualTo(Verdict.GRANTED);
        assertThat(levelOf(peek())).isEqualTo(9);
    }

    @Test
    void anErrorWhileSendingReachesTheCallerAndLeavesNothingBehind() {
        owners.refusal = new NoSuchMethodError("planted");
        assertThatThrownBy(ask(1)::join).hasCauseInstanceOf(NoSuchMethodError.class);
        assertThatThrownBy(() -> buckets.take("key", 1, DEADLINE)).isInstanceOf(NoSuchMethodError.class);
        owners.refusal = null;

        CompletableFuture<Answer> next = ask(1);
        owners.answerNext();
        assertThat(next.join().verdict()).isEqualTo(Verdict.GRANTED);
        assertThat(buckets.lines()).isZero();
    }

    @Test
    void anExecutorThatRefusesFailsTheFutureRatherThanHangingIt() {
        for (Throwable refusal : List.of(new RejectedExecutionException("planted"), new OutOfMemoryError("planted"))) {
            users = task -> sneakilyThrow(refusal);
            CompletableFuture<Answer> answer = ask(1);
            owners.answerNext();

            assertThatThrownBy(answer::join)
                    .cause()
                    .isInstanceOfSatisfying(
                            StoreUnavailableException.class,
                            failure -> assertThat(failure.reason()).isEqualTo(Reason.OVERLOADED));
        }
    }

    /** Continuations of futures whose executor refused may wait for one another, and for later calls. */
    @Test
    void refusedContinuationsStarveNobody() {
        users = task -> {
            throw new RejectedExecutionException("planted");
        };
        CompletableFuture<Answer> first = buckets.takeAsync("first", 1, DEADLINE);
        CompletableFuture<Answer> second = buckets.takeAsync("second", 1, DEADLINE);
        CompletableFuture<Boolean> waiting = first.handle((none, refused) -> {
            assertThatThrownBy(second::join).hasCauseInstanceOf(StoreUnavailableException.class);
            return true;
        });
        owners.answerNext();
        owners.answerNext();

        assertThat(waiting.join()).isTrue();
    }

    @Test
    void anExecutorThatRunsOnTheSpotDoesNotRunOnTheThreadThatBringsTheAnswer() {
        users = Runnable::run;
        CompletableFuture<String> thread =
                ask(1).thenApply(answer -> Thread.currentThread().getName());
        owners.answerNext();

        assertThat(thread.join()).startsWith("weir-continuation-");
    }

    @SuppressWarnings("unchecked")
    private static <T extends Throwable> void sneakilyThrow(Throwable thrown) throws T {
        throw (T) thrown;
    }

    @Test
    void aThreadThatWaitsLeavesAtItsDeadlineOnTime() {
        List<StoreUnavailableException> failures = new ArrayList<>();
        HazelcastBuckets impatient = new HazelcastBuckets(ticking(), "limit", Rules.TEN_A_SECOND, Remembering.NOTHING);

        assertThatExceptionOfType(StoreUnavailableException.class)
                .isThrownBy(() -> impatient.take("key", 1, DEADLINE))
                .satisfies(failures::add);
        assertThat(failures.get(0).reason()).isEqualTo(Reason.DEADLINE);
        assertThat(impatient.lines()).isZero();
    }

    @Test
    void anInterruptIsKeptAndDoesNotEndTheWait() {
        Node ticking = ticking();
        HazelcastBuckets impatient = new HazelcastBuckets(ticking, "limit", Rules.TEN_A_SECOND, Remembering.NOTHING);
        Thread.currentThread().interrupt();

        assertThatExceptionOfType(StoreUnavailableException.class)
                .isThrownBy(() -> impatient.take("key", 1, DEADLINE))
                .matches(failure -> failure.reason() == Reason.DEADLINE);
        assertThat(Thread.interrupted()).isTrue();
    }

    @Test
    void closingEndsEveryWait() {
        CompletableFuture<Answer> inFlight = ask(1);
        CompletableFuture<Answer> queued = ask(1);
        node.close();
        buckets.close(() -> true, () -> {});

        assertFailedWith(inFlight, Reason.CLOSED);
        assertFailedWith(queued, Reason.CLOSED);
        assertFailedWith(ask(1), Reason.CLOSED);
        owners.answerNext(); // an answer that is late for the close harms nobody
        assertThat(buckets.lines()).isZero();
    }

    /** A node on a clock that goes on by a millisecond whenever it is read, so that waiting takes no real time. */
    private Node ticking() {
        return new Node(
                new UUID(1, 1),
                () -> now += 1_000_000,
                owners,
                new OwnerClocks(() -> now, () -> owners.nowNanos),
                Runnable::run,
                continuations,
                deadlines,
                1_000);
    }

    private CompletableFuture<Answer> ask(long permits) {
        return buckets.takeAsync("key", permits, DEADLINE);
    }

    private Answer peek() {
        CompletableFuture<Answer> answer = ask(0);
        owners.answerNext();
        return answer.join();
    }

    private void learnTheOwnersClock() {
        peek();
    }

    private static long levelOf(Answer answer) {
        return answer.state().level(0);
    }

    private static void assertFailedWith(CompletableFuture<Answer> answer, Reason reason) {
        assertThat(answer).isCompletedExceptionally();
        assertThatThrownBy(answer::join)
                .cause()
                .isInstanceOfSatisfying(
                        StoreUnavailableException.class,
                        failure -> assertThat(failure.reason()).isEqualTo(reason));
    }
}
