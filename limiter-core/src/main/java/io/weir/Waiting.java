package io.weir;

import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * Reservations whose time has not come yet. Thread-safe.
 *
 * <p>Each leaves once: because its permits may be used now, or because they go back. So what is given back when the limits
 * are closed is not used too.
 */
final class Waiting {

    /** One thread for all: it hands on, and runs nothing of anybody's. */
    private static final class Timer {
        private static final ScheduledThreadPoolExecutor THREAD = new ScheduledThreadPoolExecutor(1, task -> {
            Thread thread = new Thread(task, "weir-waiting");
            thread.setDaemon(true);
            return thread;
        });

        static {
            THREAD.setRemoveOnCancelPolicy(true);
        }
    }

    /** Who waits without a thread, on one node for one limit. */
    private static final int MOST_ALARMS = 100_000;

    private final Set<Reservation> reserved = ConcurrentHashMap.newKeySet();
    private final Set<Runnable> alarms = ConcurrentHashMap.newKeySet();
    private final CompletableFuture<Void> closed = new CompletableFuture<>();

    /** Whether more wait than is good. */
    boolean isCrowded() {
        return alarms.size() >= MOST_ALARMS;
    }

    void enter(Reservation reservation) {
        reserved.add(reservation);
        if (closed.isDone()) {
            giveBack(reservation);
        }
    }

    /** Whether the permits are still this waiter's: not if they have gone back. */
    boolean leave(Reservation reservation) {
        return reserved.remove(reservation);
    }

    /** Has the permits go back, unless they have been used or gone back already. */
    void giveBack(Reservation reservation) {
        if (reserved.remove(reservation)) {
            reservation.rollBack();
        }
    }

    /** Completes once nobody is to wait any more. */
    CompletableFuture<Void> closed() {
        return closed;
    }

    /** Ends all waits; whatever was reserved goes back. */
    void close() {
        closed.complete(null);
        reserved.forEach(this::giveBack);
        alarms.forEach(Runnable::run);
    }

    /** Completes after a while, on a thread on which continuations may block; soon when nobody is to wait any more. */
    @SuppressWarnings("FutureReturnValueIgnored") // they end with it
    CompletableFuture<Void> after(Duration wait) {
        CompletableFuture<Void> over = new CompletableFuture<>();
        Runnable alarm = () -> over.completeAsync(() -> null, ForkJoinPool.commonPool());
        alarms.add(alarm);
        Future<?> timer = Timer.THREAD.schedule(alarm, Acquiring.saturatedNanos(wait), TimeUnit.NANOSECONDS);
        over.whenComplete((done, cancelled) -> {
            alarms.remove(alarm);
            timer.cancel(false);
        });
        if (closed.isDone()) {
            alarm.run();
        }
        return over;
    }
}
