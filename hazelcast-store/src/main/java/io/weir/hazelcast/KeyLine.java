package io.weir.hazelcast;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The line of those who wait for one key on this node: at most one call is in flight, and who comes meanwhile leaves with
 * the next.
 *
 * <p>One call in flight is what the owner's bookkeeping rests on: a node's calls on a key are ordered, so that it is
 * enough to remember the last one. A line lives only while somebody waits; then it is retired, and a newcomer who still
 * holds it starts over with another.
 *
 * <p>Thread-safe: every method is a short critical section, and nothing blocks in it.
 */
final class KeyLine {

    /** The most requests that one call carries. */
    static final int MAX_REQUESTS_IN_CALL = 256;

    /** One call, from its departure until its answer or its last waiter's deadline. Each is itself and no other. */
    static final class Flight {
        private final long number;
        private final List<Waiter> waiters;
        private final long deadlineNanos;

        private Flight(long number, List<Waiter> waiters, long deadlineNanos) {
            this.number = number;
            this.waiters = waiters;
            this.deadlineNanos = deadlineNanos;
        }

        /** Above the numbers of all calls that left this line before. */
        long number() {
            return number;
        }

        /** Who gets which part of the answer, in order. */
        List<Waiter> waiters() {
            return waiters;
        }

        /** The latest of the waiters' deadlines, on this node's clock. */
        long deadlineNanos() {
            return deadlineNanos;
        }
    }

    private final String key;

    // All guarded by this.
    private final Deque<Waiter> queue = new ArrayDeque<>();
    private @Nullable Flight inFlight;
    private boolean retired;

    KeyLine(String key) {
        this.key = key;
    }

    String key() {
        return key;
    }

    /** Queues up; false if this line is retired. */
    synchronized boolean join(Waiter waiter) {
        if (!retired) {
            queue.addLast(waiter);
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
     * Takes the next call from the queue, if none is in flight. With nobody left to wait, the line is retired instead.
     *
     * @param numbers asked once, while nobody else can depart: giving a call up and taking the next number are one step (L1)
     * @return what is to be sent, and counts as in flight from now on
     */
    synchronized @Nullable Flight depart(LongSupplier numbers) {
        if (inFlight != null || retired) {
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
        if (leaving.isEmpty()) {
            retired = true;
            return null;
        }
        inFlight = new Flight(numbers.getAsLong(), leaving, deadline);
        return inFlight;
    }

    /** Whether a call is still waited for. */
    synchronized boolean isInFlight(Flight flight) {
        return inFlight == flight;
    }

    /** A call has ended. False if it had been given up before: then its answer counts for nothing (L1). */
    synchronized boolean land(Flight flight) {
        if (inFlight != flight) {
            return false;
        }
        inFlight = null;
        return true;
    }

    /** Gives up the call in flight if all who wait for it have left. */
    synchronized void giveUpExpired(long nowNanos) {
        if (inFlight != null && inFlight.deadlineNanos() <= nowNanos) {
            inFlight = null;
        }
    }

    /** Retires this line if nobody waits and nothing is in flight. */
    synchronized boolean retireIfIdle() {
        retired |= inFlight == null && queue.isEmpty();
        return retired;
    }

    synchronized boolean isRetired() {
        return retired;
    }

    /** Everybody who waits, in flight or queued; the line is retired. */
    synchronized List<Waiter> disband() {
        List<Waiter> all = new ArrayList<>(queue);
        if (inFlight != null) {
            all.addAll(inFlight.waiters());
        }
        queue.clear();
        inFlight = null;
        retired = true;
        return all;
    }
}
