package io.weir.store;

import io.weir.algorithm.BatchTransition;
import io.weir.algorithm.Request;
import io.weir.algorithm.State;
import io.weir.algorithm.Transition;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A cell for a bucket of any kind, replaced as a whole with each step. */
final class StateCell extends Cell {

    private static final VarHandle STATE;

    static {
        try {
            STATE = MethodHandles.lookup().findVarHandle(StateCell.class, "state", State.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    /** Null once this cell is retired. */
    private volatile @Nullable State state;

    StateCell(State state) {
        this.state = state;
    }

    /** The bucket as of its last change; null if it is not here any more. */
    @Nullable
    State state() {
        return state;
    }

    /** {@link #decide} for one request, without the lists. */
    @Nullable
    Answer take(LocalBuckets.Numbers numbers, long permits, NanoClock clock) {
        long now = clock.nanoTime();
        while (true) {
            State before = state;
            if (before == null) {
                return null;
            }
            now = notBefore(before, now, clock);
            Transition step = numbers.rule().take(before, permits, now);
            if (!step.changed()) {
                return Answer.of(step, now, Source.LOCAL);
            }
            if (!step.state().rule().equals(before.rule())) {
                return null; // other numbers may be kept in another way
            }
            if (replace(before, step.state())) {
                return Answer.of(step, now, Source.LOCAL);
            }
        }
    }

    private boolean replace(State expected, State next) {
        return STATE.compareAndSet(this, expected, next);
    }

    /**
     * The instant to decide at: the one that was read first, whatever races are lost since. Only a state that is newer was
     * made while this thread stood still; after a long stall the old instant would pass for a clock that stepped back (I2).
     */
    private static long notBefore(State state, long nowNanos, NanoClock clock) {
        return state.atNanos() <= nowNanos ? nowNanos : clock.nanoTime();
    }

    @Override
    @Nullable
    List<Answer> decide(LocalBuckets.Numbers numbers, List<Request> requests, NanoClock clock) {
        long now = clock.nanoTime();
        while (true) {
            State before = state;
            if (before == null) {
                return null;
            }
            now = notBefore(before, now, clock);
            BatchTransition step = numbers.rule().decide(before, requests, now);
            if (!step.changed()) {
                return LocalBuckets.answers(step, requests, now);
            }
            if (!step.state().rule().equals(before.rule())) {
                return null;
            }
            if (replace(before, step.state())) {
                return LocalBuckets.answers(step, requests, now);
            }
        }
    }

    @Override
    @Nullable
    State retire(NanoClock clock) {
        return (State) STATE.getAndSet(this, (State) null);
    }

    @Override
    boolean retireIfFull(NanoClock clock) {
        State before = state;
        return before == null
                || (before.fullAtNanos() <= clock.nanoTime() && STATE.compareAndSet(this, before, (State) null));
    }
}
