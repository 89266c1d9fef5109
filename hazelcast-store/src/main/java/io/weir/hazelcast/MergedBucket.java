package io.weir.hazelcast;

import io.weir.algorithm.Rule;
import io.weir.algorithm.State;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Stream;

/**
 * One bucket out of two that a split has made of it (L17). Pure.
 *
 * <p>It mints nothing: at every later instant it has no more available than either of the two would have had, because it
 * has no more now and counts at least as much as lent at any time, and refill stops at the capacity less that.
 */
final class MergedBucket {

    private MergedBucket() {}

    /** The two as one, as of the later of their instants. The order does not matter, but for rules of one version. */
    static StoredBucket of(StoredBucket one, StoredBucket other) {
        long at = Math.max(one.state().atNanos(), other.state().atNanos());
        Rule rule = one.state().rule().orNewer(other.state().rule());
        List<CallRecord> records = records(one, other, at);
        long lent = 0;
        for (CallRecord each : records) {
            lent += each.held();
        }
        State available = rule.lower(one.stateAt(rule, at), other.stateAt(rule, at), lent);
        return new StoredBucket(available, records, Math.max(one.recallUntilNanos(), other.recallUntilNanos()));
    }

    private static List<CallRecord> records(StoredBucket one, StoredBucket other, long at) {
        Map<UUID, CallRecord> merged = new LinkedHashMap<>();
        Stream.concat(one.records().stream(), other.records().stream())
                .map(each -> each.expiredBy(at)) // or the other side's expiry would revive it (L6)
                .filter(each -> each.isNeededAt(at))
                .forEach(each -> merged.merge(each.node(), each, MergedBucket::merged));
        return new ArrayList<>(merged.values());
    }

    /** What is remembered of the later call, and the larger lease: whichever side the node spends from. */
    private static CallRecord merged(CallRecord one, CallRecord other) {
        CallRecord later = other.number() > one.number() ? other : one;
        return new CallRecord(
                later.node(),
                later.number(),
                Math.max(one.keepUntilNanos(), other.keepUntilNanos()),
                later.verdicts(),
                later.lease(),
                Math.max(one.held(), other.held()),
                Math.max(one.expiryNanos(), other.expiryNanos()));
    }
}
