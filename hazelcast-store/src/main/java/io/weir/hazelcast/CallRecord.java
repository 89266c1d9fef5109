package io.weir.hazelcast;

import io.weir.algorithm.Verdict;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * What a bucket remembers of one node: the last call that changed something, so that a call that Hazelcast delivers twice
 * charges once, and the permits that the node holds since.
 *
 * @param node the node's identity, fresh for each store instance (L9)
 * @param number the call's number; a node's numbers rise
 * @param keepUntilNanos until when a retry of the call could still run, on the owner's clock (L4)
 * @param verdicts what was answered; none for a request that came after its deadline
 * @param lease what was answered about the node's lease, null if it was not spoken of
 * @param held permits that are lent to the node: already taken from the bucket, and spent without another word
 * @param expiryNanos from when on nothing is lent to it any more, on the owner's clock (L6)
 */
record CallRecord(
        UUID node,
        long number,
        long keepUntilNanos,
        List<@Nullable Verdict> verdicts,
        @Nullable LeaseAnswer lease,
        long held,
        long expiryNanos) {

    /** Of a node that holds nothing. */
    CallRecord(UUID node, long number, long keepUntilNanos, List<@Nullable Verdict> verdicts) {
        this(node, number, keepUntilNanos, verdicts, null, 0, 0);
    }

    /** What is lent to the node at an instant. */
    long heldAt(long nowNanos) {
        return nowNanos < expiryNanos ? held : 0;
    }

    /** Whether this still says something at an instant: a lease lives, or a retry can come (L4). */
    boolean isNeededAt(long nowNanos) {
        return nowNanos < neededUntilNanos();
    }

    long neededUntilNanos() {
        return held > 0 ? Math.max(keepUntilNanos, expiryNanos) : keepUntilNanos;
    }

    /** Without a lease that has expired: what it held is gone for good, whatever clock comes next (L6). */
    CallRecord expiredBy(long nowNanos) {
        return held > 0 && nowNanos >= expiryNanos
                ? new CallRecord(node, number, keepUntilNanos, verdicts, lease, 0, 0)
                : this;
    }
}
