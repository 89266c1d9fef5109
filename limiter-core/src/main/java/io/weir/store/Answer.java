package io.weir.store;

import io.weir.algorithm.State;
import io.weir.algorithm.Transition;
import io.weir.algorithm.Verdict;

/**
 * What a store answers to one request.
 *
 * @param verdict what was decided
 * @param state the bucket after the decision. For a request that was decided together with others on the same key, the
 *     bucket after the last of them
 * @param nowNanos the instant of the decision, on the clock of whoever decided
 * @param source who decided
 * @param stale whether {@code state} was remembered from an earlier answer, and not read for this decision
 */
public record Answer(Verdict verdict, State state, long nowNanos, Source source, boolean stale) {

    /** The answer to a transition that was made for this request alone. */
    public static Answer of(Transition transition, long nowNanos, Source source) {
        return new Answer(transition.verdict(), transition.state(), nowNanos, source, false);
    }
}
