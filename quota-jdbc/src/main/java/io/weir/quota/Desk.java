package io.weir.quota;

import io.weir.store.NanoClock;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
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
        long from = nanoClock.nanoTime();
        T answer = answer(job, told);
        counts.storeAsked(answer != null, nanoClock.nanoTime() - from);
        if (answer == null) {
            state.is(LedgerHealth.State.DEGRADED, "the database has not answered within " + deadline);
        }
        return answer;
    }

    private <T> @Nullable T answer(Job<T> job, Consumer<Gate> told) {
        Gate gate = new Gate();
        CompletableFuture<@Nullable T> promise = new CompletableFuture<>();
        try {
            workers.execute(() -> work(job, gate, promise, told));
        } catch (RejectedExecutionException e) {
            return null;
        }
        try {
            return promise.get(deadline.toNanos(), TimeUnit.NANOSECONDS);
        } catch (TimeoutException e) {
            return gate.left() ? null : unwrapped(promise);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return gate.left() ? null : unwrapped(promise);
        } catch (ExecutionException e) {
            throw rethrown(e.getCause());
        }
    }

    private <T> void work(Job<T> job, Gate gate, CompletableFuture<@Nullable T> promise, Consumer<Gate> told) {
        if (gate.isLeft()) {
            return;
        }
        T result = null;
        Throwable thrown = null;
        boolean unknown = false;
        try {
            result = job.run(gate);
            back();
        } catch (SQLException e) {
            thrown = missing(e);
            if (thrown == null) {
                failed(e);
            }
            unknown = thrown == null
                    && gate.isWriting(); // it may be stored all the same, though its caller is told otherwise
        } catch (Throwable e) {
            thrown = e;
        }
        if (gate.answered()) {
            if (thrown == null) {
                promise.complete(result);
            } else {
                promise.completeExceptionally(thrown);
            }
            if (unknown) {
                told.accept(gate);
            }
        } else if (gate.isTold()) {
            told.accept(gate);
        }
    }

    /** The worker was faster: its answer is there, or is about to be. */
    private static <T> @Nullable T unwrapped(CompletableFuture<@Nullable T> promise) {
        try {
            return promise.join();
        } catch (CompletionException e) {
            throw rethrown(e.getCause());
        }
    }

    private static RuntimeException rethrown(@Nullable Throwable cause) {
        if (cause instanceof Error error) {
            throw error;
        }
        return cause instanceof RuntimeException known ? known : new IllegalStateException(cause);
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
        state.is(LedgerHealth.State.DEGRADED, StoredText.escaped("" + e.getMessage()));
        if (away.compareAndSet(false, true)) {
            LOG.log(
                    System.Logger.Level.WARNING,
                    "The database of quotas failed: failure policies answer until it does: "
                            + StoredText.escaped("" + e.getMessage()),
                    Failure.of(e) == Failure.FATAL ? e : null);
        }
    }

    private void back() {
        state.is(LedgerHealth.State.EXACT, null);
        if (away.get() && away.compareAndSet(true, false)) {
            LOG.log(System.Logger.Level.INFO, "The database of quotas answers again.");
        }
    }

    @Override
    public void close() {
        workers.shutdown();
    }
}
