package io.weir.hazelcast;

import io.weir.algorithm.Request;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * The {@linkplain Correction corrections} of one key that no answer has settled yet. Guarded by its line.
 *
 * <p>Bounded in number and in time. The time is the owner's: it remembers a call for so long after its deadline, and without
 * that nobody could say any more whether permits went back. What is let go of stays charged.
 */
final class Corrections {

    /** How long a correction is worth sending, after it left for the first time. */
    static final Duration LIFE =
            Duration.ofNanos(Owner.CLOCK_DISAGREEMENT_NANOS).minusSeconds(1);

    /** The most that travel with one call. */
    static final int MOST = 512;

    private record Pending(Correction correction, long untilNanos) {}

    private final List<Pending> pending = new ArrayList<>(0);

    /** To go back with the next call. */
    private long owed;

    private final List<Request.Cancel> cancelled = new ArrayList<>(0);

    private long lost;

    boolean isEmpty() {
        return owed == 0 && cancelled.isEmpty() && pending.isEmpty();
    }

    /** Permits that were granted are to go back. */
    void owe(long permits) {
        owed += permits; // cannot overflow: all of them came out of one bucket
    }

    /** A reservation is to go back. */
    void cancel(long permits, long usableAtNanos) {
        if (cancelled.size() < MOST) {
            cancelled.add(new Request.Cancel(permits, usableAtNanos));
        } else {
            lose(permits);
        }
    }

    /** A call got no answer: what it took on trial is to go back, if it took it. */
    void unanswered(KeyLine.Flight flight, long nowNanos) {
        int place = 0;
        for (Waiter waiter : flight.waiters()) {
            for (int i = 0; i < waiter.requests().size(); i++, place++) {
                if (waiter.isOnTrial()) {
                    Request request = waiter.requests().get(i);
                    boolean reserved = request instanceof Request.Reserve;
                    add(new Correction.Unanswered(flight.number(), place, request.permits(), reserved), nowNanos);
                }
            }
        }
    }

    /** What travels with a call that is about to leave. */
    List<Correction> board(long number, long nowNanos) {
        pending.removeIf(each -> {
            boolean over = each.untilNanos() - nowNanos < 0;
            if (over) {
                lose(each.correction().permits());
            }
            return over;
        });
        if (owed > 0) {
            add(new Correction.Owed(number, owed), nowNanos);
            owed = 0;
        }
        cancelled.forEach(
                each -> add(new Correction.Cancelled(number, each.permits(), each.usableAtNanos()), nowNanos));
        cancelled.clear();
        return pending.stream().map(Pending::correction).toList();
    }

    private void add(Correction correction, long nowNanos) {
        if (pending.size() < MOST) {
            pending.add(new Pending(correction, nowNanos + LIFE.toNanos()));
        } else {
            lose(correction.permits());
        }
    }

    private void lose(long permits) {
        lost = lost > Long.MAX_VALUE - permits ? Long.MAX_VALUE : lost + permits;
    }

    /** The call that carried them, and so all that were pending, has been answered. */
    void settled() {
        pending.clear();
    }

    /** How many permits stay charged, or may, since this was asked before. */
    long takeLost() {
        long taken = lost;
        lost = 0;
        return taken;
    }
}
