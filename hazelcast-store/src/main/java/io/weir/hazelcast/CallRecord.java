package io.weir.hazelcast;

import io.weir.algorithm.Verdict;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * What a bucket remembers of the last call by one node that changed it, so that a call that Hazelcast delivers twice
 * charges once.
 *
 * @param node the node's identity, fresh for each store instance (L9)
 * @param number the call's number; a node's numbers rise
 * @param keepUntilNanos until when a retry of the call could still run, on the owner's clock (L4)
 * @param verdicts what was answered; none for a request that came after its deadline
 */
record CallRecord(UUID node, long number, long keepUntilNanos, List<@Nullable Verdict> verdicts) {}
