package io.weir.hazelcast;

/**
 * What a node says with a call of its lease on the key, and what it would like to have.
 *
 * @param kept how many permits it holds and goes on spending while the call is under way
 * @param returned how many it held and has stopped spending: they go back whatever becomes of the call (L11)
 * @param wanted how many more it would like to hold
 * @param ttlNanos for how long it will hold them, counted from the moment at which it sends
 * @param deadlineNanos after which none of this is to happen: on this node's clock until it is sent, then on the owner's
 */
record LeaseReport(long kept, long returned, long wanted, long ttlNanos, long deadlineNanos) {

    /**
     * Whether the node wants nothing any more. Its call is written whatever it finds, so that an earlier one that it has
     * overtaken is refused, and lends nothing to a node that does not listen.
     */
    boolean isFarewell() {
        return kept == 0 && wanted == 0;
    }

    LeaseReport by(long ownersDeadlineNanos) {
        return new LeaseReport(kept, returned, wanted, ttlNanos, ownersDeadlineNanos);
    }
}
