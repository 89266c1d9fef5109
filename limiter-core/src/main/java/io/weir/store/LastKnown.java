package io.weir.store;

import io.weir.algorithm.State;
import java.util.Objects;

/**
 * What a node last heard of a bucket. Immutable.
 *
 * @param state the bucket as it was then, on its owner's time line. The same object as long as nothing newer was heard
 * @param ageNanos how long ago that was at least, zero or more
 */
public record LastKnown(State state, long ageNanos) {

    /**
     * Checks the age.
     *
     * @throws IllegalArgumentException if {@code ageNanos} is negative
     */
    public LastKnown {
        Objects.requireNonNull(state, "state");
        if (ageNanos < 0) {
            throw new IllegalArgumentException("ageNanos must not be negative but is " + ageNanos);
        }
    }
}
