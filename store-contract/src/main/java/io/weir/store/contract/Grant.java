package io.weir.store.contract;

/**
 * One grant as its caller saw it: decided at some instant from {@code startNanos} to {@code endNanos}, both included.
 *
 * @param startNanos when it was asked for
 * @param endNanos when it was answered, on the same clock
 * @param permits how many were granted, at least 1
 */
public record Grant(long startNanos, long endNanos, long permits) {

    /**
     * Checks the span and the permits.
     *
     * @throws IllegalArgumentException if the grant ends before it starts or is of less than one permit
     */
    public Grant {
        if (endNanos < startNanos) {
            throw new IllegalArgumentException(
                    "a grant must not end before it starts but is from " + startNanos + " to " + endNanos + " ns");
        }
        if (permits < 1) {
            throw new IllegalArgumentException("permits granted must be at least 1 but is " + permits);
        }
    }
}
