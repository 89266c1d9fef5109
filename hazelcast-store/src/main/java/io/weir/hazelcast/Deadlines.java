package io.weir.hazelcast;

import io.weir.store.NanoClock;
import java.time.Duration;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Watches the deadlines of those who wait without a thread.
 *
 * <p>A timer for each call would cost more than many of the calls. Limits have few distinct deadlines, and waiters with
 * the same one come in the order in which they expire: so there is one queue for each length, watched from its head by
 * one thread that ticks while anybody waits. Adding costs one insertion without a lock; a deadline is noticed at most
 * about a tick late.
 */
final class Deadlines implements AutoCloseable {

    private static final System.Logger LOG = System.getLogger(HazelcastStore.class.getName());

    static final Duration TICK = Duration.ofMillis(2);

    /** Between two looks at whole queues, for places behind a head that waits long: they are empty, and many. */
    private static final long CLEARING_NANOS = 1_000_000_000;

    /** So many ticks without anybody waiting, and the thread parks until somebody comes. */
    private static final int IDLE_TICKS = 100;

    /**
     * One place in a queue. It holds who waits, perhaps alone: a future does not refer to what completes it, so that who awaits one
     * keeps nobody, nor does a call that was given up. It lets go of who has ended: one that waits long at the head must not keep the
     * answers of all who came after it.
     */
    static final class Watched {
        private volatile @Nullable Waiter waiter;
        private final Consumer<Waiter> expired;

        private Watched(Waiter waiter, Consumer<Waiter> expired) {
            this.waiter = waiter;
            this.expired = expired;
        }

        void letGo() {
            waiter = null;
        }
    }

    private final NanoClock clock;
    /** As many as there are distinct deadlines of limits, and never fewer again. */
    private final Map<Long, Queue<Watched>> byLength = new ConcurrentHashMap<>();

    private long clearedNanos; // touched by who sweeps
    private volatile boolean idle;
    private volatile boolean closed;
    private volatile @Nullable Thread thread;

    Deadlines(NanoClock clock) {
        this.clock = clock;
        this.clearedNanos = clock.nanoTime();
    }

    /** How many places there are, of those who wait and of those who do not any more. */
    int places() {
        return byLength.values().stream().mapToInt(Queue::size).sum();
    }

    /** Starts watching, on a daemon thread. */
    void start(String threadName) {
        Thread watching = new Thread(this::watch, threadName);
        watching.setDaemon(true);
        thread = watching;
        watching.start();
    }

    /**
     * Calls {@code expired} if the waiter still waits at its deadline.
     *
     * @param lengthNanos how long the waiter waits altogether
     * @param expired must not hold the waiter itself
     */
    void watch(Waiter waiter, long lengthNanos, Consumer<Waiter> expired) {
        Watched watched = new Watched(waiter, expired);
        waiter.watchedAs(watched);
        byLength.computeIfAbsent(lengthNanos, length -> new ConcurrentLinkedQueue<>())
                .add(watched);
        if (idle) {
            LockSupport.unpark(thread);
        }
    }

    private void watch() {
        int empty = 0;
        while (!closed) {
            empty = sweep() ? 0 : empty + 1;
            if (empty < IDLE_TICKS) {
                LockSupport.parkNanos(this, TICK.toNanos());
                continue;
            }
            idle = true;
            if (!sweep()) { // once more, for whoever came before idle was set
                LockSupport.park(this);
            }
            idle = false;
            empty = 0;
        }
    }

    /** Expires who is due; whether anybody is left to watch. */
    boolean sweep() {
        long now = clock.nanoTime();
        boolean clears = now - clearedNanos >= CLEARING_NANOS;
        if (clears) {
            clearedNanos = now;
        }
        boolean any = false;
        for (Queue<Watched> queue : byLength.values()) {
            if (clears) {
                queue.removeIf(place -> place.waiter == null);
            }
            for (Watched head = queue.peek(); head != null; head = queue.peek()) {
                Waiter waiter = head.waiter;
                if (waiter == null || !waiter.isWaiting()) {
                    queue.poll();
                } else if (now < waiter.deadlineNanos()) {
                    any = true;
                    break;
                } else {
                    queue.poll();
                    expire(head, waiter);
                }
            }
        }
        return any;
    }

    private static void expire(Watched head, Waiter waiter) {
        try {
            head.expired.accept(waiter);
        } catch (Throwable e) { // the others' deadlines must not depend on it
            waiter.fail(e);
            LOG.log(System.Logger.Level.ERROR, "A deadline could not be handled.", e);
        }
    }

    /** Whether the thread has parked until somebody comes. */
    boolean isIdle() {
        return idle;
    }

    @Override
    public void close() {
        closed = true;
        LockSupport.unpark(thread);
    }
}
