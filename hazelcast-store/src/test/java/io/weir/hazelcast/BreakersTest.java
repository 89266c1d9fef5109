package io.weir.hazelcast;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.hazelcast.nio.serialization.HazelcastSerializationException;
import io.weir.store.Answer;
import io.weir.store.Source;
import io.weir.store.StoreUnavailableException;
import io.weir.store.StoreUnavailableException.Reason;
import java.time.Duration;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Owners that do not answer, through the buckets that ask them. */
@SuppressWarnings("FutureReturnValueIgnored") // what is asked is to fail
class BreakersTest {

    private static final long MILLI = 1_000_000;
    private static final long DEADLINE = 50 * MILLI;

    private long now;
    private final FakeOwners owners = new FakeOwners();
    private final Deadlines deadlines = new Deadlines(() -> now);
    private final Node node = new Node(
            new UUID(7, 7),
            () -> now,
            owners,
            new OwnerClocks(() -> now, () -> owners.nowNanos),
            Runnable::run,
            (completion, refused) -> completion.run(),
            deadlines,
            100_000);
    private final HazelcastBuckets buckets =
            new HazelcastBuckets(node, "limit", Rules.TEN_A_SECOND, Remembering.NOTHING);

    @Test
    void anOwnerThatDoesNotAnswerIsNotAskedAnyMore() {
        fall(Breaker.FAILURES - 1);
        assertThat(ask("key")).as("it may still answer this one").isNotDone();
        pass(DEADLINE);

        int sent = owners.sent();
        assertUnreachable(ask("key"));
        assertUnreachable(ask("one more of its keys"));
        assertThat(owners.sent()).as("without a call").isEqualTo(sent);
        assertThat(ask("other")).as("a key of another owner").isNotDone();
    }

    @Test
    void aThreadThatWouldWaitIsToldAtOnce() {
        fall(Breaker.FAILURES);
        StoreUnavailableException failure =
                catchThrowableOfType(StoreUnavailableException.class, () -> buckets.take("key", 1, DEADLINE));

        assertThat(failure.reason()).isEqualTo(Reason.UNREACHABLE);
        assertThat(failure.getMessage()).contains("does not answer in time");
        assertThat(failure.getStackTrace()).isEmpty();
    }

    @Test
    void whoQueuedBehindACallThatFailedIsToldAtOnce() {
        fall(Breaker.FAILURES - 1);
        while (!owners.isIdle()) {
            owners.next();
        }
        ask("key");
        CompletableFuture<Answer> queued = ask("key");
        owners.failNext(new IllegalStateException("not active"));

        assertUnreachable(queued);
    }

    @Test
    void aProbeFindsOutThatItAnswersAgain() {
        fall(Breaker.FAILURES);
        while (!owners.isIdle()) {
            owners.next(); // lost
        }
        tend();
        FakeOwners.Sent probe = owners.next();
        assertThat(probe.key()).startsWith(Probes.PREFIX);
        assertThat(owners.to(probe.key()).partition())
                .as("a bucket beside the one that was not reached")
                .isEqualTo(owners.to("limit:key").partition());
        assertUnreachable(ask("key"));

        CallAnswer answer = owners.run(probe);
        assertThat(owners.entry(probe.key()).getValue())
                .as("written, and so backed up")
                .isNotNull();
        probe.callback().ended(answer, null);

        assertThat(ask("key")).isNotDone();
        owners.answerNext();
        assertThat(node.breakers().anyOpen()).isFalse();
    }

    @Test
    void aProbeThatIsAnsweredTooLateClosesNothing() {
        fall(Breaker.FAILURES);
        while (!owners.isIdle()) {
            owners.next();
        }
        tend();
        FakeOwners.Sent probe = owners.next();
        CallAnswer answer = owners.run(probe);
        pass(DEADLINE + 1);
        probe.callback().ended(answer, null);

        assertUnreachable(ask("key"));
    }

    @Test
    void aProbeThatAnotherOwnerAnswersClosesNothing() {
        fall(Breaker.FAILURES);
        while (!owners.isIdle()) {
            owners.next();
        }
        tend();
        owners.answering = FakeOwners.OTHER_OWNER; // the partition has moved while it was on its way
        owners.answerNext();

        assertUnreachable(ask("key"));
    }

    @Test
    void anOwnerThatOwnsNothingAnyMoreIsNotProbed() {
        fall(Breaker.FAILURES);
        owners.owner = FakeOwners.OTHER_OWNER;
        int sent = owners.sent();
        tend();
        assertThat(owners.sent()).isEqualTo(sent);
        assertThat(ask("key")).as("its keys are another's").isNotDone();

        owners.owner = FakeOwners.OWNER;
        pass(200 * MILLI);
        tend();
        assertThat(owners.sent()).as("that call, and a probe").isEqualTo(sent + 2);
    }

    /** As when Hazelcast has been shut down, and takes its serialization along. */
    @Test
    void anOwnerThatCannotEvenBeLookedUpIsAnOutage() {
        fall(Breaker.FAILURES);
        owners.lost = new IllegalStateException("not active");

        assertUnreachable(ask("key"));
        assertThat(catchThrowableOfType(StoreUnavailableException.class, () -> buckets.take("key", 1, DEADLINE))
                        .reason())
                .isEqualTo(Reason.UNREACHABLE);
        tend(); // throws nothing
    }

    @Test
    void whoIsLateAlreadyIsNotSent() {
        ask("key");
        ask("key"); // queues up
        now += DEADLINE;
        owners.answerNext();

        assertThat(owners.sent()).isEqualTo(1);
    }

    @Test
    void ownersThatAreNoMembersAreForgotten() {
        fall(Breaker.FAILURES);
        ask("other");
        node.forgetAllBut(Set.of(FakeOwners.OTHER_OWNER));

        assertThat(node.breakers().owners()).containsExactly(FakeOwners.OTHER_OWNER);
        assertThat(node.breakers().anyOpen()).isFalse();
    }

    @Test
    void probesBecomeRarerUpToOneASecond() {
        fall(Breaker.FAILURES);
        int before = owners.sent();
        tendFor(Duration.ofMinutes(1));
        assertThat(owners.sent() - before).isBetween(60, 66);
    }

    /** Each of them would be a stack trace or two in that member's log, and it cannot help it. */
    @Test
    void probesBecomeRareWhileAMemberLacksTheClassesAndBeginAnewWhenMembersCome() {
        fall(Breaker.FAILURES);
        failForWantOfClasses("other"); // no probe here is of its keys
        assertFailedWith(ask("other"), Reason.INCOMPATIBLE);
        int before = owners.sent();
        tendFor(Probes.LASTING_INTERVAL.multipliedBy(4));
        assertThat(owners.sent() - before).as("to the owner beside it").isBetween(9, 13);

        int rare = owners.sent();
        node.membersChanged();
        tendFor(Duration.ofSeconds(1));
        assertThat(owners.sent() - rare).as("at once, and soon again").isEqualTo(4);

        node.forget(FakeOwners.OTHER_OWNER);
        int gone = owners.sent();
        tendFor(Duration.ofSeconds(60));
        assertThat(owners.sent() - gone).as("as ever").isBetween(55, 65);
    }

    private void failForWantOfClasses(String key) {
        while (!owners.isIdle()) {
            owners.next();
        }
        for (int i = 0; i < Breaker.FAILURES; i++) {
            ask(key);
            owners.failNext(new HazelcastSerializationException("no factory"));
        }
    }

    private void tendFor(Duration length) {
        for (long tenths = 0; tenths < length.toMillis() / 100; tenths++) {
            tend();
            now += 100 * MILLI;
        }
    }

    @Test
    void anAnswerToACallThatWasGivenUpIsNoSuccess() {
        for (int i = 0; i < Breaker.FAILURES; i++) {
            assertThat(node.breakers().anyOpen()).isFalse();
            ask("key");
            FakeOwners.Sent slow = owners.next();
            CallAnswer answer = owners.run(slow);
            pass(DEADLINE);
            slow.callback().ended(answer, null);
        }
        assertThat(node.breakers().anyOpen()).isTrue();
    }

    @Test
    void oneFailureInTwoIsTooManyAndFewerAreNot() {
        for (int i = 0; i < 100; i++) {
            ask("key");
            if (i % 5 < 2) {
                owners.failNext(new IllegalStateException("lost"));
            } else {
                owners.answerNext();
            }
            assertThat(node.breakers().anyOpen()).as("call %s", i).isFalse();
        }
        for (int i = 0; i < 10; i++) {
            ask("key");
            if (!owners.isIdle()) {
                owners.failNext(new IllegalStateException("lost"));
            }
        }
        assertThat(node.breakers().anyOpen()).isTrue();
    }

    /** An owner at the end of a slow link is too slow for one limit, and not for another. */
    @Test
    void aLimitWithAShortDeadlineDoesNotTurnAwayThoseWithALongOne() {
        fall(Breaker.FAILURES);
        CompletableFuture<Answer> patient = buckets.takeAsync("patient", 1, 4 * DEADLINE);
        assertThat(patient).isNotDone();
        pass(4 * DEADLINE);

        assertUnreachable(buckets.takeAsync("patient", 1, 4 * DEADLINE));
        assertThat(buckets.takeAsync("patient", 1, 8 * DEADLINE)).isNotDone();
    }

    @Test
    void aFailureThatNoPatienceWouldHelpCountsForAll() {
        for (int i = 0; i < Breaker.FAILURES; i++) {
            ask("key");
            owners.failNext(new IllegalStateException("not active"));
        }
        assertUnreachable(buckets.takeAsync("key", 1, Duration.ofHours(1).toNanos()));
    }

    @Test
    void aCallThatWasHardlyGivenAChanceSaysNothing() {
        for (int i = 0; i < 3 * Breaker.OF_CALLS; i++) {
            buckets.takeAsync("key", 1, MILLI);
            pass(MILLI);
            ask("key again");
            FakeOwners.Sent first = owners.next();
            owners.answerNext(); // the owner is alive
            first.callback().ended(null, new IllegalStateException("much later"));
        }
        assertThat(node.breakers().anyOpen()).isFalse();
    }

    @Test
    void manyCallsThatWereHardlyGivenAChanceSaySomethingTogether() {
        for (int i = 0; i < 40; i++) {
            buckets.takeAsync("key", 1, MILLI);
            pass(MILLI);
        }
        assertThat(node.breakers().anyOpen()).isTrue();
    }

    @Test
    void aNodeThatWasHeldUpItselfBlamesNobody() {
        for (int i = 0; i < Breaker.OF_CALLS; i++) {
            ask("key" + i);
        }
        now += Duration.ofSeconds(2).toNanos();
        deadlines.sweep();
        assertThat(node.breakers().anyOpen()).isFalse();

        CompletableFuture<Answer> sentBefore = ask("key");
        tend();
        now += DEADLINE;
        deadlines.sweep();
        assertThat(sentBefore).isCompletedExceptionally();
        assertThat(node.breakers().anyOpen())
                .as("it was tended after that was sent")
                .isFalse();
    }

    @Test
    void anOwnerThatLeavesTakesItsBreakerAlong() {
        ask("key");
        FakeOwners.Sent late = owners.next();
        fall(Breaker.FAILURES);
        node.forget(FakeOwners.OWNER);
        assertThat(node.breakers().anyOpen()).isFalse();

        for (int i = 0; i < Breaker.OF_CALLS; i++) {
            late.callback().ended(null, new IllegalStateException("the member left"));
        }
        assertThat(node.breakers().anyOpen())
                .as("what it still owed counts against nobody")
                .isFalse();
        assertThat(ask("key")).isNotDone();
    }

    @Test
    void whatIsLeasedIsSpentWhileTheOwnerIsAway() {
        HazelcastBuckets leasing =
                new HazelcastBuckets(node, "hot", Rules.rule(1_000, 1_000, Duration.ofSeconds(1)), Remembering.ALL);
        for (int i = 0; i < 30; i++) {
            leasing.takeAsync("key", 1, DEADLINE);
            while (!owners.isIdle()) {
                owners.answerNext();
            }
            pass(5 * MILLI);
        }
        Answer leased = leasing.takeAsync("key", 1, DEADLINE).join();
        assertThat(leased.source()).isEqualTo(Source.LEASE);

        fall(Breaker.FAILURES);
        assertUnreachable(ask("key"));
        assertThat(leasing.takeAsync("key", 1, DEADLINE).join().source()).isEqualTo(Source.LEASE);
    }

    private CompletableFuture<Answer> ask(String key) {
        return buckets.takeAsync(key, 1, DEADLINE);
    }

    /** Calls that nobody answers, one after another. */
    private void fall(int calls) {
        for (int i = 0; i < calls; i++) {
            ask("key");
            pass(DEADLINE);
        }
    }

    /** Time goes by on a node that is not held up. */
    private void pass(long nanos) {
        now += nanos;
        owners.nowNanos += nanos;
        node.breakers().tend();
        deadlines.sweep();
    }

    private void tend() {
        node.tend();
    }

    private static void assertUnreachable(CompletableFuture<Answer> answer) {
        assertFailedWith(answer, Reason.UNREACHABLE);
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
