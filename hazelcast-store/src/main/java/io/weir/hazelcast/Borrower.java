package io.weir.hazelcast;

import io.weir.algorithm.Request;
import io.weir.algorithm.Rule;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * What this node does for its lease on a key: asks for permits ahead of need, says what became of them, and gives them back.
 *
 * <pre>
 *            asked for seldom                asked for often
 *   exact ----------------------------------------&gt; leasing
 *     ^                                                |  at a quarter left: asks ahead
 *     |                                                |  half of its life gone: renews, if it was spent from
 *     |   nothing held, and asked for seldom           |  idle, or asked back (L16): returns
 *     +------------------------------------------------+  no answer until it expires: forfeits
 * </pre>
 *
 * <p>{@link #isRunningLow} is for any thread; a line guards the rest.
 */
final class Borrower {

    private static final long IDLE_NANOS = KeyLine.IDLE.toNanos();

    /** An owner's lease has ended for sure so long after it received a report. */
    private static final long OWNERS_TTL_NANOS =
            HeldLease.TTL.plus(Settlement.MARGIN.multipliedBy(2)).toNanos();

    /** Long ago, on any clock. */
    private static final long ALWAYS = Long.MIN_VALUE;

    private final HeldLease lease = new HeldLease();
    private final LeaseTotals totals;
    private final Demand demand;

    /** Set by a thread that spends, and cleared by the next call's departure and end. */
    private final AtomicBoolean low = new AtomicBoolean();

    /** At or below this many permits, more are asked for; before that instant they are not. */
    private volatile long lowMark;

    private volatile long askNotBeforeNanos = ALWAYS;

    // Guarded by the line.
    private long lastTakenNanos;
    private boolean spentSinceExtended;
    private boolean recalled;

    /** Until when the owner may count something as held by this node, on this node's clock. */
    private long owesReportUntilNanos = ALWAYS;

    Borrower(LeaseTotals totals, long nowNanos) {
        this.totals = totals;
        this.demand = new Demand(nowNanos);
        this.lastTakenNanos = nowNanos;
    }

    HeldLease lease() {
        return lease;
    }

    /** Whether to ask for more permits now; true for one thread only until the next call has left. */
    boolean isRunningLow(long nowNanos) {
        return lease.held() <= lowMark && nowNanos >= askNotBeforeNanos && !low.get() && low.compareAndSet(false, true);
    }

    /** Whether permits are held that the owner wants back. */
    boolean isRecalled() {
        return recalled && lease.held() > 0;
    }

    /** Whether the key is asked for often enough to lease. */
    boolean isHot(long nowNanos) {
        return demand.worth(nowNanos) > 0;
    }

    /**
     * What to say of the lease with the next call; null if there is nothing to say.
     *
     * @param leaving who goes along. Those who need permits found too few held, and what is held goes back first (L11):
     *     so a request is granted that needs more than either side has
     */
    @Nullable
    LeaseReport report(List<Waiter> leaving, Rule rule, long nowNanos, long deadlineNanos) {
        boolean asksAhead = low.getAndSet(false) && nowNanos >= askNotBeforeNanos;
        noteSpent(nowNanos);
        boolean needed = noteNeeds(leaving, rule, nowNanos);
        long worth = demand.worth(nowNanos);
        long held = lease.held();
        boolean ageing = held > 0 && lease.expiryNanos() - nowNanos < IDLE_NANOS;
        boolean idle = nowNanos - lastTakenNanos >= IDLE_NANOS || (ageing && !spentSinceExtended);
        boolean gives = held > 0 && (needed || recalled || idle);
        if (leaving.isEmpty() && !gives && !ageing && !(asksAhead && worth > held)) {
            return null;
        }
        if (worth == 0 && held == 0 && nowNanos >= owesReportUntilNanos) {
            return null;
        }
        long returned = gives ? lease.drain() : 0;
        long kept = gives ? 0 : lease.report();
        totals.returned(returned);
        long wanted = recalled || (gives && !needed) ? 0 : Math.max(0, worth - kept);
        if (wanted > 0) {
            totals.asked(wanted);
            owesReportUntilNanos = Math.max(owesReportUntilNanos, deadlineNanos + OWNERS_TTL_NANOS);
        }
        return new LeaseReport(kept, returned, wanted, HeldLease.TTL.toNanos(), deadlineNanos);
    }

    /** Counts who goes to the owner for permits; whether anybody does. Who asks for more than there can be needs nothing. */
    private boolean noteNeeds(List<Waiter> leaving, Rule rule, long nowNanos) {
        boolean any = false;
        for (Waiter waiter : leaving) {
            for (Request each : waiter.requests()) {
                if ((each instanceof Request.Take || each instanceof Request.Reserve)
                        && each.permits() > 0
                        && each.permits() <= rule.algorithm().smallestCapacity()) {
                    demand.asked(each.permits());
                    any = true;
                }
            }
        }
        if (any) {
            lastTakenNanos = nowNanos;
        }
        return any;
    }

    private void noteSpent(long nowNanos) {
        long spent = lease.takeSpent();
        if (spent > 0) {
            demand.spent(spent);
            lastTakenNanos = nowNanos;
            spentSinceExtended = true;
            totals.spent(spent);
        }
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

    /** The owner has answered. */
    void settle(KeyLine.Flight flight, CallAnswer answer, long nowNanos) {
        low.set(false); // what was asked ahead is here, and may be little
        recalled = answer.recalled();
        LeaseReport report = flight.report();
        LeaseAnswer settled = answer.lease();
        if (report == null || settled == null) {
            return;
        }
        totals.forfeited(lease.apply(report, settled, flight.sentNanos()));
        totals.granted(settled.lent());
        if (settled.extended()) {
            spentSinceExtended = false;
            owesReportUntilNanos = Math.max(owesReportUntilNanos, nowNanos + OWNERS_TTL_NANOS);
        }
        lowMark = (report.kept() + settled.lent()) / 4;
        // Less than was wanted: what others left is not worth a call until more has refilled.
        askNotBeforeNanos =
                settled.lent() < report.wanted() ? flight.sentNanos() + Denial.gapNanos(flight.rule()) : ALWAYS;
    }

    /** A call has failed, or has been given up: what it took along is lost, and what is held lives on until it expires. */
    void landedNowhere(long nowNanos) {
        low.set(false);
        askNotBeforeNanos = nowNanos + Denial.LONGEST_GAP.toNanos();
    }

    /** Counts what was spent, and lets go of a lease that has expired and was not heard of again. */
    void tend(long nowNanos) {
        noteSpent(nowNanos);
        if (lease.held() > 0 && nowNanos - lease.expiryNanos() > Settlement.MARGIN.toNanos()) {
            totals.forfeited(lease.drain());
        }
    }

    /** The line is dropped. */
    void forgotten() {
        totals.spent(lease.takeSpent());
    }

    /** Whether how often the key was asked for, and what the owner has lent, is still worth knowing. */
    boolean remembersMuch(long nowNanos) {
        return nowNanos - lastTakenNanos < IDLE_NANOS || nowNanos < owesReportUntilNanos;
    }
}
