package io.weir.hazelcast;

import java.util.concurrent.Executor;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.ForkJoinWorkerThread;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** Completes futures on the user's executor or, if there is none or it is of no use, on a few threads of ours. */
final class PooledContinuations implements Continuations {

    /** Reached only by continuations that block each other. */
    private static final int MAX_THREADS = 256;

    private static final long IDLE_SECONDS = 10;

    private final @Nullable Executor users;
    private final Executor ours = pool();

    PooledContinuations(@Nullable Executor users) {
        this.users = users;
    }

    @Override
    public void run(Runnable completion, Runnable refused) {
        Executor chosen = users;
        if (chosen == null) {
            runOnOurs(completion);
            return;
        }
        Thread handing = Thread.currentThread();
        try {
            // An executor that runs on the spot would run it on a thread of Hazelcast's.
            chosen.execute(() -> {
                if (Thread.currentThread() == handing) {
                    runOnOurs(completion);
                } else {
                    completion.run();
                }
            });
        } catch (Throwable e) { // refused, or no thread to be had: the future must not hang for that
            runOnOurs(refused);
        }
    }

    private void runOnOurs(Runnable task) {
        try {
            ours.execute(task);
        } catch (Throwable e) { // no thread to be had at all: better here than never
            task.run();
        }
    }

    /**
     * A fork-join pool, because a continuation that waits for another call of ours would otherwise hold the thread that
     * completes it: here a worker that waits is made up for. It is never shut down, since a call may still end while the
     * store closes; its threads are daemons, and end by themselves when there is nothing to do.
     */
    private static Executor pool() {
        AtomicInteger threads = new AtomicInteger();
        return new ForkJoinPool(
                Math.max(2, Runtime.getRuntime().availableProcessors()),
                pool -> {
                    ForkJoinWorkerThread thread = new ForkJoinWorkerThread(pool) {};
                    thread.setName("weir-continuation-" + threads.incrementAndGet());
                    return thread;
                },
                null,
                true,
                0,
                MAX_THREADS,
                1,
                null,
                IDLE_SECONDS,
                TimeUnit.SECONDS);
    }
}
