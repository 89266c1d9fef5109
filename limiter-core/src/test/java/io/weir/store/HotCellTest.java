package io.weir.store;

import static io.weir.algorithm.Verdict.DENIED;
import static io.weir.algorithm.Verdict.GRANTED;
import static org.assertj.core.api.Assertions.assertThat;

import io.weir.algorithm.Bandwidth;
import io.weir.algorithm.PackedBucket;
import io.weir.algorithm.Request;
import io.weir.algorithm.Rule;
import io.weir.algorithm.State;
import io.weir.algorithm.TokenBucket;
import io.weir.algorithm.Transition;
import io.weir.algorithm.Verdict;
import java.time.Duration;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Keys that are so hot that threads take from their buckets ahead of demand. Whatever is out, a caller sees one bucket.
 *
 * <p>What a lane granted is known by {@link Answer#stale()}.
 */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class HotCellTest {

    private static final long ANY_DEADLINE = 1;
    private static final int THREADS = 8;
    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final Duration MINUTE = Duration.ofMinutes(1);
    private static final Duration HOUR = Duration.ofHours(1);

    /** Enough for lots of 20. */
    private static final long CAPACITY = 10_240;

    private final AtomicLong nowNanos = new AtomicLong();

    /** Runs once, right after the clock was read next. */
    private final AtomicReference<Runnable> onceRead = new AtomicReference<>(() -> {});

    private final LocalStore store = LocalStore.create(
            () -> {
                long now = nowNanos.get();
                onceRead.getAndSet(() -> {}).run();
                return now;
            },
            100);

    @AfterEach
    void close() {
        store.close();
    }

    private static Rule rule(long version, long capacity, long refill, Duration period) {
        return new Rule(version, new TokenBucket(List.of(Bandwidth.of(capacity, refill, period))));
    }

    private LocalBuckets buckets(long capacity, long refill, Duration period) {
        return (LocalBuckets) store.buckets("limit", rule(1, capacity, refill, period));
    }

    private static Answer take(Buckets buckets, long permits) {
        return buckets.take("key", permits, ANY_DEADLINE);
    }

    private static Answer giveBack(Buckets buckets, long permits) {
        return buckets.decide("key", List.of(new Request.GiveBack(permits)), ANY_DEADLINE)
                .join()
                .get(0);
    }

    private static long level(Buckets buckets) {
        return take(buckets, 0).state().level(0);
    }

    private void move(Duration by) {
        nowNanos.addAndGet(by.toNanos());
    }

    /** Takes permits one by one until a lane grants one; returns how many. */
    private static long heat(Buckets buckets) {
        for (long taken = 1; taken < 100_000; taken++) {
            Answer answer = take(buckets, 1);
            assertThat(answer.verdict()).isEqualTo(GRANTED);
            if (answer.stale()) {
                return taken;
            }
        }
        throw new AssertionError("a key that is asked for all the time never became hot");
    }

    @Test
    void grantsOneByOneToTheLastAndTellsWhatIsLeft() {
        Buckets buckets = buckets(CAPACITY, 1, HOUR);
        int fromLanes = 0;

        for (long left = CAPACITY - 1; left >= 0; left--) {
            Answer answer = take(buckets, 1);
            assertThat(answer.verdict()).isEqualTo(GRANTED);
            assertThat(answer.state().level(0) + answer.held()).isEqualTo(left);
            fromLanes += answer.stale() ? 1 : 0;
        }

        Answer denied = take(buckets, 1);
        assertThat(denied.verdict()).isEqualTo(DENIED);
        assertThat(denied.stale()).isFalse();
        assertThat(denied.state().readyAtNanos(0, 1)).isEqualTo(HOUR.toNanos());
        assertThat(fromLanes).isGreaterThan((int) CAPACITY / 2);
    }

    @Test
    void readsNoClockForWhatALaneGrants() {
        AtomicLong reads = new AtomicLong();
        try (LocalStore counted = LocalStore.create(reads::incrementAndGet, 100)) {
            Buckets buckets = counted.buckets("limit", rule(1, 1_000_000, 1, MINUTE));
            for (int i = 0; i < 100_000; i++) {
                take(buckets, 1);
            }

            assertThat(reads.get()).isLessThan(10_000);
        }
    }

    @Test
    void grantsARequestThatOnlyAllLanesTogetherCanMeet() {
        Buckets buckets = buckets(CAPACITY, 1, HOUR);
        long left = CAPACITY - heat(buckets);

        assertThat(take(buckets, left + 1).verdict()).isEqualTo(DENIED);
        heat(buckets);
        left = level(buckets);
        assertThat(take(buckets, left).verdict()).isEqualTo(GRANTED);
        assertThat(take(buckets, 1).verdict()).isEqualTo(DENIED);
    }

    @Test
    void countsWhatIsOutInAPeekAndInABatch() {
        Buckets buckets = buckets(CAPACITY, 1, HOUR);
        long left = CAPACITY - heat(buckets);

        assertThat(level(buckets)).isEqualTo(left);
        left -= heat(buckets);
        assertThat(giveBack(buckets, 7).state().level(0)).isEqualTo(left + 7);
        assertThat(giveBack(buckets, Long.MAX_VALUE).state().level(0)).isEqualTo(CAPACITY);
    }

    @Test
    void carriesWhatIsOutOverWhenTheLimitChanges() {
        Buckets buckets = buckets(CAPACITY, 1, HOUR);
        long left = CAPACITY - heat(buckets);

        buckets.change(rule(2, 2 * CAPACITY, 1, HOUR));

        assertThat(level(buckets)).isEqualTo(2 * left);
        assertThat(take(buckets, 1).state().level(0)).isEqualTo(2 * left - 1);
    }

    @Test
    void returnsWhatIsOutWhenSwept() {
        LocalBuckets buckets = buckets(CAPACITY, CAPACITY, HOUR);
        long left = CAPACITY - heat(buckets);

        store.sweep();
        move(HOUR);

        // Had they been out all the hour, the bucket could not have become full.
        assertThat(level(buckets)).isEqualTo(CAPACITY);
        assertThat(left).isLessThan(CAPACITY);
        store.sweep();
        assertThat(buckets.size()).isZero();
    }

    @Test
    void retiresNoBucketOfWhichSomethingIsOut() {
        LocalBuckets buckets = buckets(CAPACITY, CAPACITY, SECOND);
        heat(buckets);
        Answer granted = take(buckets, 1);
        assertThat(granted.stale()).isTrue();
        move(HOUR);
        assertThat(take(buckets, 3).stale()).isTrue(); // an hour later, and nobody knows

        store.sweep();

        assertThat(buckets.size()).isEqualTo(1);
        assertThat(take(buckets, CAPACITY - 2).verdict()).isEqualTo(DENIED);
    }

    @Test
    void makesNoKeyHotByRequestsThatNoLaneCouldServe() {
        LocalBuckets buckets = buckets(1_000_000, 1, MINUTE);

        for (int i = 0; i < 400; i++) {
            assertThat(take(buckets, 2_048).verdict()).isEqualTo(GRANTED);
        }
        assertThat(buckets.isHot("key")).isFalse();

        heat(buckets);
        assertThat(buckets.isHot("key")).isTrue();
    }

    @Test
    void hasNoMoreLanesThanLotsCanBeOut() {
        assertThat(HotCell.LANES).isLessThanOrEqualTo(PackedBucket.MAX_LOTS);
    }

    @Test
    void holdsNothingForAnotherThreadThatItsOwnLaneDoesNotHold() throws InterruptedException {
        LocalBuckets buckets = buckets(1_000_000, 1, MINUTE);
        heat(buckets);
        List<Answer> other = new CopyOnWriteArrayList<>();
        Thread thread = new Thread(() -> other.add(take(buckets, 1)));
        while (thread.getId() % HotCell.LANES == Thread.currentThread().getId() % HotCell.LANES) {
            thread = new Thread(() -> other.add(take(buckets, 1)));
        }

        thread.start();
        thread.join();

        assertThat(other.get(0).stale()).isTrue();
        assertThat(other.get(0).held()).isZero();
        assertThat(take(buckets, 1).held()).isPositive();
    }

    /** A bucket that is between two cells when a clock throws is not forgotten, which would pass for full. */
    @Test
    void losesNoBucketWhenTheClockThrows() {
        int thrown = 0;
        for (int reading = 1; reading <= 4; reading++) {
            Buckets buckets = store.buckets("limit-" + reading, rule(1, CAPACITY, 1, HOUR));
            long left = CAPACITY - heat(buckets);
            buckets.change(rule(2, CAPACITY, 1, HOUR));
            afterReadings(reading, () -> {
                throw new IllegalStateException("no clock");
            });

            try {
                assertThat(level(buckets)).isEqualTo(left);
            } catch (IllegalStateException e) {
                thrown++;
            }

            onceRead.set(() -> {});
            assertThat(level(buckets)).isEqualTo(left);
        }
        assertThat(thrown).isEqualTo(3); // by the end of the lanes, by that of the cell, and by the decision
    }

    private void afterReadings(int readings, Runnable then) {
        onceRead.set(readings == 1 ? then : () -> afterReadings(readings - 1, then));
    }

    /** A word of this rule is good for two minutes, and the key never comes back. */
    @Test
    void leavesNothingBehindOfAHotKeyThatIsIdleForLongerThanAWordIsGoodFor() {
        LocalBuckets buckets = buckets(1_000_000, 999_983, SECOND);
        heat(buckets);
        assertThat(take(buckets, 1).stale()).isTrue();
        move(HOUR);

        store.sweep(); // nobody knows when the last ones were spent
        assertThat(buckets.size()).isEqualTo(1);
        move(SECOND);
        store.sweep();

        assertThat(buckets.size()).isZero();
    }

    @Test
    void hasAKeyCoolThatFilledNoLaneFromOneSweepToTheNext() {
        LocalBuckets buckets = buckets(CAPACITY, 1, HOUR);
        long left = CAPACITY - heat(buckets);

        store.sweep();
        assertThat(buckets.isHot("key")).isTrue();
        left -= heat(buckets);
        store.sweep();
        assertThat(buckets.isHot("key")).isTrue();
        store.sweep();
        assertThat(buckets.isHot("key")).isFalse();

        assertThat(level(buckets)).isEqualTo(left);
        heat(buckets);
        assertThat(buckets.isHot("key")).isTrue();
    }

    /** A word of this rule is good for two minutes. */
    @Test
    void hasNoKeyCoolBecauseAnotherOneHasSleptForLong() {
        LocalBuckets buckets = buckets(1_000_000, 999_983, SECOND);
        buckets.take("dormant", 1, ANY_DEADLINE);
        move(SECOND.multipliedBy(200));
        buckets.change(rule(2, 2_000_000, 999_983, SECOND));
        heat(buckets);

        buckets.take("dormant", 0, ANY_DEADLINE);

        assertThat(take(buckets, 1).stale()).isTrue();
    }

    /** I1: a bucket that is full while permits are out has not refilled what is spent of them later. */
    @Test
    void refillsNothingThatWasSpentAfterwards() {
        Buckets buckets = buckets(CAPACITY, CAPACITY, SECOND);
        heat(buckets);
        move(HOUR);
        long spent = 0;
        while (take(buckets, 1).stale()) {
            spent++;
        }
        spent++;

        assertThat(spent).isGreaterThan(1);
        assertThat(take(buckets, CAPACITY - spent + 1).verdict()).isEqualTo(DENIED);
    }

    /** Permits are spent until the very moment a lane is closed. */
    @Test
    void readsTheClockOnlyOnceNothingMoreCanBeSpent() {
        Buckets buckets = buckets(CAPACITY, CAPACITY, SECOND);
        heat(buckets);
        AtomicReference<Verdict> meanwhile = new AtomicReference<>();
        onceRead.set(() -> {
            move(HOUR);
            meanwhile.set(take(buckets, 2).verdict());
        });

        take(buckets, 0);

        assertThat(meanwhile).hasValue(GRANTED);
        assertThat(take(buckets, CAPACITY - 1).verdict()).isEqualTo(DENIED);
    }

    /**
     * One thread takes, while another one has all permits come back all the time, and now and then the bucket move into
     * another cell: every balance that the first one is told is one that the bucket had.
     */
    @Test
    void tellsABalanceThatWasSoWhateverHappensToTheBucketMeanwhile() throws InterruptedException {
        long capacity = 2_000_000;
        Buckets buckets = buckets(capacity, 1, MINUTE);
        AtomicBoolean done = new AtomicBoolean();
        Thread other = new Thread(() -> {
            for (int i = 1; !done.get(); i++) {
                if (i % 64 == 0) {
                    buckets.change(rule(1 + i / 64, capacity, 1, MINUTE));
                }
                take(buckets, 0);
                for (int pause = 0; pause < 100; pause++) {
                    Thread.onSpinWait();
                }
            }
        });
        other.start();
        int fromLanes = 0;
        try {
            for (long left = capacity - 1; left >= 0; left--) {
                Answer answer = take(buckets, 1);
                long remaining = answer.state().level(0) + answer.held();
                if (remaining > left || remaining < left - PackedBucket.MAX_LOTS * 1_024) {
                    throw new AssertionError(answer + ", but " + left + " were left");
                }
                fromLanes += answer.stale() ? 1 : 0;
            }
        } finally {
            done.set(true);
            other.join();
        }
        assertThat(fromLanes).isPositive();
    }

    /** The same for a lane that is refilled: it closes first. */
    @Test
    void readsTheClockForARefillOnlyOnceNothingMoreCanBeSpent() {
        Buckets buckets = buckets(CAPACITY, CAPACITY, SECOND);
        heat(buckets);
        long left = 0;
        while (left != 3) {
            left = take(buckets, 1).held();
        }
        AtomicReference<Verdict> meanwhile = new AtomicReference<>();
        // The first reading is for the take of 4 itself, which the lane does not hold; the second for the refill.
        onceRead.set(() -> onceRead.set(() -> {
            move(HOUR);
            meanwhile.set(take(buckets, 3).verdict());
        }));

        assertThat(take(buckets, 4).verdict()).isEqualTo(GRANTED);

        assertThat(meanwhile).hasValue(GRANTED);
        assertThat(take(buckets, CAPACITY - 2).verdict()).isEqualTo(DENIED);
    }

    /** One thread has emptied the lanes and not yet put anything back; another asks for it all. */
    @Test
    void deniesNothingThatIsOnItsWayBack() throws InterruptedException {
        Buckets buckets = buckets(CAPACITY, 1, HOUR);
        long left = CAPACITY - heat(buckets);
        AtomicReference<Verdict> other = new AtomicReference<>();
        Thread asksForAll = new Thread(() -> other.set(take(buckets, left).verdict()));
        onceRead.set(() -> {
            asksForAll.start();
            while (other.get() == null && asksForAll.getState() != Thread.State.WAITING) {
                Thread.onSpinWait();
            }
        });

        take(buckets, 0);
        asksForAll.join();

        assertThat(other).hasValue(GRANTED);
    }

    /**
     * Threads that all take from one lane, by their numbers. No reading of the clock is like another, so that between two
     * answers of one instant no lane was refilled: if more is missing than one thread took, another one came in between.
     */
    @Test
    void grantsExactlyTheCapacityToThreadsThatCollideOnALane() {
        boolean collided = false;
        for (int round = 0; round < 100 && !collided; round++) { // a busy machine may run the threads one by one
            collided = grantsExactlyTheCapacity(thread -> thread.getId() % HotCell.LANES == 0);
        }

        assertThat(collided).isTrue();
    }

    @Test
    void grantsExactlyTheCapacityToThreadsOnLanesOfTheirOwn() {
        grantsExactlyTheCapacity(thread -> true);
    }

    /** Whether threads were seen to collide. */
    private static boolean grantsExactlyTheCapacity(Predicate<Thread> admitted) {
        long capacity = 1_000_000;
        AtomicLong ticks = new AtomicLong();
        try (LocalStore contended = LocalStore.create(ticks::incrementAndGet, 100)) {
            Buckets buckets = contended.buckets("limit", rule(1, capacity, 1, MINUTE));
            CyclicBarrier together = new CyclicBarrier(THREADS);
            List<Tally> tallies = Stream.generate(() -> new Tally(buckets, capacity * 9 / 8 / THREADS, together))
                    .filter(admitted)
                    .limit(THREADS)
                    .toList();
            tallies.forEach(Thread::start);
            tallies.forEach(Tally::await);

            assertThat(tallies.stream().mapToLong(tally -> tally.granted).sum()).isEqualTo(capacity);
            assertThat(level(buckets)).isZero();
            assertThat(tallies.stream().mapToLong(tally -> tally.fromLanes).sum())
                    .isGreaterThan(capacity / 2);
            return tallies.stream().filter(tally -> tally.collisions > 100).count() > 1;
        }
    }

    /** What one thread was granted, and how often it saw that another one took from its lane in between. */
    private static final class Tally extends Thread {
        private final Buckets buckets;
        private final long requests;
        private final CyclicBarrier together;
        private long granted;
        private long fromLanes;
        private long collisions;

        Tally(Buckets buckets, long requests, CyclicBarrier together) {
            this.buckets = buckets;
            this.requests = requests;
            this.together = together;
        }

        @Override
        public void run() {
            try {
                together.await();
            } catch (InterruptedException | BrokenBarrierException e) {
                throw new IllegalStateException("not all threads came", e);
            }
            Answer last = take(buckets, 0);
            for (long i = 0; i < requests; i++) {
                Answer answer = take(buckets, 1);
                granted += answer.verdict() == GRANTED ? 1 : 0;
                fromLanes += answer.stale() ? 1 : 0;
                boolean sameLot = answer.stale() && last.stale() && answer.nowNanos() == last.nowNanos();
                collisions += sameLot && answer.held() < last.held() - 1 ? 1 : 0;
                last = answer;
            }
        }

        void await() {
            try {
                join();
            } catch (InterruptedException e) {
                throw new IllegalStateException("interrupted while threads were at it", e);
            }
        }
    }

    @Test
    void takesNothingAheadWhereEveryRequestIsForTheBucketItself() {
        Buckets buckets = store.buckets("exact", rule(1, 1_000_000, 1, SECOND), Leasing.NEVER);

        for (int i = 0; i < 10_000; i++) {
            assertThat(take(buckets, 1).stale()).isFalse();
        }
    }

    @Test
    void takesNothingAheadFromASmallBucket() {
        Buckets buckets = buckets(8_191, 1, HOUR);

        for (int i = 0; i < 8_191; i++) {
            assertThat(take(buckets, 1).stale()).isFalse();
        }
    }

    @Test
    void takesNothingAheadForAKeyThatIsAskedForNowAndThen() {
        Buckets buckets = buckets(1_000_000, 1, SECOND);

        for (int i = 0; i < 10_000; i++) {
            assertThat(take(buckets, 1).stale()).isFalse();
            move(Duration.ofNanos(1_000));
        }
    }

    @Test
    void survivesTheEndOfTheTimesThatAWordIsGoodFor() {
        Buckets buckets = buckets(1_000_000, 999_983, SECOND); // 4.6 minutes
        for (int i = 1; i < 20; i++) {
            heat(buckets);
            assertThat(take(buckets, 2).stale()).isTrue();
            move(MINUTE.multipliedBy(i));
            assertThat(take(buckets, 3).verdict()).isEqualTo(GRANTED);
            assertThat(level(buckets)).isBetween(1_000_000L - 6, 1_000_000L - 3);
        }
    }

    /** Every request of every kind, one after the other, beside a bucket that lends nothing. */
    @Test
    void answersAnyStepsLikeOneBucketAsLongAsIdleLanesAreReturnedInTime() {
        SplittableRandom random = random();
        int fromLanes = 0;
        for (int i = 0; i < 40; i++) {
            fromLanes += walk(random, "exact-" + i, true);
        }

        assertThat(fromLanes).isGreaterThan(20_000);
    }

    /** Left out for longer, permits may have been spent at any time, and the worst of them counts. */
    @Test
    void grantsNothingThatOneBucketWouldNotHoweverLongPermitsAreOut() {
        SplittableRandom random = random();
        int fromLanes = 0;
        for (int i = 0; i < 40; i++) {
            fromLanes += walk(random, "any-" + i, false);
        }

        assertThat(fromLanes).isGreaterThan(20_000);
    }

    private static SplittableRandom random() {
        long seed = Long.getLong("weir.seed", System.nanoTime());
        System.out.println("HotCellTest: replay with -Dweir.seed=" + seed);
        return new SplittableRandom(seed);
    }

    /** Returns how many requests were granted by lanes. */
    private int walk(SplittableRandom random, String limit, boolean inTime) {
        Rule rule = anyRule(random, 1);
        Buckets buckets = store.buckets(limit, rule);
        State central = rule.take(null, 0, nowNanos.get()).state();
        long swept = nowNanos.get();
        int fromLanes = 0;
        for (int i = 0; i < 20_000; i++) {
            long now = nowNanos.get();
            switch (random.nextInt(400)) {
                case 0 -> {
                    long permits = random.nextLong(1, CAPACITY);
                    central = rule.giveBack(central, permits, now).state();
                    Answer answer = giveBack(buckets, permits);
                    assertAgrees(answer, central, now, inTime);
                }
                case 1 -> {
                    if (random.nextInt(8) == 0) {
                        rule = anyRule(random, rule.version() + 1);
                        buckets.change(rule);
                    }
                }
                case 2, 3, 4, 5 -> {
                    long by = random.nextLong(1L << random.nextInt(inTime ? 24 : 37));
                    if (inTime && now + by - swept > Duration.ofMillis(9).toNanos()) {
                        store.sweep();
                        swept = now + by;
                    }
                    nowNanos.addAndGet(by);
                }
                default -> {
                    long permits = random.nextInt(50) == 0 ? random.nextLong(0, CAPACITY) : random.nextLong(1, 4);
                    Transition expected = rule.take(central, permits, now);
                    Answer answer = take(buckets, permits);
                    if (inTime) {
                        assertThat(answer.verdict()).as("step %d", i).isEqualTo(expected.verdict());
                    } else if (answer.verdict() == GRANTED) {
                        assertThat(expected.verdict()).as("step %d", i).isEqualTo(GRANTED);
                    }
                    boolean both = answer.verdict() == expected.verdict();
                    if (!both) { // what was not granted was not taken
                        central = rule.advance(central, 0, now);
                    } else if (expected.changed()) {
                        central = expected.state();
                    }
                    assertAgrees(answer, both ? expected.state() : central, now, inTime);
                    fromLanes += answer.stale() ? 1 : 0;
                }
            }
        }
        return fromLanes;
    }

    private static void assertAgrees(Answer answer, State central, long now, boolean inTime) {
        if (answer.state().atNanos() < now) {
            return; // as of when the lane was filled
        }
        long remaining = answer.state().level(0) + answer.held();
        if (inTime) {
            assertThat(remaining).as("%s beside %s", answer, central).isEqualTo(central.level(0));
        } else {
            assertThat(remaining)
                    .isLessThanOrEqualTo(central.rule().advance(central, 0, now).level(0));
        }
    }

    private static Rule anyRule(SplittableRandom random, long version) {
        long capacity = random.nextLong(CAPACITY, 10 * CAPACITY);
        return rule(version, capacity, random.nextLong(1, capacity), random.nextBoolean() ? SECOND : MINUTE);
    }
}
