package io.weir.algorithm;

import java.util.List;

/**
 * The result of several requests decided in one step, in their order.
 *
 * @param verdicts one for each request
 * @param state the state after the last of them, refilled to the instant of the step
 * @param changed whether {@code state} must replace the stored one; see {@link Transition#changed()}
 */
public record BatchTransition(List<Verdict> verdicts, State state, boolean changed) {

    /** Copies the verdicts. */
    public BatchTransition {
        verdicts = List.copyOf(verdicts);
    }
}
