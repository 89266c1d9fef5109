package io.weir.store.contract;

import static io.weir.algorithm.Verdict.DENIED;
import static io.weir.algorithm.Verdict.GRANTED;
import static io.weir.algorithm.Verdict.NEVER;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;

import io.weir.algorithm.Algorithm;
import io.weir.algorithm.Bandwidth;
import io.weir.algorithm.Request;
import io.weir.algorithm.Rule;
import io.weir.algorithm.TokenBucket;
import io.weir.store.Answer;
import io.weir.store.Buckets;
import io.weir.store.Store;
import io.weir.store.StoreUnavailableException;
import io.weir.store.StoreUnavailableException.Reason;
import io.weir.store.StoredKey;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * What every store has to pass. Inherit it, open the store, and run it as a JUnit test; see the package for how.
 *
 * <p>Most tests ask the nodes in turn, so that a store whose nodes do not share their buckets fails them.
 */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD) // join() does not heed an interrupt
public abstract class StoreContract {

    private static final int NODES = 3;
    private static final int THREADS = 64;
    private static final long DEADLINE_NANOS = SharedLimit.DEADLINE_NANOS;
    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final Duration MINUTE = Duration.ofMinutes(1);
    private static final Duration DAY = Duration.ofDays(1);
    private static final String KEY = "client";

    private final ManualClock clock = new ManualClock();
    private List<Store> stores = List.of();

    /** For a class that says how to open the store. */
    protected StoreContract() {}

    /**
     * Opens nodes that share one store. Each test calls it once, and closes the nodes when it is done.
     *
     * <p>Everything in the store that goes by time goes by {@code clock}, except deadlines and the expiry of entries:
     * these may go by real time. Whatever a node remembers to spare its callers the way to the bucket (denials until an
     * instant, permits lent in advance) is switched off: here each answer is compared to the bucket itself.
     *
     * <p>The stores may stand on something that outlives them. Each test uses a limit that no other test has used.
     *
     * @param nodes how many
     * @param clock what the buckets are decided by, on every node; moved by the test, also back
     * @return that many stores
     */
    protected abstract List<Store> open(int nodes, ManualClock clock);

    @BeforeEach
    void openStores() {
        stores = open(NODES, clock);
        assertThat(stores).hasSize(NODES);
    }

    @AfterEach
    void closeStores() {
        stores.forEach(Store::close);
    }

    @Test
    void grantsUpToCapacityOverAllNodesAndThenDenies() {
        SharedLimit limit = limit(Bandwidth.of(10, 1, DAY));

        assertThat(limit.grantedOf(10, KEY)).isEqualTo(10);
        assertThat(limit.grantedOf(5, KEY)).isZero();
        assertThat(limit.remaining(KEY)).isZero();
    }

    @ParameterizedTest
    @EnumSource(Algorithm.Kind.class)
    void answersAnyStepsLikeTheOracle(Algorithm.Kind kind) {
        SplittableRandom random = new SplittableRandom(Seed.of(StoreContract.class));
        new OracleWalk(random, clock, stores, kind).walk(kind == Algorithm.Kind.TOKEN_BUCKET ? 4_000 : 1_000);
    }

    @ParameterizedTest
    @EnumSource(Algorithm.Kind.class)
    void grantsNoMoreOverAllNodesThanTheAlgorithmDoes(Algorithm.Kind kind) {
        SharedLimit limit = perMinute(kind, 10);

        assertThat(limit.grantedOf(20, KEY)).isEqualTo(kind == Algorithm.Kind.LEAKY_BUCKET ? 1 : 10);
        assertThat(limit.remaining(KEY)).isZero();
        assertThat(limit.verdict(KEY, 11)).isEqualTo(NEVER); // I5
        assertThat(limit.peek(KEY).verdict()).isEqualTo(GRANTED); // I6
    }

    @ParameterizedTest
    @EnumSource(Algorithm.Kind.class)
    void grantsExactlyAtTheInstantThatTheAlgorithmPromised(Algorithm.Kind kind) {
        SharedLimit limit = perMinute(kind, 7); // I3
        clock.move(Duration.ofSeconds(47));
        assertThat(limit.verdict(KEY, 5)).isEqualTo(GRANTED);
        clock.move(Duration.ofNanos(1_234_567_891));

        Answer denied = limit.take(KEY, 4);

        assertThat(denied.verdict()).isEqualTo(DENIED);
        clock.move(Duration.ofNanos(denied.state().readyAtNanos(0, 4) - denied.nowNanos() - 1));
        assertThat(limit.verdict(KEY, 4)).isEqualTo(DENIED);
        clock.move(Duration.ofNanos(1));
        assertThat(limit.verdict(KEY, 4)).isEqualTo(GRANTED);
    }

    @ParameterizedTest
    @EnumSource(Algorithm.Kind.class)
    void carriesTheBalanceOverToAnotherAlgorithmAndBack(Algorithm.Kind kind) {
        SharedLimit limit = perMinute(Algorithm.Kind.TOKEN_BUCKET, 10); // I7
        assertThat(limit.verdict(KEY, 6)).isEqualTo(GRANTED);

        limit.change(perMinute(2, kind, 5));
        assertThat(limit.remaining(KEY)).isEqualTo(kind == Algorithm.Kind.LEAKY_BUCKET ? 0 : 2);
        limit.charge(KEY, 1); // so that it is written
        limit.change(perMinute(3, Algorithm.Kind.TOKEN_BUCKET, 10));

        assertThat(limit.remaining(KEY)).isEqualTo(2);
        assertThat(limit.verdict(KEY, 2)).isEqualTo(GRANTED);
        clock.move(MINUTE);
        assertThat(limit.remaining(KEY)).isEqualTo(10);
    }

    @ParameterizedTest
    @EnumSource(Algorithm.Kind.class)
    void givesBackAndChargesWhateverTheAlgorithm(Algorithm.Kind kind) {
        SharedLimit limit = perMinute(kind, 10);
        assertThat(limit.verdict(KEY, 6)).isEqualTo(GRANTED);
        assertThat(limit.remaining(KEY)).isEqualTo(kind == Algorithm.Kind.LEAKY_BUCKET ? 0 : 4);

        assertThat(level(limit.giveBack(KEY, 6))).isEqualTo(10);
        assertThat(limit.verdict(KEY, 10)).isEqualTo(GRANTED);
        assertThat(level(limit.giveBack(KEY, Long.MAX_VALUE))).isEqualTo(10);

        assertThat(level(limit.charge(KEY, Long.MAX_VALUE))).isZero();
        assertThat(limit.verdict(KEY, 1)).isEqualTo(DENIED);
        clock.move(MINUTE.multipliedBy(2));
        assertThat(limit.remaining(KEY)).isEqualTo(10);
    }

    private SharedLimit perMinute(Algorithm.Kind kind, long permits) {
        return new SharedLimit(stores, perMinute(1, kind, permits));
    }

    private static Rule perMinute(long version, Algorithm.Kind kind, long permits) {
        return new Rule(version, kind.with(List.of(Bandwidth.perWindow(permits, MINUTE))));
    }

    @Test
    void decidesABatchLikeItsRequestsInSequence() {
        SplittableRandom random = new SplittableRandom(Seed.of(StoreContract.class));
        SharedLimit limit = limit(
                Bandwidth.of(40, 7, MINUTE).named("one"),
                Bandwidth.of(60, 11, MINUTE).named("two"));
        for (int round = 0; round < 200; round++) {
            int size = round == 0 ? Buckets.MAX_BATCH : random.nextInt(1, 6);
            List<Request> requests =
                    Stream.generate(() -> anyRequest(random)).limit(size).toList();

            List<Answer> together = limit.decide("together", requests);
            List<Answer> apart = requests.stream()
                    .map(request -> limit.decide("apart", List.of(request)).get(0))
                    .toList();

            assertThat(together)
                    .extracting(Answer::verdict)
                    .containsExactlyElementsOf(
                            apart.stream().map(Answer::verdict).toList());
            assertThat(together)
                    .extracting(Answer::state)
                    .containsOnly(apart.get(size - 1).state());
            clock.move(Duration.ofMillis(random.nextLong(20_000)));
        }
    }

    private static Request anyRequest(SplittableRandom random) {
        return switch (random.nextInt(6)) {
            case 0, 1 -> new Request.GiveBack(random.nextLong(1, 9));
            case 2 -> new Request.Charge(random.nextLong(1, 30));
            default -> new Request.Take(random.nextLong(0, 44));
        };
    }

    @Test
    void decidesSeveralBandwidthsTogether() {
        SharedLimit limit = limit(
                Bandwidth.of(3, 1, SECOND).named("burst"),
                Bandwidth.of(5, 1, DAY).named("daily"));

        assertThat(limit.grantedOf(4, KEY)).isEqualTo(3);
        assertThat(limit.peek(KEY).state().level(1)).isEqualTo(2);
        clock.move(Duration.ofSeconds(3));
        assertThat(limit.grantedOf(3, KEY)).isEqualTo(2);
        assertThat(limit.peek(KEY).state().level(0)).isEqualTo(1);
    }

    @Test
    void grantsExactlyAtTheInstantItPromised() {
        SharedLimit limit = limit(Bandwidth.of(7, 7, Duration.ofSeconds(11))); // I3
        assertThat(limit.verdict(KEY, 7)).isEqualTo(GRANTED);

        Answer denied = limit.take(KEY, 3);

        assertThat(denied.verdict()).isEqualTo(DENIED);
        long waitNanos = denied.state().readyAtNanos(0, 3) - denied.nowNanos();
        assertThat(waitNanos).isEqualTo(4_714_285_715L); // 3/7 of 11 s
        clock.move(Duration.ofNanos(waitNanos - 1));
        assertThat(limit.verdict(KEY, 3)).isEqualTo(DENIED);
        clock.move(Duration.ofNanos(1));
        assertThat(limit.verdict(KEY, 3)).isEqualTo(GRANTED);
    }

    @Test
    void isFullAndNotFullerAfterAHundredYears() {
        SharedLimit limit = limit(Bandwidth.of(10_000_000, 10_000_000, DAY));
        assertThat(limit.verdict(KEY, 10_000_000)).isEqualTo(GRANTED);
        assertThat(limit.remaining(KEY)).isZero();

        clock.move(DAY.multipliedBy(36_525));

        assertThat(limit.remaining(KEY)).isEqualTo(10_000_000);
    }

    @Test
    void changesNothingByADenial() {
        SharedLimit limit = limit(Bandwidth.of(5, 5, MINUTE)); // I4
        long drainedAt = clock.nanoTime();
        assertThat(limit.verdict(KEY, 5)).isEqualTo(GRANTED);
        clock.move(Duration.ofSeconds(5));
        assertThat(limit.verdict(KEY, 1)).isEqualTo(DENIED);

        clock.move(Duration.ofSeconds(-3));

        // Had the denial been stored, the state would be from its later instant.
        assertThat(limit.peek(KEY).state().atNanos()).isEqualTo(drainedAt + 2_000_000_000L);
        clock.move(Duration.ofSeconds(10));
        assertThat(limit.verdict(KEY, 1)).isEqualTo(GRANTED);
        assertThat(limit.remaining(KEY)).isZero();
    }

    @Test
    void createsNothingByAPeek() {
        SharedLimit limit = limit(Bandwidth.of(5, 5, MINUTE)); // I6

        assertThat(limit.peek(KEY).verdict()).isEqualTo(GRANTED);

        assertUnknown(limit);
    }

    @Test
    void grantsAPeekOfAnEmptyBucketAndChargesNothing() {
        SharedLimit limit = limit(Bandwidth.of(5, 1, DAY)); // I6
        assertThat(limit.verdict(KEY, 5)).isEqualTo(GRANTED);

        assertThat(limit.peek(KEY).verdict()).isEqualTo(GRANTED);

        assertThat(limit.remaining(KEY)).isZero();
    }

    @Test
    void neverGrantsMoreThanCapacityAndCreatesNothingByIt() {
        SharedLimit limit = limit(Bandwidth.of(3, 3, Duration.ofSeconds(2))); // I5

        assertThat(limit.verdict(KEY, 4)).isEqualTo(NEVER);

        assertUnknown(limit);
        assertThat(limit.verdict(KEY, 3)).isEqualTo(GRANTED);
        limit.change(rule(2, Bandwidth.of(5, 5, Duration.ofSeconds(2))));
        clock.move(Duration.ofSeconds(2));
        assertThat(limit.verdict(KEY, 4)).isEqualTo(GRANTED);
    }

    @Test
    void refusesNegativePermitsAtOnce() {
        SharedLimit limit = limit(Bandwidth.of(10, 1, DAY));
        assertThat(limit.verdict(KEY, 6)).isEqualTo(GRANTED);

        for (long permits : new long[] {-3, Long.MIN_VALUE}) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> limit.take(KEY, permits))
                    .withMessageContaining(String.valueOf(permits));
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> limit.next().takeAsync(KEY, permits, DEADLINE_NANOS))
                    .withMessageContaining(String.valueOf(permits));
        }

        assertThat(limit.remaining(KEY)).isEqualTo(4);
    }

    @Test
    void refusesABatchOfNoneOrTooManyAtOnce() {
        SharedLimit limit = limit(Bandwidth.of(1_000, 1, DAY));
        List<Request> tooMany = Collections.nCopies(Buckets.MAX_BATCH + 1, new Request.Take(1));

        assertThatIllegalArgumentException()
                .isThrownBy(() -> limit.decide(KEY, List.of()))
                .withMessageContaining("0");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> limit.decide(KEY, tooMany))
                .withMessageContaining("129");
        assertThat(limit.remaining(KEY)).isEqualTo(1_000);
    }

    @Test
    @SuppressWarnings("NullAway") // what callers without a null checker can do
    void refusesANullKeyAtOnce() {
        Buckets buckets = limit(Bandwidth.of(1, 1, DAY)).next();

        assertThatNullPointerException().isThrownBy(() -> buckets.take(null, 1, DEADLINE_NANOS));
        assertThatNullPointerException().isThrownBy(() -> buckets.takeAsync(null, 1, DEADLINE_NANOS));
        assertThatNullPointerException()
                .isThrownBy(() -> buckets.decide(null, List.of(new Request.Take(1)), DEADLINE_NANOS));
    }

    @Test
    void keepsABucketForEveryString() {
        SharedLimit limit = limit(Bandwidth.of(1_000, 1, DAY));
        String long512 = "k".repeat(512);
        List<String> keys = List.of(
                "",
                " ",
                "\0",
                "2001:db8::1",
                "user name",
                "user\nname",
                "user\tname",
                "{}()/\\@:",
                "*",
                "alice@example.com",
                "Alice@example.com",
                "\u00e9",
                "e\u0301",
                "\uD83D\uDE80",
                "\uD83D",
                "\uDE80",
                "\uDE80\uD83D",
                "?",
                "\uFFFD",
                "k".repeat(256),
                "k".repeat(257),
                long512 + "a",
                long512 + "b",
                "k".repeat(10_000),
                "k".repeat(1_000_000));

        for (int i = 0; i < keys.size(); i++) {
            assertThat(limit.verdict(keys.get(i), i + 1)).isEqualTo(GRANTED);
        }

        limit.next(); // so that another node reads than has written
        for (int i = 0; i < keys.size(); i++) {
            assertThat(limit.remaining(keys.get(i))).as("key %d", i).isEqualTo(1_000 - (i + 1));
        }
    }

    @Test
    void countsLimitsApart() {
        SharedLimit one = limit(Bandwidth.of(5, 1, DAY));
        SharedLimit other = limit(Bandwidth.of(5, 1, DAY));

        assertThat(one.verdict(KEY, 5)).isEqualTo(GRANTED);

        assertThat(one.remaining(KEY)).isZero();
        assertThat(other.remaining(KEY)).isEqualTo(5);
    }

    @Test
    void handsOutTheSameBucketsAgainUnderTheRuleItIsGiven() {
        SharedLimit limit = limit(Bandwidth.of(10, 1, DAY));
        assertThat(limit.node(0).take(KEY, 5, DEADLINE_NANOS).verdict()).isEqualTo(GRANTED);

        Buckets again = limit.reopened(0, rule(2, Bandwidth.of(20, 1, DAY)));

        assertThat(level(again.take(KEY, 0, DEADLINE_NANOS))).isEqualTo(10);
        assertThat(level(limit.node(0).take(KEY, 0, DEADLINE_NANOS))).isEqualTo(10);
    }

    @Test
    void saysAmongHowManyNodesOrNothing() {
        for (Store store : stores) {
            assertThat(store.nodes().orElse(1)).isPositive();
        }
    }

    @RepeatedTest(10)
    void grantsExactlyTheCapacityToManyThreadsOnAllNodes() {
        SharedLimit limit = limit(Bandwidth.of(1_000, 1, DAY));
        AtomicInteger requests = new AtomicInteger(5_000);

        List<Long> granted = Threads.together(THREADS, () -> {
            long mine = 0;
            while (requests.getAndDecrement() > 0) {
                mine += limit.grantedOf(1, KEY);
            }
            return mine;
        });

        assertThat(granted.stream().mapToLong(Long::longValue).sum()).isEqualTo(1_000);
        assertThat(limit.remaining(KEY)).isZero();
    }

    @Test
    void neitherGainsNorLosesAPermitWhileTheClockMoves() {
        Bandwidth bandwidth = Bandwidth.of(1_000, 1_000, SECOND); // I1
        SharedLimit limit = limit(bandwidth);
        long began = clock.nanoTime();
        ConcurrentLinkedQueue<Grant> history = new ConcurrentLinkedQueue<>(List.of(new Grant(began, began, 1_000)));
        assertThat(limit.verdict(KEY, 1_000)).isEqualTo(GRANTED);
        AtomicBoolean someoneMovesTheClock = new AtomicBoolean();
        AtomicInteger steps = new AtomicInteger(500); // half a second: the bucket is never full, so nothing is lost

        Threads.together(THREADS, () -> {
            boolean mine = someoneMovesTheClock.compareAndSet(false, true);
            while (steps.get() > 0) {
                takeInto(history, limit);
                if (mine) {
                    clock.move(Duration.ofMillis(1));
                    steps.decrementAndGet();
                }
            }
            return 0;
        });
        while (takeInto(history, limit)) {}

        assertThat(history).hasSize(1 + 500);
        HistoryVerdict verdict = HistoryChecker.of(bandwidth).check(history);
        assertThat(verdict.withinBound()).as(verdict.toString()).isTrue();
    }

    private boolean takeInto(ConcurrentLinkedQueue<Grant> history, SharedLimit limit) {
        long asked = clock.nanoTime();
        boolean granted = limit.verdict(KEY, 1) == GRANTED;
        return granted && history.add(new Grant(asked, clock.nanoTime(), 1));
    }

    @Test
    void earnsNoTimeTwiceWhenTheClockStepsBack() {
        SharedLimit limit = limit(Bandwidth.of(4, 2, SECOND)); // I2
        assertThat(limit.grantedOf(5, KEY)).isEqualTo(4);

        clock.move(Duration.ofSeconds(-10));
        assertThat(limit.grantedOf(1, KEY)).isZero();

        clock.move(Duration.ofSeconds(10));
        assertThat(limit.grantedOf(5, KEY)).isZero();

        clock.move(SECOND);
        assertThat(limit.grantedOf(3, KEY)).isEqualTo(2);
    }

    /** What an owner's clock seems to have seen pass is granted, and no more than that. */
    @Test
    void grantsWhatAClockThatMovesAheadSeemsToEarnOnce() {
        SharedLimit limit = limit(Bandwidth.of(100, 2, SECOND)); // I1
        assertThat(limit.grantedOf(101, KEY)).isEqualTo(100);

        clock.move(Duration.ofSeconds(10));
        assertThat(limit.grantedOf(40, KEY)).isEqualTo(20);

        clock.move(Duration.ofSeconds(-10));
        assertThat(limit.grantedOf(5, KEY)).isZero();
        clock.move(Duration.ofSeconds(10));
        assertThat(limit.grantedOf(5, KEY)).isZero();
        clock.move(SECOND);
        assertThat(limit.grantedOf(5, KEY)).isEqualTo(2);
    }

    @Test
    void isNotFrozenByAClockThatWasAnHourAhead() {
        SharedLimit limit = limit(Bandwidth.of(10, 10, SECOND)); // I2
        clock.move(Duration.ofHours(1));
        assertThat(limit.grantedOf(1, KEY)).isEqualTo(1);
        clock.move(Duration.ofHours(-1));

        long granted = 0;
        for (int i = 0; i < 200; i++) {
            granted += limit.grantedOf(1, KEY);
            clock.move(Duration.ofMillis(50));
        }

        assertThat(granted).isBetween(100L, 110L);
    }

    @ParameterizedTest
    @CsvSource({"5, 2, 10, 4", "10, 8, 5, 4", "3, 1, 10, 3", "5, 0, 10, 0"})
    void carriesTheBalanceOverInProportionWhenTheLimitChanges(long before, long balance, long after, long carried) {
        SharedLimit limit = limit(Bandwidth.of(before, before, MINUTE)); // I7
        assertThat(limit.verdict(KEY, before - balance)).isEqualTo(GRANTED);

        limit.change(rule(2, Bandwidth.of(after, after, MINUTE)));

        assertThat(limit.remaining(KEY)).isEqualTo(carried);
        assertThat(limit.verdict(KEY, carried)).isEqualTo(GRANTED);
        assertThat(limit.grantedOf(1, KEY)).isZero();
        clock.move(MINUTE);
        assertThat(limit.remaining(KEY)).isEqualTo(after);
    }

    @Test
    void keepsTheFractionWhenTheLimitChanges() {
        SharedLimit limit = limit(Bandwidth.of(3, 3, MINUTE)); // I7
        assertThat(limit.verdict(KEY, 2)).isEqualTo(GRANTED);

        limit.change(rule(2, Bandwidth.of(10, 10, MINUTE)));

        // 10/3 permits: the fourth is there after the time of 2/3 of a permit.
        Answer answer = limit.peek(KEY);
        assertThat(answer.state().readyAtNanos(0, 4) - answer.nowNanos())
                .isEqualTo(Duration.ofSeconds(4).toNanos());
    }

    @Test
    void refillsNothingByANewName() {
        SharedLimit limit = limit(
                Bandwidth.of(10, 10, MINUTE).named("burst"),
                Bandwidth.of(100, 100, DAY).named("daily")); // I7
        assertThat(limit.verdict(KEY, 10)).isEqualTo(GRANTED);

        limit.change(rule(
                2,
                Bandwidth.of(20, 20, MINUTE).named("renamed"),
                Bandwidth.of(100, 100, DAY).named("daily")));

        assertThat(limit.verdict(KEY, 1)).isEqualTo(DENIED);
        clock.move(Duration.ofSeconds(3));
        assertThat(limit.remaining(KEY)).isEqualTo(1);
        assertThat(limit.peek(KEY).state().level(1)).isEqualTo(90);
    }

    @Test
    void decidesByTheNewerVersionWhicheverNodeIsAsked() {
        SharedLimit limit = limit(Bandwidth.of(10, 10, MINUTE)); // I7
        Buckets old = limit.node(0);
        Buckets changed = limit.node(1);
        assertThat(old.take(KEY, 5, DEADLINE_NANOS).verdict()).isEqualTo(GRANTED);
        changed.change(rule(2, Bandwidth.of(20, 20, MINUTE)));
        assertThat(level(changed.take(KEY, 2, DEADLINE_NANOS))).isEqualTo(8);

        Answer answer = old.take(KEY, 1, DEADLINE_NANOS);

        assertThat(answer.state().rule().version()).isEqualTo(2);
        assertThat(level(answer)).isEqualTo(7);
    }

    @Test
    void ignoresAChangeToAnOlderVersion() {
        SharedLimit limit = limit(Bandwidth.of(10, 10, MINUTE));
        limit.change(rule(3, Bandwidth.of(30, 30, MINUTE)));

        limit.change(rule(2, Bandwidth.of(20, 20, MINUTE)));

        assertThat(limit.remaining(KEY)).isEqualTo(30);
    }

    @Test
    void remembersADrainedBucketOfOnePermit() {
        SharedLimit limit = limit(Bandwidth.of(1, 3, SECOND));
        assertThat(limit.verdict(KEY, 1)).isEqualTo(GRANTED);

        Answer denied = limit.take(KEY, 1);

        assertThat(denied.verdict()).isEqualTo(DENIED);
        assertThat(denied.state().readyAtNanos(0, 1) - denied.nowNanos()).isEqualTo(333_333_334);
    }

    @Test
    void grantsOncePerPeriodToWhoeverTriesEachSecond() {
        SharedLimit limit = limit(Bandwidth.of(1, 1, Duration.ofSeconds(10)));
        List<Integer> grantedAt = new ArrayList<>();

        for (int second = 0; second <= 60; second++) {
            if (limit.grantedOf(1, KEY) == 1) {
                grantedAt.add(second);
            }
            clock.move(SECOND);
        }

        assertThat(grantedAt).containsExactly(0, 10, 20, 30, 40, 50, 60);
    }

    @Test
    void remembersABucketFromItsLastChangeOn() {
        SharedLimit limit = limit(Bandwidth.of(5, 5, MINUTE));
        assertThat(limit.verdict(KEY, 1)).isEqualTo(GRANTED);
        clock.move(Duration.ofSeconds(178));
        assertThat(limit.verdict(KEY, 5)).isEqualTo(GRANTED);
        clock.move(Duration.ofSeconds(3));

        Answer denied = limit.take(KEY, 1);

        assertThat(denied.verdict()).isEqualTo(DENIED);
        assertThat(denied.state().readyAtNanos(0, 1) - denied.nowNanos())
                .isEqualTo(Duration.ofSeconds(9).toNanos());
    }

    @Test
    void countsIntervalsBelowAMillisecond() {
        SharedLimit limit = limit(Bandwidth.of(1, 3_000, SECOND));
        assertThat(limit.verdict(KEY, 1)).isEqualTo(GRANTED);

        clock.move(Duration.ofNanos(333_333));
        assertThat(limit.verdict(KEY, 1)).isEqualTo(DENIED);

        clock.move(Duration.ofNanos(1));
        assertThat(limit.verdict(KEY, 1)).isEqualTo(GRANTED);
    }

    /** Also on nodes that have not heard that the key has a rule of its own, or that it has none any more. */
    @Test
    void aKeyWithARuleOfItsOwnHasOneBucketWhoeverKnows() {
        SharedLimit limit = limit(Bandwidth.of(10, 10, DAY));
        assertThat(limit.verdict(KEY, 4)).isEqualTo(GRANTED);
        Rule own = rule(1_001, Bandwidth.of(100, 100, DAY));

        limit.node(0).override(KEY, own);
        assertThat(level(limit.node(0).take(KEY, 10, DEADLINE_NANOS))).isEqualTo(50);
        assertThat(limit.grantedOf(9, KEY)).isEqualTo(9);
        assertThat(limit.remaining(KEY)).isEqualTo(41);
        assertThat(limit.verdict("another", 11)).isEqualTo(NEVER);
        assertThat(limit.remaining("another")).isEqualTo(10);
        assertThat(level(limit.giveBack(KEY, 9))).isEqualTo(50);

        Rule back = rule(2_001, Bandwidth.of(10, 10, DAY));
        limit.node(1).override(KEY, own);
        limit.node(2).override(KEY, back);
        assertThat(level(limit.node(2).take(KEY, 1, DEADLINE_NANOS))).isEqualTo(4);
        limit.node(2).override(KEY, own);
        assertThat(limit.grantedOf(9, KEY)).as("an older rule is ignored").isEqualTo(4);
        limit.node(2).override(KEY, null);
        assertThat(limit.grantedOf(3, KEY)).isZero();
        clock.move(DAY);
        assertThat(limit.remaining(KEY)).isEqualTo(10);
    }

    @Test
    void everyKeyCanHaveARuleOfItsOwn() {
        SharedLimit limit = limit(Bandwidth.of(10, 10, DAY));
        for (String key : List.of("", "lone \ud800", "x".repeat(5_000), "\u0000")) {
            assertThat(limit.verdict(key, 10)).isEqualTo(GRANTED);
            for (int i = 0; i < NODES; i++) {
                limit.node(i).override(StoredKey.wellFormed(key), rule(1_001, Bandwidth.of(100, 100, DAY)));
            }
            clock.move(DAY.dividedBy(10));
            assertThat(limit.grantedOf(20, key)).as("a tenth of its own refill").isEqualTo(10);
        }
    }

    @Test
    void countsAFifthOfAPermitASecond() {
        SharedLimit limit = limit(Bandwidth.of(1, 1, Duration.ofSeconds(5)));
        assertThat(limit.verdict(KEY, 1)).isEqualTo(GRANTED);

        clock.move(Duration.ofSeconds(5).minusNanos(1));
        assertThat(limit.verdict(KEY, 1)).isEqualTo(DENIED);

        clock.move(Duration.ofNanos(1));
        assertThat(limit.verdict(KEY, 1)).isEqualTo(GRANTED);
    }

    @Test
    void liftsNoBalanceAboveCapacityByAGiveBack() {
        SharedLimit limit = limit(Bandwidth.of(10, 1, SECOND));
        assertThat(limit.verdict(KEY, 4)).isEqualTo(GRANTED);
        clock.move(Duration.ofSeconds(2));
        assertThat(level(limit.giveBack(KEY, 4))).isEqualTo(10);

        assertThat(limit.verdict(KEY, 6)).isEqualTo(GRANTED);
        assertThat(level(limit.giveBack(KEY, 6))).isEqualTo(10);
        assertThat(limit.verdict(KEY, 6)).isEqualTo(GRANTED);
        assertThat(limit.remaining(KEY)).isEqualTo(4);

        assertThat(level(limit.giveBack(KEY, Long.MAX_VALUE))).isEqualTo(10);
        assertThat(limit.remaining(KEY)).isEqualTo(10);
    }

    @Test
    void staysFullUnderTakesThatAreAllGivenBack() {
        SharedLimit limit = limit(Bandwidth.of(10, 10, SECOND));

        for (int i = 0; i < 600; i++) {
            assertThat(limit.verdict(KEY, 1)).isEqualTo(GRANTED);
            assertThat(level(limit.giveBack(KEY, 1))).isEqualTo(10);
            clock.move(Duration.ofMillis(100));
        }
    }

    @Test
    void createsNothingByAGiveBackOfAnUnknownKey() {
        SharedLimit limit = limit(Bandwidth.of(5, 5, MINUTE));

        assertThat(level(limit.giveBack(KEY, 3))).isEqualTo(5);

        assertUnknown(limit);
    }

    @Test
    void givesBackNoMoreThanALoweredCapacity() {
        SharedLimit limit = limit(Bandwidth.of(10, 10, MINUTE));
        assertThat(limit.verdict(KEY, 8)).isEqualTo(GRANTED);
        limit.change(rule(2, Bandwidth.of(3, 3, MINUTE)));

        assertThat(level(limit.giveBack(KEY, 2))).isEqualTo(2); // 2.6
        assertThat(level(limit.giveBack(KEY, 8))).isEqualTo(3);
    }

    @Test
    void chargesWhatWasGrantedElsewhereDownToZero() {
        SharedLimit limit = limit(
                Bandwidth.of(10, 10, DAY).named("small"),
                Bandwidth.of(100, 100, DAY).named("large"));

        Answer charged = limit.charge(KEY, 4); // of a key that nobody has asked for
        assertThat(charged.verdict()).isEqualTo(GRANTED);
        assertThat(levels(charged)).containsExactly(6L, 96L);
        assertThat(levels(limit.peek(KEY))).containsExactly(6L, 96L);

        assertThat(levels(limit.charge(KEY, 30))).containsExactly(0L, 66L);
        assertThat(levels(limit.charge(KEY, Long.MAX_VALUE))).containsExactly(0L, 0L);
        assertThat(limit.verdict(KEY, 1)).isEqualTo(DENIED);
        clock.move(DAY);
        assertThat(levels(limit.peek(KEY))).containsExactly(10L, 100L);
    }

    private static List<Long> levels(Answer answer) {
        return List.of(answer.state().level(0), answer.state().level(1));
    }

    @Test
    void chargesWhatIsLessThanAPermitToo() {
        SharedLimit limit = limit(Bandwidth.of(2, 1, MINUTE));
        assertThat(limit.verdict(KEY, 2)).isEqualTo(GRANTED);
        clock.move(Duration.ofSeconds(30));

        limit.charge(KEY, 1);

        clock.move(MINUTE.minusNanos(1));
        assertThat(limit.remaining(KEY)).isZero();
        clock.move(Duration.ofNanos(1));
        assertThat(limit.remaining(KEY)).isEqualTo(1);
    }

    /** A node may have forgotten; but it may not be wrong, and it asks nobody. */
    @Test
    void tellsOfAKeyWhatItWasLastAnsweredOrNothing() {
        SharedLimit limit = limit(Bandwidth.of(10, 1, DAY));
        assertThat(limit.node(0).lastKnown(KEY)).isEmpty();

        Answer answer = limit.node(0).take(KEY, 3, DEADLINE_NANOS);

        limit.node(0).lastKnown(KEY).ifPresent(known -> {
            assertThat(known.state().level(0)).isEqualTo(answer.state().level(0));
            clock.move(Duration.ofMillis(1));
            assertThat(limit.node(0).lastKnown(KEY).orElseThrow().state())
                    .as("the same word, as nothing newer was heard")
                    .isSameAs(known.state());
        });
        stores.forEach(store -> assertThat(store.owners()).isNotNull());
    }

    @Test
    void letsContinuationsBlock() throws ExecutionException, InterruptedException, TimeoutException {
        SharedLimit limit = limit(Bandwidth.of(1, 1, DAY));

        List<CompletableFuture<Answer>> chains = IntStream.range(0, THREADS)
                .mapToObj(i -> limit.next()
                        .takeAsync("async-" + i, 1, DEADLINE_NANOS)
                        .thenApply(first -> limit.take("sync-" + i, 1)))
                .toList();

        for (CompletableFuture<Answer> chain : chains) {
            assertThat(chain.get(DEADLINE_NANOS, TimeUnit.NANOSECONDS).verdict())
                    .isEqualTo(GRANTED);
        }
        assertThat(IntStream.range(0, THREADS).mapToLong(i -> limit.remaining("async-" + i)))
                .containsOnly(0L);
    }

    @Test
    void answersClosedOnceClosed() {
        SharedLimit limit = limit(Bandwidth.of(5, 1, DAY));
        stores.forEach(Store::close);

        assertThatExceptionOfType(StoreUnavailableException.class)
                .isThrownBy(() -> limit.take(KEY, 1))
                .extracting(StoreUnavailableException::reason)
                .isEqualTo(Reason.CLOSED);
        assertClosed(limit.next().takeAsync(KEY, 1, DEADLINE_NANOS));
        assertClosed(limit.next().decide(KEY, List.of(new Request.Take(1)), DEADLINE_NANOS));
    }

    @Test
    void completesEveryCallThatWaitsWhenItIsClosed() throws InterruptedException, TimeoutException {
        Buckets buckets = limit(Bandwidth.of(1_000_000, 1, DAY)).node(0);
        List<CompletableFuture<Answer>> calls = Stream.generate(() -> buckets.takeAsync(KEY, 1, DEADLINE_NANOS))
                .limit(500)
                .toList();

        stores.get(0).close();

        for (CompletableFuture<Answer> call : calls) {
            try {
                assertThat(call.get(DEADLINE_NANOS, TimeUnit.NANOSECONDS).verdict())
                        .isEqualTo(GRANTED);
            } catch (ExecutionException e) {
                assertClosed(call);
            }
        }
    }

    @Test
    void mayBeClosedTwice() {
        stores.forEach(Store::close);
        stores.forEach(Store::close);
    }

    /** Nothing is stored for the key: a state would be from its own, later instant. */
    private void assertUnknown(SharedLimit limit) {
        clock.move(Duration.ofSeconds(-2));
        for (int node = 0; node < NODES; node++) {
            assertThat(limit.peek(KEY).state().atNanos()).isEqualTo(clock.nanoTime());
        }
        clock.move(Duration.ofSeconds(2));
    }

    private static void assertClosed(CompletableFuture<?> call) {
        assertThat(call)
                .failsWithin(Duration.ofNanos(DEADLINE_NANOS))
                .withThrowableThat()
                .havingCause()
                .isInstanceOfSatisfying(
                        StoreUnavailableException.class,
                        failure -> assertThat(failure.reason()).isEqualTo(Reason.CLOSED));
    }

    private SharedLimit limit(Bandwidth... bandwidths) {
        return new SharedLimit(stores, rule(1, bandwidths));
    }

    private static Rule rule(long version, Bandwidth... bandwidths) {
        return new Rule(version, new TokenBucket(List.of(bandwidths)));
    }

    private static long level(Answer answer) {
        return answer.state().level(0);
    }
}
