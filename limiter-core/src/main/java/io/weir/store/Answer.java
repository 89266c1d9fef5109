package io.weir.store;

import io.weir.algorithm.State;
import io.weir.algorithm.Transition;
import io.weir.algorithm.Verdict;

/** What a store answers to one request. Immutable. */
public final class Answer {

    private final Verdict verdict;
    private final State state;
    private final long nowNanos;
    private final Source source;
    private final boolean stale;

    private Answer(Verdict verdict, State state, long nowNanos, Source source, boolean stale) {
        this.verdict = verdict;
        this.state = state;
        this.nowNanos = nowNanos;
        this.source = source;
        this.stale = stale;
    }

    /**
     * An answer with the bucket as it was read for this decision.
     *
     * @param verdict what was decided
     * @param state the bucket after the decision; for requests that were decided together, after the last of them
     * @param nowNanos the instant of the decision, on the clock of whoever decided
     * @param source who decided
     */
    public static Answer of(Verdict verdict, State state, long nowNanos, Source source) {
        return new Answer(verdict, state, nowNanos, source, false);
    }

    /** The answer to a transition that was made for one request alone. */
    public static Answer of(Transition transition, long nowNanos, Source source) {
        return of(transition.verdict(), transition.state(), nowNanos, source);
    }

    /** The same, if the bucket was remembered from an earlier answer rather than read for this one. */
    public Answer remembered() {
        return new Answer(verdict, state, nowNanos, source, true);
    }

    /** What was decided. */
    public Verdict verdict() {
        return verdict;
    }

    /** The bucket after the decision; for requests that were decided together, after the last of them. */
    public State state() {
        return state;
    }

    /** The instant of the decision, on the clock of whoever decided. */
    public long nowNanos() {
        return nowNanos;
    }

    /** Who decided. */
    public Source source() {
        return source;
    }

    /** Whether {@link #state()} was true a moment ago, rather than at the instant of the decision. */
    public boolean stale() {
        return stale;
    }

    @Override
    public String toString() {
        return "Answer[" + verdict + " at " + nowNanos + " ns by " + source + (stale ? ", stale " : ", ") + state + "]";
    }
}
