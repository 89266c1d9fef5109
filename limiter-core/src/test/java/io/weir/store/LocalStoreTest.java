package io.weir.store;

import static io.weir.algorithm.Verdict.DENIED;
import static io.weir.algorithm.Verdict.GRANTED;
import static io.weir.algorithm.Verdict.NEVER;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.weir.algorithm.Bandwidth;
import io.weir.algorithm.Request;
import io.weir.algorithm.Rule;
import io.weir.algorithm.TokenBucket;
import io.weir.algorithm.Verdict;
import io.weir.store.StoreUnavailableException.Reason;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LocalStoreTest {

    private static final long ANY_DEADLINE = 1;
    private static final int THREADS = 64;
    private static final Duration DAY = Duration.ofDays(1);
    private static final long SECOND = 1_000_000_000;

    private final AtomicLong nowNanos = new AtomicLong();
    private final LocalStore store = LocalStore.create(nowNanos::get, 100);

    @AfterEach
    void close() {
        store.close();
    }

    private static Rule rule(long capacity, long refill, Duration period) {
        return new Rule(1, new TokenBucket(List.of(Bandwidth.of(capacity, refill, period))));
    }

    private LocalBuckets buckets(long capacity, long refill, Duration period) {
        return (LocalBuckets) store.buckets("limit", rule(capacity, refill, period));
    }

    private static Verdict take(Buckets buckets, String key, long permits) {
        return buckets.take(key, permits, ANY_DEADLINE).verdict();
    }

    private static long level(Buckets buckets, String key) {
        return buckets.take(key, 0, ANY_DEADLINE).state().level(0);
    }

    /**
     * Every grant leaves a balance of its own, from one less than the capacity down to zero. No two readings of the clock
     * are the same here, and one is taken again only if the state is newer than the first: the proof that another thread
     * came in between.
     */
    @Test
    void grantsExactlyTheCapacityToThreadsThatCollide() {
        boolean collided = false;
        for (int round = 0; round < 200 && !collided; round++) { // a busy machine may run the threads one by one
            collided = grantsExactlyTheCapacity();
        }

        assertThat(collided).isTrue();
    }

    /** Whether threads were seen to collide. */
    private static boolean grantsExactlyTheCapacity() {
        int capacity = 50_000;
        AtomicLong ticks = new AtomicLong();
        try (LocalStore contended = LocalStore.create(ticks::incrementAndGet, 100)) {
            Buckets buckets = contended.buckets("limit", rule(capacity, 1, DAY));

            List<Answer> answers = inThreads(() -> Stream.generate(() -> buckets.take("key", 1, ANY_DEADLINE))
                    .limit(2 * capacity / THREADS)
                    .toList());

            assertThat(answers.stream()
                            .filter(answer -> answer.verdict() == GRANTED)
                            .mapToLong(answer -> answer.state().level(0))
                            .sorted()
                            .toArray())
                    .isEqualTo(LongStream.range(0, capacity).toArray());
            return ticks.get() > answers.size() + 1; // the clock was read again, since another thread came in between
        }
    }

    private static List<Answer> inThreads(Supplier<List<Answer>> work) {
        ExecutorService threads = Executors.newFixedThreadPool(THREADS);
        CountDownLatch start = new CountDownLatch(THREADS);
        try {
            return Stream.generate(() -> CompletableFuture.supplyAsync(() -> together(start, work), threads))
                    .limit(THREADS)
                    .toList()
                    .stream()
                    .flatMap(answers -> answers.join().stream())
                    .toList();
        } finally {
            threads.shutdown();
        }
    }

    private static <T> T together(CountDownLatch start, Supplier<T> work) {
        start.countDown();
        try {
            start.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException("interrupted before the start", e);
        }
        return work.get();
    }

    /** A thread that stands still for longer than any step back is tolerated must not earn that time again. */
    @Test
    void earnsNothingTwiceForAThreadThatStoodStill() {
        AtomicLong nanos = new AtomicLong();
        AtomicReference<Runnable> stall = new AtomicReference<>(() -> {});
        NanoClock stalling = () -> {
            long read = nanos.get();
            stall.getAndSet(() -> {}).run();
            return read;
        };
        try (LocalStore stalled = LocalStore.create(stalling, 100)) {
            Buckets buckets = stalled.buckets("limit", rule(10, 1, Duration.ofSeconds(1)));
            assertThat(take(buckets, "key", 10)).isEqualTo(GRANTED);
            stall.set(() -> {
                nanos.addAndGet(Duration.ofSeconds(60).toNanos());
                assertThat(take(buckets, "key", 10)).isEqualTo(GRANTED);
            });

            assertThat(take(buckets, "key", 1)).isEqualTo(DENIED);
            assertThat(take(buckets, "key", 1))
                    .as("the minute was not earned again")
                    .isEqualTo(DENIED);
        }
    }

    /** Buckets vanish once they say nothing that no bucket would not say, and not before. */
    @Test
    void sweepsBucketsThatAreFullAgain() {
        LocalBuckets buckets = buckets(10, 10, Duration.ofSeconds(1));
        for (int i = 0; i < 100; i++) {
            assertThat(take(buckets, "idle-" + i, 1)).isEqualTo(GRANTED);
        }

        nowNanos.set(SECOND / 10 - 1);
        store.sweep();
        assertThat(buckets.size()).isEqualTo(100);

        nowNanos.set(SECOND / 10);
        store.sweep();
        assertThat(buckets.size()).isZero();
    }

    @Test
    void neverSweepsABusyBucket() {
        LocalBuckets buckets = buckets(10, 10, Duration.ofSeconds(1));
        take(buckets, "busy", 10);
        for (int i = 1; i <= 20; i++) {
            nowNanos.set(i * SECOND / 2);
            assertThat(take(buckets, "busy", 5)).isEqualTo(GRANTED);
            store.sweep();
            assertThat(level(buckets, "busy")).isZero();
        }
    }

    /** A take is held up between its look at the bucket and its change of it, which has gone by then. */
    @Test
    void earnsNoTimeTwiceWhenABucketIsSweptUnderATake() {
        AtomicReference<Runnable> onceRead = new AtomicReference<>(() -> {});
        try (LocalStore hooked = hooked(onceRead)) {
            Buckets buckets = hooked.buckets("limit", rule(10, 10, Duration.ofMillis(150)));
            assertThat(take(buckets, "key", 10)).isEqualTo(GRANTED);
            nowNanos.set(SECOND / 20);
            onceRead.set(() -> {
                nowNanos.set(SECOND * 15 / 100);
                hooked.sweep();
            });
            assertThat(take(buckets, "key", 3)).isEqualTo(GRANTED);

            nowNanos.set(SECOND * 16 / 100);

            assertThat(level(buckets, "key")).as("7 and two thirds").isEqualTo(7); // I1
        }
    }

    @Test
    void earnsNoTimeTwiceWhenABucketIsSweptUnderABatch() {
        AtomicReference<Runnable> onceRead = new AtomicReference<>(() -> {});
        try (LocalStore hooked = hooked(onceRead)) {
            Buckets buckets = hooked.buckets("limit", rule(10, 10, Duration.ofMillis(150)));
            assertThat(take(buckets, "key", 10)).isEqualTo(GRANTED);
            nowNanos.set(SECOND / 20);
            onceRead.set(() -> {
                nowNanos.set(SECOND * 15 / 100);
                hooked.sweep();
            });

            List<Answer> answers = buckets.decide(
                            "key", List.of(new Request.Take(1), new Request.Take(2)), ANY_DEADLINE)
                    .join();

            assertThat(answers).extracting(Answer::verdict).containsExactly(GRANTED, GRANTED);
            assertThat(answers).extracting(Answer::nowNanos).containsOnly(SECOND * 15 / 100);
            nowNanos.set(SECOND * 16 / 100);
            assertThat(level(buckets, "key")).isEqualTo(7);
        }
    }

    /** A take that is under way while its store is closed is answered by the bucket that there is. */
    @Test
    void handsOutNoFreshBucketWhenItIsClosedUnderATake() {
        AtomicReference<Runnable> onceRead = new AtomicReference<>(() -> {});
        try (LocalStore hooked = hooked(onceRead)) {
            Buckets buckets = hooked.buckets("limit", rule(10, 1, DAY));
            assertThat(take(buckets, "key", 10)).isEqualTo(GRANTED);
            onceRead.set(hooked::close);

            assertThat(take(buckets, "key", 1)).isEqualTo(DENIED);

            assertThatExceptionOfType(StoreUnavailableException.class).isThrownBy(() -> take(buckets, "key", 1));
        }
    }

    /** Something happens right after the clock is read next. */
    private LocalStore hooked(AtomicReference<Runnable> onceRead) {
        return LocalStore.create(
                () -> {
                    long now = nowNanos.get();
                    onceRead.getAndSet(() -> {}).run();
                    return now;
                },
                100);
    }

    @Test
    void keepsNothingOfDenialsPeeksAndGiveBacks() {
        LocalBuckets buckets = buckets(10, 1, DAY);

        take(buckets, "peek", 0);
        take(buckets, "never", 11);
        buckets.decide("back", List.of(new Request.GiveBack(3)), ANY_DEADLINE).join();

        assertThat(buckets.size()).isZero();
    }

    @Test
    void refusesNewKeysRatherThanForgetADrainedOne() {
        LocalBuckets buckets = buckets(1, 1, DAY);
        for (int i = 0; i < 100; i++) {
            assertThat(take(buckets, "key-" + i, 1)).isEqualTo(GRANTED);
        }

        for (int i = 100; i < 1_000; i++) {
            String fresh = "key-" + i;
            assertThatExceptionOfType(StoreUnavailableException.class)
                    .isThrownBy(() -> take(buckets, fresh, 1))
                    .withMessageContaining("\"limit\" already counts 100 keys")
                    .extracting(StoreUnavailableException::reason)
                    .isEqualTo(Reason.OVERLOADED);
        }

        assertThat(buckets.size()).isEqualTo(100);
        for (int i = 0; i < 100; i++) {
            assertThat(take(buckets, "key-" + i, 1)).isEqualTo(DENIED);
        }
    }

    @Test
    void failsTheFuturesOfNewKeysWhenItIsFull() {
        LocalBuckets buckets = buckets(1, 1, DAY);
        for (int i = 0; i < 100; i++) {
            take(buckets, "key-" + i, 1);
        }

        assertThat(buckets.takeAsync("fresh", 1, ANY_DEADLINE)).isCompletedExceptionally();
        assertThat(buckets.decide("fresh", List.of(new Request.Take(1)), ANY_DEADLINE))
                .isCompletedExceptionally();
    }

    @Test
    void showsTheBalanceOfANewKeyAlsoWhenItIsFull() {
        LocalBuckets buckets = buckets(5, 1, DAY);
        for (int i = 0; i < 100; i++) {
            take(buckets, "key-" + i, 1);
        }

        assertThat(level(buckets, "fresh")).isEqualTo(5);
        assertThat(take(buckets, "fresh", 6)).isEqualTo(NEVER);
        assertThat(buckets.takeAsync("fresh", 0, ANY_DEADLINE)).isCompleted();
        assertThat(buckets.decide("fresh", List.of(new Request.GiveBack(1)), ANY_DEADLINE))
                .isCompleted();
    }

    @Test
    void makesRoomForANewKeyOfABucketThatIsFullAgain() {
        LocalBuckets buckets = buckets(10, 1, Duration.ofSeconds(1));
        for (int i = 0; i < 100; i++) {
            take(buckets, "key-" + i, i == 57 ? 1 : 10);
        }
        nowNanos.set(SECOND);
        int refused = 0;
        boolean granted = false;
        while (!granted && refused < 100) { // each one looks at some buckets only
            try {
                granted = take(buckets, "fresh", 1) == GRANTED;
            } catch (StoreUnavailableException e) {
                refused++;
            }
        }

        assertThat(granted).isTrue();
        assertThat(buckets.size()).isEqualTo(100);
        assertThat(take(buckets, "key-56", 2)).isEqualTo(DENIED);
    }

    @Test
    void boundsTheKeysOfEachLimitByItself() {
        LocalBuckets buckets = buckets(1, 1, DAY);
        for (int i = 0; i < 100; i++) {
            take(buckets, "key-" + i, 1);
        }

        assertThat(take(store.buckets("other", rule(1, 1, DAY)), "fresh", 1)).isEqualTo(GRANTED);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, -1})
    void refusesToKeepNoKeys(int maxKeys) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> LocalStore.create(nowNanos::get, maxKeys))
                .withMessageEndingWith("is " + maxKeys);
    }

    @Test
    void isOneNode() {
        assertThat(store.nodes()).hasValue(1);
    }

    @Test
    void goesByTheMonotonicClockUnlessGivenAnother() {
        try (LocalStore monotonic = LocalStore.create()) {
            Buckets buckets = monotonic.buckets("limit", rule(1, 1, DAY));
            long first = buckets.take("key", 0, ANY_DEADLINE).nowNanos();

            assertThat(buckets.take("key", 0, ANY_DEADLINE).nowNanos()).isGreaterThanOrEqualTo(first);
            assertThat(first).isBetween(0L, DAY.toNanos());
        }
    }
}
