package io.weir.hazelcast;

import io.weir.algorithm.Request;
import io.weir.algorithm.State;
import io.weir.algorithm.Verdict;
import io.weir.store.Answer;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * What this node can answer about one key without asking its owner: grants from a lease, and denials that still hold. And
 * what it has to do for that: ask for permits ahead of need, say what became of them, and give them back.
 *
 * <pre>
 *            few ask                     many ask: wanted &gt; 0
 *   exact ----------------------------------------&gt; leasing
 *     ^                                                |  at a quarter left: asks ahead
 *     |                                                |  half of its life gone: renews, if it was spent from
 *     |   held = 0, and few ask                        |  idle, or asked back (L16): returns
 *     +------------------------------------------------+  no answer until it expires: forfeits
 * </pre>
 *
 * <p>{@link #answer} is for any thread and takes no lock; a line guards the rest.
 */
final class Memory {

    private static final long IDLE_NANOS = KeyLine.IDLE.toNanos();

    /** An owner's lease has ended for sure so long after it received a report. */
    private static final long OWNERS_TTL_NANOS =
            HeldLease.TTL.plus(Settlement.MARGIN.multipliedBy(2)).toNanos();

    private final LeaseTotals totals;
    private final boolean leases;
    private final boolean denials;
    private final HeldLease lease = new HeldLease();
    private final Demand demand;

    /** Set by a thread that spends, and cleared by the next call. */
    private final AtomicBoolean low = new AtomicBoolean();

    /** At or below this many permits, more are asked for; before that instant they are not. */
    private volatile long lowMark;

    private volatile long askNotBeforeNanos;

    private volatile @Nullable Denial denial;

    /** As of the last answer; null before the first. */
    private volatile @Nullable Balance balance;

    // Guarded by the line.
    private long lastAskedNanos;
    private boolean recalled;

    /** Until when the owner may count something as held by this node, on this node's clock. */
    private long owesReportUntilNanos = Long.MIN_VALUE;

    /** @param totals counts what happens to leases */
    Memory(Remembering remembering, LeaseTotals totals, long nowNanos) {
        this.leases = remembering == Remembering.ALL;
        this.denials = remembering != Remembering.NOTHING;
        this.totals = totals;
        this.demand = new Demand(nowNanos);
        this.lastAskedNanos = nowNanos;
    }

    /**
     * The answer to a request, if this node can give it.
     *
     * <p>The lease comes before the denial (L16): what is held may be spent whatever the owner has denied since.
     *
     * @param nowNanos read by this thread, after it was asked
     */
    @Nullable
    Answer answer(long permits, long nowNanos) {
        if (permits <= 0) {
            return null;
        }
        Balance known = balance;
        if (known != null && lease.spend(permits, nowNanos)) {
            return Answer.leased(known.state(), known.inOwnersTime(nowNanos), lease.held());
        }
        Denial denied = denial;
        return denied != null && denied.covers(permits, nowNanos) ? denied.answer(nowNanos) : null;
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

    /** Whether permits are held that the owner wants back. */
    boolean isRecalled() {
        return recalled && lease.held() > 0;
    }

    /** Whether to ask for more permits now; true for one thread only until the next call has left. */
    boolean isRunningLow(long nowNanos) {
        return lease.held() <= lowMark && nowNanos >= askNotBeforeNanos && !low.get() && low.compareAndSet(false, true);
    }

    /**
     * Somebody needs the owner.
     *
     * @param most what one request can be granted at most: who asks for more needs nothing
     */
    void asked(List<Request> requests, long most, long nowNanos) {
        lastAskedNanos = nowNanos;
        for (Request each : requests) {
            if (each instanceof Request.GiveBack) {
                denial = null; // what comes back can be granted
            } else if (each.permits() > 0 && each.permits() <= most) {
                demand.asked(each.permits());
            }
        }
    }

    /** A denial under another rule says nothing any more. */
    void forgetDenial() {
        denial = null;
    }

    /**
     * What to say of the lease with the next call; null if there is nothing to say.
     *
     * @param leaving who goes along. Those who need permits found too few held, and what is held goes back first (L11):
     *     so a request is granted that needs more than either side has
     */
    @Nullable
    LeaseReport report(List<Waiter> leaving, long nowNanos, long deadlineNanos) {
        boolean asksAhead = low.getAndSet(false);
        if (!leases) {
            return null;
        }
        noteSpent(nowNanos);
        long worth = demand.worth(nowNanos);
        long held = lease.held();
        boolean needed = leaving.stream().anyMatch(Memory::needsPermits);
        boolean gives = held > 0 && (needed || recalled || isIdle(nowNanos));
        boolean renews = held > 0 && lease.expiryNanos() - nowNanos < IDLE_NANOS;
        if (leaving.isEmpty() && !gives && !renews && !(asksAhead && nowNanos >= askNotBeforeNanos && worth > held)) {
            return null;
        }
        if (worth == 0 && held == 0 && nowNanos >= owesReportUntilNanos) {
            return null;
        }
        long returned = gives ? lease.drain() : 0;
        long kept = gives ? 0 : lease.report();
        if (returned > 0) {
            totals.returned(returned);
        }
        long wanted = recalled || (gives && !needed) ? 0 : Math.max(0, worth - kept);
        if (wanted > 0) {
            totals.asked(wanted);
            owesReportUntilNanos = Math.max(owesReportUntilNanos, deadlineNanos + OWNERS_TTL_NANOS);
        }
        return new LeaseReport(kept, returned, wanted, HeldLease.TTL.toNanos(), deadlineNanos);
    }

    private static boolean needsPermits(Waiter waiter) {
        return waiter.requests().stream().anyMatch(each -> each instanceof Request.Take && each.permits() > 0);
    }

    private boolean isIdle(long nowNanos) {
        return nowNanos - lastAskedNanos >= IDLE_NANOS;
    }

    /**
     * All that is held goes back, and nothing more is wanted. Null if the owner cannot think that anything is held here: it
     * may if it lent with a call whose answer was not waited for.
     */
    @Nullable
    LeaseReport returnAll(long nowNanos, long deadlineNanos) {
        totals.spent(lease.takeSpent());
        long returned = lease.drain();
        totals.returned(returned);
        return returned > 0 || nowNanos < owesReportUntilNanos
                ? new LeaseReport(0, returned, 0, HeldLease.TTL.toNanos(), deadlineNanos)
                : null;
    }

    /** A call has ended. */
    void landed(KeyLine.Flight flight, @Nullable CallAnswer answer, boolean ruleStands, long nowNanos) {
        if (answer == null || answer.outcome() != CallAnswer.Outcome.DECIDED || answer.state() == null) {
            landedNowhere(nowNanos);
            return;
        }
        Balance heard = new Balance(answer.state(), answer.ownerNanos(), flight.sentNanos(), nowNanos);
        balance = heard;
        recalled = answer.recalled();
        boolean hot = leases && demand.worth(nowNanos) > 0;
        denial = denials && ruleStands ? denial(flight, answer, heard, hot) : null;
        LeaseReport report = flight.report();
        if (report != null && answer.lease() != null) {
            settle(flight, report, answer.lease(), heard);
        }
    }

    private void settle(KeyLine.Flight flight, LeaseReport report, LeaseAnswer answer, Balance heard) {
        long lost = lease.apply(report, answer, flight.sentNanos());
        totals.forfeited(lost);
        totals.granted(answer.lent());
        if (answer.extended()) {
            owesReportUntilNanos = heard.receivedNanos() + report.ttlNanos() + 2 * Settlement.MARGIN.toNanos();
        }
        lowMark = (report.kept() + answer.lent()) / 4;
        // Less than was wanted: what others left is not worth a call until more has refilled.
        askNotBeforeNanos = answer.lent() < report.wanted()
                ? flight.sentNanos() + Denial.gapNanos(heard.state().rule())
                : 0;
    }

    /** What the answer says about requests to come, if it denied one, or if a hot key has nothing left. */
    private static @Nullable Denial denial(KeyLine.Flight flight, CallAnswer answer, Balance heard, boolean hot) {
        long least = Long.MAX_VALUE;
        int next = 0;
        for (Waiter waiter : flight.waiters()) {
            for (Request each : waiter.requests()) {
                boolean denied = answer.verdicts().get(next++) == Verdict.DENIED;
                least = denied ? Math.min(least, each.permits()) : least;
            }
        }
        if (hot && isEmpty(heard.state())) {
            least = 1;
        }
        return least == Long.MAX_VALUE ? null : Denial.of(least, heard, answer.lentElsewhere() > 0, hot);
    }

    private static boolean isEmpty(State state) {
        for (int i = 0; i < state.rule().algorithm().bandwidths().size(); i++) {
            if (state.level(i) < 1) {
                return true;
            }
        }
        return false;
    }

    /** A call has failed, or has been given up: what it took along is lost, and what is held lives on until it expires. */
    void landedNowhere(long nowNanos) {
        askNotBeforeNanos = nowNanos + Denial.LONGEST_GAP.toNanos();
    }

    private void noteSpent(long nowNanos) {
        long spent = lease.takeSpent();
        if (spent > 0) {
            demand.spent(spent);
            lastAskedNanos = nowNanos;
            totals.spent(spent);
        }
    }

    /** Counts what was spent, and lets go of a lease that has expired and was not heard of again. */
    void tend(long nowNanos) {
        noteSpent(nowNanos);
        if (lease.held() > 0 && nowNanos - lease.expiryNanos() > Settlement.MARGIN.toNanos()) {
            totals.spent(lease.takeSpent());
            totals.forfeited(lease.drain());
        }
    }

    /** A line with this memory is dropped. */
    void forgotten() {
        totals.spent(lease.takeSpent());
    }

    /** Whether a line with this memory may be dropped. */
    boolean isForgettable(boolean evenIfRecent, long nowNanos) {
        Denial denied = denial;
        return lease.held() == 0
                && (denied == null || denied.isOver(nowNanos) || evenIfRecent)
                && (!leases || evenIfRecent || (isIdle(nowNanos) && nowNanos >= owesReportUntilNanos));
    }
}
