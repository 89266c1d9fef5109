package io.weir.hazelcast;

import io.weir.algorithm.Bandwidth;
import java.math.BigInteger;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/** What a stored bucket must be, worked out from its numbers alone and not by the code that made it. */
final class Ledger {

    private static final BigInteger MAX_LONG = BigInteger.valueOf(Long.MAX_VALUE);

    private Ledger() {}

    /** What is lent to a node, or to all, at an instant of the owner's clock. */
    static long held(StoredBucket bucket, UUID node, long nowNanos) {
        return bucket.records().stream()
                .filter(each -> each.node().equals(node) && nowNanos < each.expiryNanos())
                .mapToLong(CallRecord::held)
                .sum();
    }

    static long lent(StoredBucket bucket, long nowNanos) {
        return bucket.records().stream()
                .filter(each -> nowNanos < each.expiryNanos())
                .mapToLong(CallRecord::held)
                .sum();
    }

    /** Never is more available than the capacity less what is lent, and of one node there is one record. */
    static Optional<String> problem(StoredBucket bucket) {
        List<Bandwidth> bandwidths = bucket.state().rule().algorithm().bandwidths();
        long lent = lent(bucket, bucket.state().atNanos());
        for (int i = 0; i < bandwidths.size(); i++) {
            long most = Math.max(0, bandwidths.get(i).capacity() - lent);
            if (bucket.state().level(i) > most) {
                return Optional.of("more than " + most + " available while " + lent + " are lent: " + bucket);
            }
        }
        long nodes = bucket.records().stream().map(CallRecord::node).distinct().count();
        boolean negative = bucket.records().stream().anyMatch(each -> each.held() < 0);
        return nodes < bucket.records().size() || negative
                ? Optional.of("two records of one node, or one that holds less than nothing: " + bucket)
                : Optional.empty();
    }

    /** Until when, at least, an entry says more than none: a call may come again, a lease lives, or it is not full. */
    static long neededUntilNanos(StoredBucket bucket) {
        long until = bucket.state().fullAtNanos();
        for (CallRecord each : bucket.records()) {
            until = Math.max(until, each.keepUntilNanos());
            if (each.held() > 0 && each.expiryNanos() > bucket.state().atNanos()) {
                for (Bandwidth bandwidth : bucket.state().rule().algorithm().bandwidths()) {
                    until = Math.max(until, later(each.expiryNanos(), nanosToRefill(bandwidth, each.held())));
                }
            }
        }
        return until;
    }

    private static BigInteger nanosToRefill(Bandwidth bandwidth, long permits) {
        return BigInteger.valueOf(permits)
                .multiply(BigInteger.valueOf(bandwidth.period().toNanos()))
                .divide(BigInteger.valueOf(bandwidth.refill()));
    }

    private static long later(long nanos, BigInteger by) {
        return BigInteger.valueOf(nanos).add(by).min(MAX_LONG).longValueExact();
    }
}
