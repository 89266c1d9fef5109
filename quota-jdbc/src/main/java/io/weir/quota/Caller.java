package io.weir.quota;

import io.weir.store.NanoClock;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Who waits for an answer until the deadline, and the worker's way of giving it. The worker's methods are for one worker at a time. */
final class Caller<T> {

    private final Gate gate = new Gate();
    private final CompletableFuture<@Nullable T> promise = new CompletableFuture<>();
    private final Consumer<Gate> told;

    /** @param told gets the gate of what was done, or may have been, although its caller was told that the database did not answer */
    Caller(Consumer<Gate> told) {
        this.told = told;
    }

    Gate gate() {
        return gate;
    }

    /**
     * By the caller: the answer; null if there is none by the deadline. An interrupt does not end that sooner: the end of a request settles what it has cost
     * on a thread that is told to stop, too.
     */
    @Nullable
    T await(Duration deadline, NanoClock nanoClock) {
        long from = nanoClock.nanoTime();
        boolean interrupted = false;
        try {
            while (true) {
                try {
                    long left = deadline.toNanos() - (nanoClock.nanoTime() - from);
                    return promise.get(left, TimeUnit.NANOSECONDS);
                } catch (TimeoutException e) {
                    return gate.left() ? null : unwrapped();
                } catch (InterruptedException e) {
                    interrupted = true;
                } catch (ExecutionException e) {
                    throw rethrown(e.getCause());
                }
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** By a worker that takes it in hand: whether it has left, and nothing more is to be done for it. */
    boolean hasLeft() {
        if (gate.isTold()) {
            told.accept(gate);
        }
        return gate.isLeft();
    }

    void answer(@Nullable T result) {
        if (gate.answered()) {
            promise.complete(result);
        } else if (gate.isTold()) {
            told.accept(gate);
        }
    }

    void fail(Throwable e) {
        if (gate.answered()) {
            promise.completeExceptionally(e);
        } else if (gate.isTold()) {
            told.accept(gate);
        }
    }

    /** The database failed. If something was being written, it may be stored all the same, though the caller is told otherwise. */
    void unanswered() {
        boolean unknown = gate.isWriting();
        if (gate.answered()) {
            promise.complete(null);
            if (unknown) {
                told.accept(gate);
            }
        } else if (gate.isTold()) {
            told.accept(gate);
        }
    }

    /** The worker was faster: its answer is there, or is about to be. */
    private @Nullable T unwrapped() {
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
}
