package io.weir.hazelcast;

import io.weir.algorithm.Request;
import io.weir.algorithm.Rule;
import io.weir.store.Answer;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * One key on this node: those who wait for its owner, and what this node can answer without it.
 *
 * <p>At most one call is in flight, and who comes meanwhile leaves with the next. That is what the owner's bookkeeping rests
 * on: a node's calls on a key are ordered, so that it is enough to remember the last one.
 *
 * <p>A line lives while somebody waits, while it holds a lease or remembers a denial, and a little longer, to know how often
 * its key is asked for. Then it is retired, and a newcomer who still has it in hand starts over with another.
 *
 * <p>Thread-safe. Answers from memory take no lock; every other method is a short critical section, and nothing blocks in it.
 */
final class KeyLine {

    /** The most requests that one call carries. */
    static final int MAX_REQUESTS_IN_CALL = 256;

    /** How long a lease may go unspent before it is given back. */
    static final Duration IDLE = HeldLease.TTL.dividedBy(2);

    /** A call that nobody waits for is given up after this. */
    private static final Duration PATIENCE = HeldLease.TTL.dividedBy(2);

    /** One call, from its departure until its answer or its last waiter's deadline. Each is itself and no other. */
    static final class Flight {
        private final long number;
        private final Rule rule;
        private final List<Waiter> waiters;
        private final @Nullable LeaseReport report;
        private final List<Correction> corrections;
        private final long sentNanos;
        private final long deadlineNanos;

        private volatile @Nullable Breaker leftFor;
        private volatile long ownersDeadlineNanos;

        private Flight(
                long number,
                Rule rule,
                List<Waiter> waiters,
                @Nullable LeaseReport report,
                List<Correction> corrections,
                long sentNanos,
                long deadlineNanos) {
            this.number = number;
            this.rule = rule;
            this.waiters = waiters;
            this.report = report;
            this.corrections = corrections;
            this.sentNanos = sentNanos;
            this.deadlineNanos = deadlineNanos;
        }

        /** Above the numbers of all calls that left this line before. */
        long number() {
            return number;
        }

        Rule rule() {
            return rule;
        }

        /** Who gets which part of the answer, in order. */
        List<Waiter> waiters() {
            return waiters;
        }

        /** What is said of the lease; its deadline is on this node's clock. Null if there is none. */
        @Nullable
        LeaseReport report() {
            return report;
        }

        /** What is to be put right of earlier calls. */
        List<Correction> corrections() {
            return corrections;
        }

        /** When it was about to be sent, on this node's clock. */
        long sentNanos() {
            return sentNanos;
        }

        /** The latest of the waiters' deadlines, on this node's clock. */
        long deadlineNanos() {
            return deadlineNanos;
        }

        /** How long it is waited for altogether. */
        long givenNanos() {
            return deadlineNanos - sentNanos;
        }

        /** It is about to be sent to the owner that this breaker is for. */
        void leavesFor(Breaker breaker) {
            leftFor = breaker;
        }

        /** Its deadline on the clock of the owner that it is about to be sent to. */
        void isDueBy(long ownersNanos) {
            ownersDeadlineNanos = ownersNanos;
        }

        /** Whether an owner that has decided on it surely did so in time; else what it carries may have been left aside. */
        private boolean wasInTime(CallAnswer answer) {
            return answer.ownerNanos() <= ownersDeadlineNanos;
        }

        /** Null if it was not sent. */
        @Nullable
        Breaker leftFor() {
            return leftFor;
        }

        private boolean isWaitedFor() {
            return waiters.stream().anyMatch(Waiter::isWaiting);
        }
    }

    /** Somebody who need not ask the owner. */
    record Served(Waiter waiter, Answer answer) {}

    private final String name;
    private final String key;
    private final Memory memory;

    // All guarded by this.
    private final Deque<Waiter> queue = new ArrayDeque<>();
    private final Corrections corrections = new Corrections();
    private @Nullable Flight inFlight;

    /** The courier is about to depart: who comes now goes along, rather than leave at once with half of those who wait. */
    private boolean boarding;

    private long boardingSinceNanos;

    private boolean retired;

    /**
     * @param name what this line is called on its node
     * @param key the key as it is stored by its owner
     */
    KeyLine(String name, String key, Memory memory) {
        this.name = name;
        this.key = key;
        this.memory = memory;
    }

    String name() {
        return name;
    }

    /** The key as it is stored by its owner. */
    String key() {
        return key;
    }

    /** What this node can answer by itself. */
    Memory memory() {
        return memory;
    }

    /** Queues up; false if this line is retired. */
    synchronized boolean join(Waiter waiter) {
        if (!retired) {
            queue.addLast(waiter);
            memory.asked(waiter.requests());
        }
        return !retired;
    }

    /** Back to the head of the line, in the same order; false if this line is retired. */
    synchronized boolean rejoin(List<Waiter> waiters) {
        for (int i = waiters.size() - 1; i >= 0 && !retired; i--) {
            queue.addFirst(waiters.get(i));
        }
        return !retired;
    }

    /**
     * Those at the head of the queue whose answer is known by now: what they wait behind has brought a lease, or a denial.
     * To be delivered without a lock.
     */
    synchronized List<Served> serve(long nowNanos) {
        if (inFlight != null || boarding || !memory.canAnswer()) {
            return List.of();
        }
        List<Served> served = new ArrayList<>();
        for (Waiter head = queue.peekFirst(); head != null; head = queue.peekFirst()) {
            Answer answer = null;
            if (head.isWaiting()) {
                Request only = head.requests().size() == 1 ? head.requests().get(0) : null;
                answer = only == null ? null : memory.answer(key, only, nowNanos);
                if (answer == null) {
                    break;
                }
                served.add(new Served(head, answer));
            }
            queue.removeFirst();
        }
        return served;
    }

    /**
     * Begins boarding, if it has not begun: nobody departs before the doors are closed. Whoever is told that it began now is
     * to have the courier {@link #closeDoors} and depart.
     */
    synchronized boolean board(long nowNanos) {
        if (boarding || retired) {
            return false;
        }
        boarding = true;
        boardingSinceNanos = nowNanos;
        return true;
    }

    /**
     * Begins boarding after a call that several waited for, or that others have queued behind: most of those who are answered
     * now are back in a moment, and a call that left before them would make two of every one.
     *
     * @param landed the call that has just ended
     */
    synchronized boolean boardAfter(Flight landed, long nowNanos) {
        boolean worthIt = landed.waiters().size() > 1
                || !queue.isEmpty()
                || memory.borrower().isRecalled();
        return worthIt && board(nowNanos);
    }

    synchronized void closeDoors() {
        boarding = false;
    }

    /**
     * Takes the next call, if none is in flight or boarding: for those who wait or, with nobody waiting, for the lease.
     *
     * @param numbers asked once, while nobody else can depart: giving a call up, taking the next number and reading what is
     *     held are one step (L1)
     * @return what is to be sent, and counts as in flight from now on
     */
    synchronized @Nullable Flight depart(LongSupplier numbers, Rule rule, long nowNanos) {
        giveUpErrand(nowNanos);
        if (inFlight != null || boarding || retired) {
            return null;
        }
        List<Waiter> leaving = new ArrayList<>();
        int requests = 0;
        long deadline = Long.MIN_VALUE;
        for (Waiter next = queue.peekFirst(); next != null; next = queue.peekFirst()) {
            if (next.isWaiting()) {
                requests += next.requests().size();
                if (requests > MAX_REQUESTS_IN_CALL && !leaving.isEmpty()) {
                    break;
                }
                leaving.add(next);
                deadline = Math.max(deadline, next.deadlineNanos());
            }
            queue.removeFirst();
        }
        if (!leaving.isEmpty() && deadline <= nowNanos) { // all of them are about to be told that they are late
            rejoin(leaving);
            leaving.clear();
        }
        if (leaving.isEmpty()) {
            deadline = nowNanos + PATIENCE.toNanos();
        }
        LeaseReport report = memory.report(leaving, rule, nowNanos, deadline);
        boolean corrects = !corrections.isEmpty() && queue.isEmpty(); // who is left there is about to be told
        if (leaving.isEmpty() && report == null && !corrects) {
            return null;
        }
        return takeOff(numbers, rule, leaving, report, nowNanos, deadline);
    }

    /** Whether a call is still waited for. */
    synchronized boolean isInFlight(Flight flight) {
        return inFlight == flight;
    }

    /**
     * A call has ended. Its answer is remembered, unless it had been given up before: then it counts for nothing (L1).
     *
     * @param answer null if it failed
     * @return whether it had not been given up
     */
    synchronized boolean land(Flight flight, @Nullable CallAnswer answer, long nowNanos) {
        if (inFlight != flight) {
            return false;
        }
        inFlight = null;
        if (answer == null || answer.outcome() != CallAnswer.Outcome.DECIDED) {
            corrections.unanswered(flight, nowNanos);
        } else if (flight.wasInTime(answer)) {
            corrections.settled();
        }
        memory.landed(flight, answer, nowNanos);
        return true;
    }

    /**
     * Gives up the call in flight if its time is up, or if nobody waits for it any more and somebody who queued behind it has
     * had to leave.
     *
     * @return the call that was given up, or null
     */
    synchronized @Nullable Flight giveUpExpired(long nowNanos) {
        Flight flight = inFlight;
        if (flight == null || (flight.deadlineNanos() > nowNanos && flight.isWaitedFor())) {
            return null;
        }
        inFlight = null;
        corrections.unanswered(flight, nowNanos);
        memory.borrower().landedNowhere(nowNanos);
        return flight;
    }

    /**
     * Permits that the owner, or the lease, granted on trial are to go back.
     *
     * @return false if this line is retired
     */
    synchronized boolean owe(Request request, Answer granted) {
        if (!retired) {
            if (request instanceof Request.Reserve && granted.usableAtNanos() > granted.nowNanos()) {
                corrections.cancel(request.permits(), granted.usableAtNanos());
            } else {
                corrections.owe(request.permits());
            }
            memory.forgetDenial(); // what comes back can be granted
        }
        return !retired;
    }

    /**
     * Puts permits back into the lease that they were spent from, as if they never had been: if the owner has been told
     * nothing of that lease since, and it still lives (L8).
     *
     * @param looks {@link HeldLease#looks} before they were spent
     */
    synchronized boolean putBack(long permits, int looks, long nowNanos) {
        return !retired && memory.lease().putBack(permits, looks, nowNanos);
    }

    /** How many permits could not be given back since this was asked before, for want of an answer. */
    synchronized long takeLost() {
        return corrections.takeLost();
    }

    /** Gives up a call for the lease alone once its time is up: nobody waits for it whose deadline would. */
    private void giveUpErrand(long nowNanos) {
        Flight flight = inFlight;
        if (flight != null && flight.waiters().isEmpty() && flight.deadlineNanos() <= nowNanos) {
            inFlight = null;
            memory.borrower().landedNowhere(nowNanos);
        }
    }

    /** Lets go of what has run out of time; whether a call may be due, for who waits or for the lease. */
    synchronized boolean tend(long nowNanos) {
        memory.borrower().tend(nowNanos);
        giveUpErrand(nowNanos);
        if (boarding && nowNanos - boardingSinceNanos > PATIENCE.toNanos()) {
            boarding = false; // the courier is held up, by another owner or for good
        }
        return !queue.isEmpty() || memory.holdsLease() || !corrections.isEmpty();
    }

    /**
     * Retires this line if nobody waits, nothing is in flight, and nothing is worth remembering.
     *
     * @param evenIfRecent whether to forget how often its key was asked for lately
     */
    synchronized boolean retireIfIdle(boolean evenIfRecent, long nowNanos) {
        if (!retired
                && inFlight == null
                && !boarding
                && queue.isEmpty()
                && corrections.isEmpty()
                && memory.isForgettable(evenIfRecent, nowNanos)) {
            retired = true;
            memory.borrower().forgotten();
        }
        return retired;
    }

    /** Everybody who waits, in flight or queued; the line is retired. */
    synchronized List<Waiter> disband(long nowNanos) {
        List<Waiter> all = new ArrayList<>(queue);
        if (inFlight != null) {
            all.addAll(inFlight.waiters());
            corrections.unanswered(inFlight, nowNanos);
        }
        queue.clear();
        inFlight = null;
        retired = true;
        return all;
    }

    /**
     * The call that gives back what is held, and what was taken on trial, after the line was disbanded.
     *
     * @return null if nothing is
     */
    synchronized @Nullable Flight lastReturn(LongSupplier numbers, Rule rule, long nowNanos) {
        long deadline = nowNanos + PATIENCE.toNanos();
        LeaseReport report = memory.borrower().returnAll(nowNanos, deadline);
        if (report == null && corrections.isEmpty()) {
            return null;
        }
        return takeOff(numbers, rule, List.of(), report, nowNanos, deadline);
    }

    /** From here on a call is in flight; what there is to put right goes along. */
    private Flight takeOff(
            LongSupplier numbers,
            Rule rule,
            List<Waiter> leaving,
            @Nullable LeaseReport report,
            long nowNanos,
            long deadlineNanos) {
        long number = numbers.getAsLong();
        Flight flight =
                new Flight(number, rule, leaving, report, corrections.board(number, nowNanos), nowNanos, deadlineNanos);
        inFlight = flight;
        return flight;
    }
}
