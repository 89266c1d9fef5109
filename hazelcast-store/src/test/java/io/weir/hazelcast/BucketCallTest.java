package io.weir.hazelcast;

import static org.assertj.core.api.Assertions.assertThat;

import com.hazelcast.core.HazelcastInstance;
import io.weir.algorithm.Algorithm;
import io.weir.algorithm.Bandwidth;
import io.weir.algorithm.Request;
import io.weir.algorithm.Rule;
import io.weir.algorithm.State;
import io.weir.algorithm.Verdict;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class BucketCallTest {

    private static final long SECOND = 1_000_000_000;
    private static final UUID NODE = new UUID(1, 1);
    private static final UUID OTHER_NODE = new UUID(2, 2);

    private final FakeEntry entry = new FakeEntry();
    private long now = 1_000 * SECOND;
    private boolean awake = true;
    private int reachable = 3;
    private final HazelcastInstance member =
            memberWith(new Owner(() -> new UUID(9, 9), () -> now, () -> awake, rule -> rule.part(reachable, 3)));

    @Test
    void chargesAndSaysWhatIsLeft() {
        CallAnswer answer = run(take(NODE, 1, 3));

        assertThat(answer.outcome()).isEqualTo(CallAnswer.Outcome.DECIDED);
        assertThat(answer.verdicts()).containsExactly(Verdict.GRANTED);
        assertThat(levelOf(answer)).isEqualTo(7);
        assertThat(answer.ownerNanos()).isEqualTo(now);
        assertThat(entry.writes()).isEqualTo(1);
    }

    @Test
    void deliveredTwiceChargesOnceAndAnswersTheSame() {
        BucketCall call = take(NODE, 1, 3);
        CallAnswer first = run(call);
        CallAnswer again = run(call);
        CallAnswer onAnotherCopy = run(take(NODE, 1, 3));

        assertThat(again.verdicts()).isEqualTo(first.verdicts());
        assertThat(onAnotherCopy.verdicts()).isEqualTo(first.verdicts());
        assertThat(levelOf(again)).isEqualTo(7);
        assertThat(entry.writes()).isEqualTo(1);
        assertThat(call.getBackupProcessor())
                .as("its answer, too, waits for the backup")
                .isNotNull();
    }

    @Test
    void refusesACallThatItsNodeHasGivenUp() {
        run(take(NODE, 2, 1));
        CallAnswer late = run(take(NODE, 1, 5));

        assertThat(late.outcome()).isEqualTo(CallAnswer.Outcome.SUPERSEDED);
        assertThat(late.ownerNanos()).as("refusals tell the time too (L14)").isEqualTo(now);
        assertThat(levelOf(run(peek()))).isEqualTo(9);
    }

    @Test
    void numbersOfOneNodeSayNothingOfAnothers() {
        run(take(NODE, 5, 1));

        assertThat(run(take(OTHER_NODE, 1, 1)).verdicts()).containsExactly(Verdict.GRANTED);
        assertThat(run(take(NODE, 5, 1)).verdicts()).containsExactly(Verdict.GRANTED);
        assertThat(levelOf(run(peek()))).isEqualTo(8);
    }

    @Test
    void deliveredAfterItsDeadlineChargesNothing() {
        BucketCall call = call(NODE, 1, Rules.TEN_A_SECOND, timed(3, now));
        now += 1;

        assertThat(run(call).verdicts()).containsExactly((Verdict) null);
        assertThat(entry.writes()).isZero();
        assertThat(entry.getValue()).isNull();
    }

    @Test
    void eachRequestOfACallHasItsOwnDeadline() {
        BucketCall call = call(NODE, 1, Rules.TEN_A_SECOND, timed(1, now + 5), timed(2, now + 20), timed(3, now + 5));
        now += 10;
        CallAnswer answer = run(call);

        assertThat(answer.verdicts()).containsExactly(null, Verdict.GRANTED, null);
        assertThat(levelOf(answer)).isEqualTo(8);
        assertThat(run(call).verdicts())
                .as("and the same when it is delivered again")
                .isEqualTo(answer.verdicts());
    }

    @Test
    void decidesInOrderAndTellsWhatIsLeftAfterTheLast() {
        CallAnswer answer =
                run(call(NODE, 1, Rules.TEN_A_SECOND, timed(8, now), timed(5, now), timed(2, now), timed(11, now)));

        assertThat(answer.verdicts()).containsExactly(Verdict.GRANTED, Verdict.DENIED, Verdict.GRANTED, Verdict.NEVER);
        assertThat(levelOf(answer)).isZero();
    }

    @Test
    void aDenialWritesNothingAndHasNoBackup() {
        run(take(NODE, 1, 10));
        BucketCall denied = take(NODE, 2, 1);

        assertThat(run(denied).verdicts()).containsExactly(Verdict.DENIED);
        assertThat(denied.getBackupProcessor()).isNull();
        assertThat(entry.writes()).isEqualTo(1);
    }

    @Test
    void aPeekCreatesNothing() {
        BucketCall peek = peek();

        assertThat(levelOf(run(peek))).isEqualTo(10);
        assertThat(entry.getValue()).isNull();
        assertThat(peek.getBackupProcessor()).isNull();
    }

    @Test
    void theBackupGetsTheComputedBucketAndItsExpiry() {
        BucketCall call = take(NODE, 1, 4);
        run(call);
        FakeEntry backup = new FakeEntry();
        var backupProcessor = call.getBackupProcessor();
        now += 3_600 * SECOND; // a backup's clock is its own, and does not matter

        assertThat(Objects.requireNonNull(backupProcessor).process(backup)).isNull();
        assertThat(backup.getValue()).isEqualTo(entry.getValue());
        assertThat(backup.ttlSeconds()).isEqualTo(entry.ttlSeconds());
    }

    @Test
    void aMemberThatSleptDecidesNothing() {
        awake = false;
        CallAnswer answer = run(take(NODE, 1, 1));

        assertThat(answer.outcome()).isEqualTo(CallAnswer.Outcome.NOT_OWNER);
        assertThat(entry.writes()).isZero();
        awake = true;
        assertThat(run(take(NODE, 1, 1)).verdicts()).containsExactly(Verdict.GRANTED);
    }

    @Test
    void forgetsTheCallsOfOthersOnlyWhenNoRetryCanRunAnyMore() {
        run(call(NODE, 1, Rules.TEN_A_SECOND, timed(1, now + SECOND)));
        now += SECOND + Owner.CLOCK_DISAGREEMENT_NANOS - 1;
        run(take(OTHER_NODE, 1, 1));
        assertThat(entry.getValue().records()).hasSize(2);

        now += 1;
        run(take(OTHER_NODE, 2, 1));
        assertThat(entry.getValue().records())
                .singleElement()
                .satisfies(left -> assertThat(left.node()).isEqualTo(OTHER_NODE));
    }

    @Test
    void livesUntilItIsFullAndNoRetryCanRun() {
        run(call(NODE, 1, Rules.rule(10, 1, Duration.ofSeconds(60)), timed(5, now)));
        assertThat(entry.ttlSeconds()).isEqualTo(300 + 1 + StoredBucket.KEPT_LONGER_SECONDS);
    }

    /** From the instant on at which it is full, no bucket decides the same: AlgorithmTest. */
    @ParameterizedTest
    @EnumSource(Algorithm.Kind.class)
    void livesUntilItIsFullWhateverTheAlgorithm(Algorithm.Kind kind) {
        Rule rule = new Rule(1, kind.with(List.of(Bandwidth.perWindow(10, Duration.ofMinutes(5)))));
        for (int i = 0; i < 100; i++) {
            run(call(NODE, i, rule, timed(1 + i % 3, now)));
            State state = entry.getValue().state();
            long lives = entry.ttlSeconds() - StoredBucket.KEPT_LONGER_SECONDS;

            assertThat(rule.advance(state, 0, state.atNanos() + lives * SECOND).lowestLevel())
                    .as("after %d s: %s", lives, state)
                    .isEqualTo(10);
            assertThat(lives).as("and not for ever").isLessThanOrEqualTo(601);
            now += 17 * SECOND + i;
        }
        assertThat(entry.writes()).isGreaterThan(10);
    }

    @Test
    void livesLongEnoughForItsRecords() {
        run(call(NODE, 1, Rules.rule(10, 10, Duration.ofMillis(1)), timed(5, now + 20 * SECOND)));
        assertThat(entry.ttlSeconds()).isEqualTo(20 + 5 + 1 + StoredBucket.KEPT_LONGER_SECONDS);
    }

    /** The state is ahead of the clock of an owner that took over; the entry must live until it is full all the same. */
    @Test
    void livesLongEnoughAfterTheClockSteppedBack() {
        Rule oneASecond = Rules.rule(60, 1, Duration.ofSeconds(1));
        run(call(NODE, 1, oneASecond, timed(30, now)));
        now -= 14 * SECOND;
        run(call(NODE, 2, oneASecond, timed(30, now)));

        assertThat(entry.ttlSeconds()).isEqualTo(14 + 60 + 1 + StoredBucket.KEPT_LONGER_SECONDS);
    }

    @Test
    void aBugIsAnsweredAsOneAndChargesNothing() {
        run(take(NODE, 1, 1));
        entry.breakWrites();
        CallAnswer answer = run(take(NODE, 2, 1));

        assertThat(answer.outcome()).isEqualTo(CallAnswer.Outcome.FAILED);
        assertThat(answer.problem()).contains("planted");
        assertThat(answer.ownerNanos()).isEqualTo(now);
        assertThat(entry.writes()).isEqualTo(1);
    }

    @Test
    void neverLivesForEver() {
        run(call(NODE, 1, Rules.rule(1_000_000, 1, Duration.ofDays(1)), timed(1_000_000, now)));
        assertThat(entry.ttlSeconds()).isEqualTo(StoredBucket.MAX_TTL_SECONDS);
    }

    @Test
    void givesBackAndTakesInOneCall() {
        run(take(NODE, 1, 10));
        CallAnswer answer = run(
                call(NODE, 2, Rules.TEN_A_SECOND, new BucketCall.Timed(new Request.GiveBack(4), now), timed(3, now)));

        assertThat(answer.verdicts()).containsExactly(Verdict.GRANTED, Verdict.GRANTED);
        assertThat(levelOf(answer)).isEqualTo(1);
    }

    @Test
    void anOlderVersionOfTheRuleIsDecidedByTheNewerOne() {
        Rule newer = new Rule(2, Rules.rule(100, 1, Duration.ofDays(1)).algorithm());
        run(call(NODE, 1, newer, timed(90, now)));
        CallAnswer answer = run(take(NODE, 2, 10));

        assertThat(answer.verdicts()).containsExactly(Verdict.GRANTED);
        assertThat(stateOf(answer).rule()).isEqualTo(newer);
    }

    @Test
    void aStrictLimitCountsWithItsPartWhileMembersAreMissing() {
        assertThat(levelOf(run(strict(1, 1)))).isEqualTo(89);
        reachable = 2;
        assertThat(levelOf(run(strict(2, 9)))).as("89 * 2 / 3 - 9").isEqualTo(50);
        reachable = 3;
        assertThat(levelOf(run(strict(3, 1)))).as("nothing is minted").isEqualTo(49);
    }

    @Test
    void aMissingMemberIsNothingToALimitThatIsNotStrict() {
        reachable = 1;
        assertThat(levelOf(run(take(NODE, 1, 10)))).isZero();
    }

    /** The caller would take {@code NEVER} for good. */
    @Test
    void moreThanThePartIsDeniedAndNotImpossible() {
        reachable = 2;
        assertThat(run(strict(1, 61)).verdicts()).containsExactly(Verdict.DENIED);
        assertThat(run(strict(2, 91)).verdicts()).containsExactly(Verdict.NEVER);
        assertThat(run(strict(3, 60)).verdicts()).containsExactly(Verdict.GRANTED);
    }

    @Test
    void changedOnceADenialWritesNothingMore() {
        run(strict(1, 90));
        reachable = 2;
        run(strict(2, 1));
        int writes = entry.writes();
        for (int i = 3; i < 10; i++) {
            assertThat(run(strict(i, 1)).verdicts()).containsExactly(Verdict.DENIED);
        }
        assertThat(entry.writes()).isEqualTo(writes);
    }

    /** 90 permits, one a year. */
    private BucketCall strict(long number, long permits) {
        Rule rule = new Rule(1, Rules.rule(90, 1, Duration.ofDays(365)).algorithm(), true);
        return call(NODE, number, rule, timed(permits, now + SECOND));
    }

    private CallAnswer run(BucketCall call) {
        call.setHazelcastInstance(member);
        return call.process(entry);
    }

    private BucketCall take(UUID node, long number, long permits) {
        return call(node, number, Rules.TEN_A_SECOND, timed(permits, now + SECOND));
    }

    private BucketCall peek() {
        return take(new UUID(3, 3), 1, 0);
    }

    private static BucketCall.Timed timed(long permits, long deadlineNanos) {
        return new BucketCall.Timed(new Request.Take(permits), deadlineNanos);
    }

    private static BucketCall call(UUID node, long number, Rule rule, BucketCall.Timed... requests) {
        return new BucketCall(node, number, rule, new ArrayList<>(Arrays.asList(requests)), null);
    }

    private static long levelOf(CallAnswer answer) {
        return stateOf(answer).level(0);
    }

    private static State stateOf(CallAnswer answer) {
        return Objects.requireNonNull(answer.state());
    }

    /** A member that has a user context and nothing else. */
    private static HazelcastInstance memberWith(Owner owner) {
        ConcurrentMap<String, Object> context = new ConcurrentHashMap<>();
        HazelcastInstance member = (HazelcastInstance) Proxy.newProxyInstance(
                BucketCallTest.class.getClassLoader(),
                new Class<?>[] {HazelcastInstance.class},
                (proxy, method, arguments) -> {
                    assertThat(method.getName()).isEqualTo("getUserContext");
                    return context;
                });
        Owner.install(member, owner);
        return member;
    }
}
