package io.weir.quota;

import io.weir.store.NanoClock;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Has work done by a bounded number of threads, so that callers get an answer by their deadline whatever the database does. Who
 * finds all of them busy and the queue full gets none at once. Thread-safe.
 */
final class Desk implements AutoCloseable {

    private static final System.Logger LOG = System.getLogger(QuotaLedger.class.getName());
    private static final int WAITING = 1_024;
    private static final Duration IDLE = Duration.ofSeconds(10);

    private final ThreadPoolExecutor workers;
    private final Duration deadline;
    private final NanoClock nanoClock;
    private final SpendCounts counts;
    private static final long QUIET_NANOS = TimeUnit.SECONDS.toNanos(10);
    private static final long NEVER = Long.MIN_VALUE;

    /** When an outage was told of last. */
    private final AtomicLong toldNanos = new AtomicLong(NEVER);

    /** Whether its end is to be told. */
    private final AtomicBoolean away = new AtomicBoolean();

    private final DatabaseState state;

    /** Work that takes a gate, and is not to write once its caller has left. */
    interface Job<T> {
        @Nullable
        T run(Gate gate) throws SQLException;
    }

    Desk(int threads, Duration deadline, NanoClock nanoClock, SpendCounts counts) {
        AtomicInteger number = new AtomicInteger();
        this.workers = new ThreadPoolExecutor(
                threads, threads, IDLE.toMillis(), TimeUnit.MILLISECONDS, new ArrayBlockingQueue<>(WAITING), work -> {
                    Thread thread = new Thread(work, "weir-quota-" + number.incrementAndGet());
                    thread.setDaemon(true);
                    return thread;
                });
        this.workers.allowCoreThreadTimeOut(true);
        this.deadline = deadline;
        this.nanoClock = nanoClock;
        this.counts = counts;
        this.state = new DatabaseState(nanoClock);
    }

    /** How the database was found. */
    LedgerHealth health() {
        return state.health();
    }

    /**
     * What came of the job; null if the database did not answer in time, or failed.
     *
     * @param told gets the gate of a job that was done, or may have been, although its caller was told that the database did not answer
     */
    <T> @Nullable T ask(Job<T> job, Consumer<Gate> told) {
        return ask(job, new Caller<T>(told));
    }

    <T> @Nullable T ask(Job<T> job, Caller<T> caller) {
        return ask(caller, () -> submit(() -> serve(job, caller)));
    }

    /**
     * What the caller is answered.
     *
     * @param way takes the caller to where that is done; false if there is no place
     */
    <T> @Nullable T ask(Caller<T> caller, BooleanSupplier way) {
        long from = nanoClock.nanoTime();
        boolean hasPlace = way.getAsBoolean();
        T answer = hasPlace ? caller.await(deadline, nanoClock) : null;
        counts.storeAsked(answer != null, nanoClock.nanoTime() - from);
        if (answer == null && !workers.isShutdown()) {
            lost(
                    hasPlace
                            ? "The database of quotas has not answered within " + deadline
                            : "All " + workers.getMaximumPoolSize() + " workers of quotas are busy, and " + WAITING
                                    + " steps wait",
                    null);
        }
        return answer;
    }

    /** Whether there is a place for {@code work}, which a worker then does. */
    boolean submit(Runnable work) {
        try {
            workers.execute(work);
            return true;
        } catch (RejectedExecutionException | OutOfMemoryError e) { // or no thread can be made
            return false;
        }
    }

    /** By a worker that would go on with {@code work}: whether others wait, and it is behind them now. */
    boolean isBehindOthers(Runnable work) {
        return !workers.getQueue().isEmpty() && submit(work);
    }

    /** By a worker: does the job, unless its caller has left, and answers it. */
    <T> void serve(Job<T> job, Caller<T> caller) {
        if (caller.hasLeft()) {
            return;
        }
        T result;
        try {
            result = job.run(caller.gate());
        } catch (SQLException e) {
            TablesMissingException missing = missing(e);
            if (missing == null) {
                failed(e);
                caller.unanswered();
            } else {
                caller.fail(missing);
            }
            return;
        } catch (Throwable e) {
            caller.fail(e);
            return;
        }
        back();
        caller.answer(result);
    }

    /** Tables that are not there are a mistake of somebody's, which surfaces as itself; null if something else is the matter. */
    private @Nullable TablesMissingException missing(SQLException e) {
        TablesMissingException missing = TablesMissingException.in(e);
        if (missing != null && state.is(LedgerHealth.State.TABLES_MISSING, missing.getMessage())) {
            LOG.log(System.Logger.Level.ERROR, missing.getMessage());
        }
        return missing;
    }

    private void failed(SQLException e) {
        lost(
                "The database of quotas failed: " + StoredText.escaped("" + e.getMessage()),
                Failure.of(e) == Failure.FATAL ? e : null);
    }

    /** Tells of the first time, and not of each while they follow one another. */
    private void lost(String why, @Nullable Throwable cause) {
        if (state.is(LedgerHealth.State.DEGRADED, why)) {
            long now = nanoClock.nanoTime();
            long before = toldNanos.get();
            if ((before == NEVER || now - before >= QUIET_NANOS) && toldNanos.compareAndSet(before, now)) {
                away.set(true);
                LOG.log(System.Logger.Level.WARNING, why + ". Failure policies answer until it does.", cause);
            }
        }
    }

    /** After an answer of the database. */
    void back() {
        if (state.is(LedgerHealth.State.EXACT, null) && away.compareAndSet(true, false)) {
            LOG.log(System.Logger.Level.INFO, "The database of quotas answers again.");
        }
    }

    /** Takes no more work, and waits for what is being done: a connection that is silent for longer is given up. */
    @Override
    public void close() {
        workers.shutdown();
        try {
            workers.awaitTermination(2 * deadline.toMillis() + 1_000, TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
