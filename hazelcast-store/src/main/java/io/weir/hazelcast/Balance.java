package io.weir.hazelcast;

import io.weir.algorithm.State;

/**
 * What this node last heard of a bucket.
 *
 * @param state what was available
 * @param ownerNanos when, on the owner's clock
 * @param sentNanos when the call was sent that brought it, on this node's clock
 * @param receivedNanos when its answer came, on this node's clock
 */
record Balance(State state, long ownerNanos, long sentNanos, long receivedNanos) {

    /** An instant of this node's clock on the owner's, at the earliest. */
    long inOwnersTime(long nowNanos) {
        return ownerNanos + Math.max(0, nowNanos - receivedNanos);
    }
}
