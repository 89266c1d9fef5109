package io.weir.quota;

import java.util.concurrent.atomic.AtomicReference;

/**
 * Between a caller, who leaves at the deadline, and the worker that decides for it. Either sees what the other did first.
 *
 * <pre>
 *   OPEN ----worker writes----> WRITING ----worker is done----> ANSWERED
 *     |                            |
 *     +--caller leaves--> GONE     +--caller leaves--> TOLD
 * </pre>
 *
 * If the database then says that nothing was written, WRITING is OPEN again, and TOLD is GONE.
 *
 * A step of a caller that is {@code GONE} writes nothing. One of a caller that left while it was being written may be committed, and is undone if its
 * caller was told no.
 */
final class Gate {

    private enum State {
        OPEN,
        WRITING,
        ANSWERED,
        GONE,
        TOLD
    }

    private final AtomicReference<State> state = new AtomicReference<>(State.OPEN);

    /** By the worker, before it writes; again, if it has to write again. */
    boolean mayWrite() {
        return state.compareAndSet(State.OPEN, State.WRITING) || state.get() == State.WRITING;
    }

    /** By the worker, once the database has said that nothing was written. */
    void unwritten() {
        if (!state.compareAndSet(State.WRITING, State.OPEN)) {
            state.compareAndSet(State.TOLD, State.GONE);
        }
    }

    /** By the worker, once it is done: whether the caller is still there. */
    boolean answered() {
        return state.compareAndSet(State.WRITING, State.ANSWERED) || state.compareAndSet(State.OPEN, State.ANSWERED);
    }

    /** By the caller, at its deadline: whether there is no answer. */
    boolean left() {
        return state.compareAndSet(State.OPEN, State.GONE) || state.compareAndSet(State.WRITING, State.TOLD);
    }

    /** Whether something is being written, or may have been. */
    boolean isWriting() {
        return state.get() == State.WRITING;
    }

    /** Whether the caller has left. */
    boolean isLeft() {
        return state.get() == State.GONE || state.get() == State.TOLD;
    }

    /** Whether the caller left while its step was being written. */
    boolean isTold() {
        return state.get() == State.TOLD;
    }
}
