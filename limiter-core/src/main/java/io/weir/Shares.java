package io.weir;

import io.weir.algorithm.Bandwidth;
import io.weir.algorithm.Rule;
import io.weir.algorithm.TokenBucket;
import io.weir.algorithm.Verdict;
import io.weir.store.Buckets;
import io.weir.store.LocalStore;
import io.weir.store.StoreUnavailableException;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.IntSupplier;

/**
 * This node's part of limits, for as long as their owners cannot be reached: one local bucket for each key, with the limit
 * divided by the number of nodes.
 *
 * <p>The buckets outlive the outage, so that a store that comes and goes does not hand out a new full share each time; and
 * only a bucket that is full again is dropped.
 */
final class Shares {

    /** The share of a limit, as long as its rule and the number of nodes stay what they are. */
    private record Share(Rule whole, int nodes, Buckets buckets) {
        boolean is(Rule rule, int among) {
            return nodes == among && whole.equals(rule);
        }
    }

    private final LocalStore store;
    private final IntSupplier nodes;
    private final Map<String, Share> byLimit = new ConcurrentHashMap<>();

    Shares(LocalStore store, IntSupplier nodes) {
        this.store = store;
        this.nodes = nodes;
    }

    /** Decides by this node's share. */
    Decision decide(Limit limit, String key, long permits) {
        Buckets share = shareOf(limit);
        Verdict verdict;
        try {
            verdict = share.take(key, permits, limit.deadlineNanos()).verdict();
        } catch (StoreUnavailableException e) {
            verdict = Verdict.DENIED; // too many keys: a new one may not get what a drained one lacks
        }
        // More than the share holds is not more than the limit holds: it can be granted once the owner is back.
        return Decision.shared(limit, key, permits, verdict == Verdict.NEVER ? Verdict.DENIED : verdict, share);
    }

    private Buckets shareOf(Limit limit) {
        Rule whole = limit.rule();
        int among = nodes.getAsInt();
        Share present = byLimit.get(limit.name());
        if (present == null || !present.is(whole, among)) {
            // The same buckets, brought under other numbers: balances are carried over. One thread at a time, so that
            // what is remembered here is always what was put in force last.
            present = Objects.requireNonNull(byLimit.compute(
                    limit.name(),
                    (name, last) -> last != null && last.is(whole, among)
                            ? last
                            : new Share(whole, among, store.buckets(name, divided(whole, among)))));
        }
        return present.buckets();
    }

    private static Rule divided(Rule rule, int nodes) {
        List<Bandwidth> parts = rule.algorithm().bandwidths().stream()
                .map(bandwidth -> bandwidth.share(nodes))
                .toList();
        return new Rule(rule.version(), new TokenBucket(parts));
    }
}
