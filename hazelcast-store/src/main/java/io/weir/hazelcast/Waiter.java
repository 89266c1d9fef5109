package io.weir.hazelcast;

import io.weir.algorithm.Request;
import io.weir.algorithm.Verdict;
import io.weir.store.Answer;
import io.weir.store.NanoClock;
import io.weir.store.StoreUnavailableException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.ForkJoinWorkerThread;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Somebody who waits for the answer to one or several requests on one key. It ends once: answered, failed, or gone because
 * its deadline passed. What comes after that is thrown away, granted or not (L7).
 */
abstract sealed class Waiter {

    private static final VarHandle END;

    static {
        try {
            END = MethodHandles.lookup().findVarHandle(Waiter.class, "end", Object.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final List<Request> requests;
    private final long deadlineNanos;

    /** Null while waiting, then the answers or what went wrong. */
    private volatile @Nullable Object end;

    /** Where its deadline is watched; null if whoever waits does that. */
    private volatile Deadlines.@Nullable Watched watched;

    /** How often an owner found this too late although it was still waited for. Touched by one call at a time. */
    private int foundLate;

    Waiter(List<Request> requests, long deadlineNanos) {
        this.requests = requests;
        this.deadlineNanos = deadlineNanos;
    }

    final List<Request> requests() {
        return requests;
    }

    /** On this node's clock. */
    final long deadlineNanos() {
        return deadlineNanos;
    }

    final boolean isWaiting() {
        return end == null;
    }

    /** Its deadline is watched there for as long as it waits. */
    final void watchedAs(Deadlines.Watched place) {
        watched = place;
        if (!isWaiting()) {
            place.letGo(); // whoever ended it may not have seen where
        }
    }

    /** Whether what it takes goes back unless it has an answer. */
    boolean isOnTrial() {
        return false;
    }

    final int countFoundLate() {
        return ++foundLate;
    }

    /** Ends the wait with answers; false if it had ended. */
    final boolean answer(List<Answer> answers) {
        return end(answers);
    }

    /** Ends the wait with what went wrong; false if it had ended. */
    final boolean fail(Throwable failure) {
        return end(failure);
    }

    private boolean end(Object how) {
        boolean first = END.compareAndSet(this, null, how);
        if (first) {
            Deadlines.Watched place = watched;
            if (place != null) {
                place.letGo();
            }
            ended(how);
        }
        return first;
    }

    /** Tells whoever waits. Must be quick: it may run on a thread of Hazelcast's. */
    abstract void ended(Object how);

    @SuppressWarnings("unchecked") // only ever set by answer(..)
    private static List<Answer> answers(Object end) {
        return (List<Answer>) end;
    }

    /** A thread that waits. */
    static final class Parked extends Waiter {
        private final Thread thread = Thread.currentThread();

        Parked(List<Request> requests, long deadlineNanos) {
            super(requests, deadlineNanos);
        }

        @Override
        void ended(Object how) {
            LockSupport.unpark(thread);
        }

        /**
         * Waits until the end or the deadline. An interrupt does not end the wait, which is bounded, but is kept.
         *
         * @return whether the end came first
         */
        boolean await(NanoClock clock) {
            boolean interrupted = false;
            while (isWaiting()) {
                long left = deadlineNanos() - clock.nanoTime();
                if (left <= 0) {
                    break;
                }
                park(left);
                interrupted |= Thread.interrupted();
            }
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
            return !isWaiting();
        }

        private void park(long nanos) {
            if (Thread.currentThread() instanceof ForkJoinWorkerThread) {
                blockWorker(nanos);
            } else {
                LockSupport.parkNanos(this, nanos);
            }
        }

        /** A worker that waits is made up for by its pool, which may be the one that completes others' futures. */
        private void blockWorker(long nanos) {
            try {
                ForkJoinPool.managedBlock(new ForkJoinPool.ManagedBlocker() {
                    @Override
                    public boolean block() {
                        LockSupport.parkNanos(Parked.this, nanos);
                        return true;
                    }

                    @Override
                    public boolean isReleasable() {
                        return !isWaiting();
                    }
                });
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt(); // seen and kept by await
            }
        }

        /** The answers of a wait that has ended. */
        List<Answer> answersOrThrow() {
            Object how = super.end;
            if (how instanceof RuntimeException failure) {
                throw failure;
            }
            if (how instanceof Error error) {
                throw error;
            }
            if (how == null) {
                throw new IllegalStateException("still waiting");
            }
            return answers(how);
        }
    }

    /** A future that waits. It is completed on the executor for continuations, never on a thread of Hazelcast's. */
    static final class Promised extends Waiter {
        private final CompletableFuture<List<Answer>> future = new CompletableFuture<>();
        private final Node node;
        private final @Nullable Consumer<Answer> owe;

        /**
         * @param owe has permits that were granted on trial go back; null if it is none
         * @throws StoreUnavailableException if too many futures wait already
         */
        Promised(List<Request> requests, long deadlineNanos, Node node, @Nullable Consumer<Answer> owe) {
            super(requests, deadlineNanos);
            this.node = node;
            this.owe = owe;
            node.futureWaits();
        }

        @Override
        boolean isOnTrial() {
            return owe != null;
        }

        CompletableFuture<List<Answer>> future() {
            return future;
        }

        /** Has what it was granted on trial, if it was, go back. */
        void oweGranted() {
            Object how = super.end;
            if (owe != null && how instanceof List && answers(how).get(0).verdict() == Verdict.GRANTED) {
                owe.accept(answers(how).get(0));
            }
        }

        @Override
        void ended(Object how) {
            node.futureEnded();
            node.continuations().run(() -> complete(how), () -> {
                oweGranted(); // nobody is going to hear of it
                complete(refused());
            });
        }

        private static StoreUnavailableException refused() {
            return new StoreUnavailableException(
                    StoreUnavailableException.Reason.OVERLOADED,
                    "the executor for continuations refused to run one",
                    null);
        }

        private void complete(Object how) {
            if (how instanceof Throwable failure) {
                future.completeExceptionally(failure);
            } else {
                future.complete(answers(how));
            }
        }
    }
}
