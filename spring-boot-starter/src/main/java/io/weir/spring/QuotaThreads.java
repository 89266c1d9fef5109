package io.weir.spring;

import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/** Threads that wait for quotas in place of those of an event loop. */
final class QuotaThreads implements Executor, AutoCloseable {

    /** How many requests wait their turn; more are answered as if the ledger was away. */
    private static final int MOST_WAITING = 1_000;

    private static final long IDLE_SECONDS = 30;

    /**
     * Bounded by what is put in: of what asks no more than {@link #MOST_WAITING} waits, and of what ends, one for each request that was let
     * in. An end that is refused would leave a charge wrong.
     */
    private final LinkedBlockingQueue<Runnable> waiting = new LinkedBlockingQueue<>();

    private final ThreadPoolExecutor threads;

    QuotaThreads(int count) {
        this.threads = new ThreadPoolExecutor(count, count, IDLE_SECONDS, TimeUnit.SECONDS, waiting, work -> {
            Thread thread = new Thread(work, "weir-quota-http");
            thread.setDaemon(true);
            return thread;
        });
        threads.allowCoreThreadTimeOut(true);
    }

    @Override
    public void execute(Runnable asking) {
        if (waiting.size() >= MOST_WAITING) {
            throw new RejectedExecutionException(MOST_WAITING + " requests wait for quotas already");
        }
        threads.execute(asking);
    }

    /** Ends something, in its turn. Once these are closed, on the caller's thread: the application stops. */
    void end(Runnable ending) {
        try {
            threads.execute(ending);
        } catch (RejectedExecutionException e) {
            ending.run();
        }
    }

    @Override
    public void close() {
        threads.shutdown();
        try {
            if (!threads.awaitTermination(IDLE_SECONDS, TimeUnit.SECONDS)) {
                threads.shutdownNow();
            }
        } catch (InterruptedException e) {
            threads.shutdownNow();
            Thread.currentThread().interrupt();
        }
    }
}
