package io.weir.hazelcast;

import io.weir.algorithm.BatchTransition;
import io.weir.algorithm.Request;
import io.weir.algorithm.Rule;
import io.weir.algorithm.State;
import io.weir.algorithm.Verdict;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What one call does to a bucket, leases included. Pure: everything an owner decides is decided here.
 *
 * <p>In this order (L2): refill to now, with what was lent so far; end the leases that have expired; settle what the node
 * says it holds; take what it returns; grant what is needed; lend.
 *
 * <p>Permits that are lent have left the bucket. What is available and what is lent are never more than the capacity
 * together, since refill and returns stop at {@code capacity - lent}: so it does not matter when, or whether, they are
 * spent.
 *
 * @param verdicts of the requests, in order
 * @param state what is available afterwards
 * @param lease what the node is told of its lease; null if it did not speak of it
 * @param held what the node holds afterwards
 * @param expiryNanos until when
 * @param lentElsewhere what the other nodes hold
 * @param recallUntilNanos until when leases are asked back; in the past if they are not
 * @param changed whether any of this has to be written
 */
record Settlement(
        List<Verdict> verdicts,
        State state,
        @Nullable LeaseAnswer lease,
        long held,
        long expiryNanos,
        long lentElsewhere,
        long recallUntilNanos,
        boolean changed) {

    /**
     * An owner holds a lease open for so much longer than its node spends from it: more than two clocks can differ by
     * in the life of a lease.
     */
    static final Duration MARGIN = Duration.ofMillis(50);

    /** A limit lends only if each node that asks could hold so many permits: below that, leases strand too much. */
    static final int LEAST_PERMITS_PER_NODE = 8;

    /**
     * Half of what is available stays for others, unless it is as little as this part of the capacity: then it is back before
     * they miss it, and halving it again and again would cost a call each time.
     */
    static final int SCRAPS_OF_CAPACITY = 50;

    /**
     * Decides.
     *
     * @param stored what is stored for the key, or null
     * @param last what {@code stored} remembers of the node that asks, or null
     * @param rule the rule under which it asks
     * @param report what it says of its lease, or null
     * @param corrections what goes back of what it was granted before, and did not use
     * @param requests what it asks for, in order
     * @param nowNanos on the owner's clock
     */
    static Settlement of(
            @Nullable StoredBucket stored,
            @Nullable CallRecord last,
            Rule rule,
            @Nullable LeaseReport report,
            List<Request> corrections,
            List<Request> requests,
            long nowNanos) {
        State before = stored == null ? null : stored.stateAt(rule, nowNanos);
        long at = before == null ? nowNanos : before.atNanos();
        long mine = last == null ? 0 : last.heldAt(at);
        long others = stored == null ? 0 : stored.lentAt(at) - mine;

        long kept = report == null ? mine : Math.min(report.kept(), mine);
        long back = report == null ? 0 : Math.min(report.returned(), mine - kept);
        State returned = before == null || back == 0
                ? before
                : rule.giveBack(before, back, others + kept, nowNanos).state();
        State settled = returned == null || corrections.isEmpty()
                ? returned
                : rule.decide(returned, corrections, others + kept, nowNanos).state();

        BatchTransition step = rule.decide(settled, requests, others + kept, nowNanos);

        long recalled = stored == null ? 0 : stored.recallUntilNanos();
        long recall = Math.max(recalled, recall(stored, at, others + kept, step, requests));
        boolean lends = recall <= at && !step.verdicts().contains(Verdict.DENIED);
        long lent = report == null || !lends ? 0 : lent(report.wanted(), step.state(), nodes(stored, last));
        State after = lent == 0
                ? step.state()
                : rule.take(step.state(), lent, others + kept, nowNanos).state();

        boolean asks = report != null || requests.stream().anyMatch(each -> each.permits() > 0);
        boolean ruleOrClockChanged = stored != null
                && before != null
                && (!before.rule().equals(stored.state().rule())
                        || at < stored.state().atNanos());
        boolean changed = step.changed()
                || kept < mine // spent or given back: a denial that settles is written (L13)
                || lent > 0
                || (before != null && !corrections.isEmpty())
                || (report != null && report.isFarewell() && requests.isEmpty())
                || recall > recalled
                || (ruleOrClockChanged && asks);
        long held = kept + lent;
        boolean extended = report != null && changed && held > 0;
        long expiry = last == null ? 0 : last.expiryNanos();
        if (report != null && extended) {
            expiry = at + report.ttlNanos() + MARGIN.toNanos();
        }
        return new Settlement(
                step.verdicts(),
                after,
                report == null ? null : new LeaseAnswer(kept, lent, extended),
                held,
                expiry,
                others,
                recall,
                changed);
    }

    /**
     * Until when to ask back what is lent, because of a request that no refill will ever do for while it is out (L16). Then
     * everything that is out now is back at last, since nothing more is lent.
     */
    private static long recall(
            @Nullable StoredBucket stored, long at, long lent, BatchTransition step, List<Request> requests) {
        if (stored == null || lent == 0) {
            return 0;
        }
        long reachable = step.state().rule().algorithm().smallestCapacity() - lent;
        for (int i = 0; i < requests.size(); i++) {
            if (step.verdicts().get(i) == Verdict.DENIED && requests.get(i).permits() > reachable) {
                return stored.lastExpiryNanos(at);
            }
        }
        return 0;
    }

    private static int nodes(@Nullable StoredBucket stored, @Nullable CallRecord last) {
        int known = stored == null ? 0 : stored.records().size();
        return last == null ? known + 1 : known;
    }

    /** How much to lend. Nothing is available while more is lent than the limit holds (L12). */
    private static long lent(long wanted, State available, int nodes) {
        long capacity = available.rule().algorithm().smallestCapacity();
        if (capacity / LEAST_PERMITS_PER_NODE < nodes
                || !available.rule().algorithm().lends()) {
            return 0;
        }
        long rest = available.lowestLevel();
        long most = Math.max(rest / 2, Math.min(rest, capacity / SCRAPS_OF_CAPACITY));
        return Math.max(0, Math.min(wanted, most));
    }
}
