package io.weir.hazelcast;

import org.jspecify.annotations.Nullable;

/**
 * One run of a call's processor on a member.
 *
 * @param before what it found
 * @param entry what it left
 * @param backup whether it has something for the backups
 * @param rightful whether the member that ran it is the owner
 */
record SimulatedRun(
        SimulatedCall call,
        long ownerNanos,
        @Nullable StoredBucket before,
        SimulatedEntry entry,
        CallAnswer answer,
        boolean backup,
        boolean rightful) {

    boolean isDecided() {
        return answer.outcome() == CallAnswer.Outcome.DECIDED;
    }

    /** What was remembered of the node that calls. */
    @Nullable
    CallRecord last() {
        return before == null ? null : before.recordOf(call.said().node());
    }

    /** Whether this call had been decided before. */
    boolean isRepeated() {
        CallRecord last = last();
        return isDecided() && last != null && last.number() == call.said().number();
    }

    /** What it wrote; null if it wrote nothing. */
    @Nullable
    StoredBucket written() {
        return entry.isWritten() ? entry.stored() : null;
    }

    /** What became of the node's lease, as it is told. */
    @Nullable
    LeaseAnswer lease() {
        return answer.lease();
    }

    @Override
    public String toString() {
        return call.toString();
    }
}
