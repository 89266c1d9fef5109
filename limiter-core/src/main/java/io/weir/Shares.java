package io.weir;

import io.weir.algorithm.Bandwidth;
import io.weir.algorithm.Rule;
import io.weir.algorithm.TokenBucket;
import io.weir.algorithm.Verdict;
import io.weir.store.Answer;
import io.weir.store.Buckets;
import io.weir.store.LocalStore;
import io.weir.store.Source;
import io.weir.store.StoreUnavailableException;
import java.util.List;
import java.util.function.IntSupplier;

/**
 * This node's part of one limit, for as long as its owner cannot be reached: one local bucket per key, with the limit
 * divided by the number of nodes.
 *
 * <p>The buckets outlive the outage, so that a store that comes and goes does not hand out a new full share each time;
 * and only a bucket that is full again is dropped.
 */
final class Shares {

    private final LocalStore store;
    private final IntSupplier nodes;

    Shares(LocalStore store, IntSupplier nodes) {
        this.store = store;
        this.nodes = nodes;
    }

    /** Decides by this node's share. */
    Decision decide(Limit limit, String key, long permits) {
        // Asking for the buckets again brings them under the present limit and number of nodes, balances carried over.
        Buckets buckets = store.buckets(limit.name(), shareOf(limit.rule(), nodes.getAsInt()));
        boolean granted;
        try {
            Answer answer = buckets.take(key, permits, limit.deadlineNanos());
            granted = answer.verdict() == Verdict.GRANTED;
        } catch (StoreUnavailableException e) {
            granted = false; // more keys than shares are kept for: a new one may not get what a drained one was denied
        }
        return Decision.uncounted(limit, permits, granted, Source.SHARE);
    }

    private static Rule shareOf(Rule rule, int nodes) {
        List<Bandwidth> shares = rule.algorithm().bandwidths().stream()
                .map(bandwidth -> bandwidth.share(nodes))
                .toList();
        return new Rule(rule.version(), new TokenBucket(shares));
    }
}
