package io.weir.bench;

import java.util.concurrent.CompletionStage;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Keeps up to {@value #MOST} asynchronous calls in flight: the caller waits while there are as many, as any caller with
 * back pressure would.
 */
final class InFlight {

    static final int MOST = 64;

    private final Semaphore room = new Semaphore(MOST);
    private final AtomicReference<Throwable> failure = new AtomicReference<>();

    /** Waits until a call may start. */
    void start() throws InterruptedException {
        room.acquire();
    }

    /**
     * Follows a call that has started, until it ends.
     *
     * @param check throws if the answer is not the expected one
     */
    <T> CompletionStage<Void> track(CompletionStage<T> call, Consumer<T> check) {
        return call.thenAccept(check).whenComplete((nothing, thrown) -> end(thrown));
    }

    /** A call has ended. */
    void end(@Nullable Throwable thrown) {
        if (thrown != null) {
            failure.compareAndSet(null, thrown);
        }
        room.release();
    }

    /** Waits for all calls to end; throws if one has failed, since a failure must not pass for a fast call. */
    void drain() throws InterruptedException {
        room.acquire(MOST);
        room.release(MOST);
        if (failure.get() != null) {
            throw new IllegalStateException("a call failed", failure.get());
        }
    }
}
