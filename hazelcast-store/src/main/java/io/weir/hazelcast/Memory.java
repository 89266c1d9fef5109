package io.weir.hazelcast;

import io.weir.algorithm.Request;
import io.weir.algorithm.Rule;
import io.weir.algorithm.Verdict;
import io.weir.store.Answer;
import io.weir.store.Buckets;
import io.weir.store.Source;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What this node can answer about one key without asking its owner: grants from a lease, and denials that still hold.
 *
 * <p>{@link #answer} is for any thread and takes no lock; a line guards the rest.
 */
final class Memory {

    private final boolean leases;
    private final boolean denials;
    private final Borrower borrower;
    private final HeldLease lease;

    private volatile @Nullable Denial denial;

    /** As of the last answer; null before the first. */
    private volatile @Nullable Balance balance;

    /** @param totals counts what happens to leases */
    Memory(Remembering remembering, LeaseTotals totals, long nowNanos) {
        this.leases = remembering == Remembering.ALL;
        this.denials = remembering != Remembering.NOTHING;
        this.borrower = new Borrower(totals, nowNanos);
        this.lease = borrower.lease();
    }

    /** What is done for the lease. */
    Borrower borrower() {
        return borrower;
    }

    HeldLease lease() {
        return lease;
    }

    /**
     * Answers a request, if this node can.
     *
     * <p>The lease comes before the denial (L16): what is held may be spent whatever the owner has denied since.
     *
     * @param nowNanos read by this thread, after it was asked
     * @param receiver makes what is returned, so that nothing else is made on the way
     */
    <R> @Nullable R answer(String key, long permits, long nowNanos, Buckets.Receiver<R> receiver) {
        return spend(permits, nowNanos)
                ? granted(key, permits, nowNanos, receiver)
                : denied(key, permits, nowNanos, receiver);
    }

    /** The same for a request that queued up. A reservation is for later, of which a denial of now says nothing. */
    @Nullable
    Answer answer(String key, Request request, long nowNanos) {
        long permits = request.permits();
        if (request instanceof Request.Take) {
            return answer(key, permits, nowNanos, HazelcastBuckets.ANSWER);
        }
        return request instanceof Request.Reserve && spend(permits, nowNanos)
                ? granted(key, permits, nowNanos, HazelcastBuckets.ANSWER)
                : null;
    }

    /** Takes permits from the lease, if they are there. */
    boolean spend(long permits, long nowNanos) {
        return permits > 0 && lease.spend(permits, nowNanos);
    }

    /** The answer to whoever has taken permits from the lease. */
    <R> R granted(String key, long permits, long nowNanos, Buckets.Receiver<R> receiver) {
        Balance known = Objects.requireNonNull(balance, "a lease comes with a balance");
        long now = known.inOwnersTime(nowNanos);
        return receiver.remembered(key, permits, Verdict.GRANTED, Source.LEASE, known.state(), now, now, lease.held());
    }

    /** The answer to a request that a denial covers which still holds; else null. */
    <R> @Nullable R denied(String key, long permits, long nowNanos, Buckets.Receiver<R> receiver) {
        Denial denied = denial;
        if (permits <= 0 || denied == null || !denied.covers(permits, nowNanos)) {
            return null;
        }
        Balance known = denied.balance();
        return receiver.remembered(
                key,
                permits,
                Verdict.DENIED,
                Source.DENY_CACHE,
                known.state(),
                known.inOwnersTime(nowNanos),
                denied.notBeforeNanos(),
                lease.held()); // which is too little
    }

    /** What this node last heard of the bucket, without what it holds of it besides; null before the first answer. */
    @Nullable
    Balance balance() {
        return balance;
    }

    /** An answer of the owner's, with what this node holds besides, and with when it will ask again. */
    Answer completed(Answer plain, long permits) {
        long held = lease.held();
        Denial denied = denial;
        if (plain.verdict() == Verdict.DENIED && denied != null && permits >= denied.permits()) {
            return plain.holding(held).notBefore(denied.notBeforeNanos());
        }
        return held > 0 ? plain.holding(held) : plain;
    }

    /** Whether {@link #answer} may have one. */
    boolean canAnswer() {
        return lease.held() > 0 || denial != null;
    }

    boolean holdsLease() {
        return lease.held() > 0;
    }

    /** Somebody needs the owner. */
    void asked(List<Request> requests) {
        for (Request each : requests) {
            if (each instanceof Request.GiveBack) {
                denial = null; // what comes back can be granted
            }
        }
    }

    /** A denial under another rule says nothing any more. */
    void forgetDenial() {
        denial = null;
    }

    /** What to say of the lease with the next call; null if there is nothing to say. */
    @Nullable
    LeaseReport report(List<Waiter> leaving, Rule rule, long nowNanos, long deadlineNanos) {
        return leases ? borrower.report(leaving, rule, nowNanos, deadlineNanos) : null;
    }

    /** A call has ended. */
    void landed(KeyLine.Flight flight, @Nullable CallAnswer answer, long nowNanos) {
        if (answer == null || answer.outcome() != CallAnswer.Outcome.DECIDED || answer.state() == null) {
            borrower.landedNowhere(nowNanos);
            return;
        }
        Balance heard = new Balance(answer.state(), answer.ownerNanos(), flight.sentNanos(), nowNanos);
        balance = heard;
        if (denials) {
            boolean hot = leases && borrower.isHot(nowNanos);
            denial = denial(least(flight, answer, hot), heard, answer.lentElsewhere() > 0, hot, nowNanos);
        }
        borrower.settle(flight, answer, nowNanos);
    }

    /**
     * What is to be denied from now on. What was denied before still is if the bucket has not filled up so far: a peek, or a
     * grant of less, ends no denial.
     */
    private @Nullable Denial denial(long least, Balance heard, boolean lentElsewhere, boolean hot, long nowNanos) {
        Denial before = denial;
        if (before != null && !before.isOver(nowNanos) && before.permits() < least) {
            Denial still = Denial.of(before.permits(), heard, lentElsewhere, hot);
            if (still != null) {
                return still;
            }
        }
        return least == Long.MAX_VALUE ? null : Denial.of(least, heard, lentElsewhere, hot);
    }

    /** The smallest request that was denied. A bucket that has nothing left says the same of one permit, if the key is hot. */
    private static long least(KeyLine.Flight flight, CallAnswer answer, boolean hot) {
        if (hot && answer.state() != null && answer.state().lowestLevel() < 1) {
            return 1;
        }
        long least = Long.MAX_VALUE;
        int next = 0;
        for (Waiter waiter : flight.waiters()) {
            for (Request each : waiter.requests()) {
                boolean denied = answer.verdicts().get(next++) == Verdict.DENIED;
                least = denied ? Math.min(least, each.permits()) : least;
            }
        }
        return least;
    }

    /** Whether a line with this memory may be dropped. */
    boolean isForgettable(boolean evenIfRecent, long nowNanos) {
        Denial denied = denial;
        return lease.held() == 0
                && (evenIfRecent || denied == null || denied.isOver(nowNanos))
                && (evenIfRecent || !leases || !borrower.remembersMuch(nowNanos));
    }
}
