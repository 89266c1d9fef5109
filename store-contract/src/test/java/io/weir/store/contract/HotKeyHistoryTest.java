package io.weir.store.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.algorithm.Bandwidth;
import io.weir.algorithm.Rule;
import io.weir.algorithm.TokenBucket;
import io.weir.algorithm.Verdict;
import io.weir.store.Answer;
import io.weir.store.Buckets;
import io.weir.store.LocalStore;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.RepeatedTest;

/** Threads that take ahead of demand from one hot key, while others empty what they hold: the bound holds (I1). */
class HotKeyHistoryTest {

    private static final int THREADS = 8;

    /** On a busy machine one thread may have made all its steps before the others begin. */
    private static final int MOST_TRIES = 1_000_000;

    @RepeatedTest(5)
    void grantsNoMoreThanCapacityAndRefillInAnySpan() {
        Bandwidth bandwidth = Bandwidth.of(20_000, 20_000, Duration.ofMillis(500));
        ManualClock clock = new ManualClock();
        ConcurrentLinkedQueue<Grant> history = new ConcurrentLinkedQueue<>();
        AtomicLong fromLanes = new AtomicLong();
        AtomicBoolean someoneMovesTheClock = new AtomicBoolean();
        AtomicInteger steps = new AtomicInteger(1_000);
        try (LocalStore store = LocalStore.create(clock, 100)) {
            Buckets buckets = store.buckets("hot", new Rule(1, new TokenBucket(List.of(bandwidth))));

            Threads.together(THREADS, () -> {
                boolean mine = someoneMovesTheClock.compareAndSet(false, true);
                for (int i = 0; steps.get() > 0 || (fromLanes.get() == 0 && i < MOST_TRIES); i++) {
                    long began = clock.nanoTime();
                    long permits = mine && i % 500 == 0 ? 3_000 : 1 + i % 3;
                    Answer answer = buckets.take("key", permits, SharedLimit.DEADLINE_NANOS);
                    if (answer.verdict() == Verdict.GRANTED) {
                        history.add(new Grant(began, clock.nanoTime(), permits));
                    }
                    fromLanes.addAndGet(answer.stale() ? 1 : 0);
                    if (mine && i % 100 == 0) {
                        clock.move(Duration.ofMillis(i % 1_000 == 0 ? 20 : 1));
                        steps.decrementAndGet();
                    }
                    if (mine && i % 5_000 == 1_010) { // enough to lend, and to fill lanes from
                        clock.move(Duration.ofMillis(100));
                    }
                    if (mine && i % 5_000 == 1_050) { // the bucket becomes as full as it can while lots are out
                        clock.move(Duration.ofMillis(600));
                    }
                    if (mine && i % 700 == 0) { // a peek empties all lanes
                        buckets.take("key", 0, SharedLimit.DEADLINE_NANOS);
                    }
                }
                return 0;
            });
        }

        HistoryVerdict verdict = HistoryChecker.of(bandwidth).check(history);
        assertThat(verdict.withinBound()).as(verdict.toString()).isTrue();
        assertThat(fromLanes).hasPositiveValue();
    }
}
