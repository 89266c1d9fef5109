package io.weir.hazelcast;

import io.weir.algorithm.Request;
import io.weir.algorithm.Verdict;
import org.jspecify.annotations.Nullable;

/**
 * Permits that a node wants back, because what they were taken for did not happen. It travels with every call on the key
 * until one of them is answered, and counts once however many of them run: the owner's record of the node's last call that
 * ran says whether one did.
 *
 * <p>That takes two things of the calls. Each one that carries corrections is recorded, also if it changes nothing else; and
 * a call leaves only after the one before was answered or given up, so that the numbers of those which carry a correction
 * follow each other without a gap.
 */
sealed interface Correction {

    /** How many permits. */
    long permits();

    /**
     * What is to go back now; null if nothing is.
     *
     * @param last the last call of the node that ran and is remembered, or null
     */
    @Nullable
    Request due(@Nullable CallRecord last);

    /**
     * A take whose answer never came. It goes back if that call is the last that ran: if a later one did, that has carried
     * this correction itself; and if only earlier ones did, the call never will.
     *
     * @param call the number of the call
     * @param request the take's place among its requests
     * @param reserved whether it was a reservation. From when on it was to be used nobody knows; so it goes back only as far as
     *     nobody waits at all
     */
    record Unanswered(long call, int request, long permits, boolean reserved) implements Correction {
        @Override
        public @Nullable Request due(@Nullable CallRecord last) {
            boolean taken = last != null
                    && last.number() == call
                    && request < last.verdicts().size()
                    && last.verdicts().get(request) == Verdict.GRANTED;
            if (!taken) {
                return null;
            }
            return reserved ? new Request.Cancel(permits, Long.MIN_VALUE) : new Request.GiveBack(permits);
        }
    }

    /**
     * A take that was granted. It goes back unless a call that carried this has run.
     *
     * @param since the number of the first call that carries this
     */
    record Owed(long since, long permits) implements Correction {
        @Override
        public @Nullable Request due(@Nullable CallRecord last) {
            return last != null && last.number() >= since ? null : new Request.GiveBack(permits);
        }
    }

    /**
     * The same for a reservation.
     *
     * @param since the number of the first call that carries this
     * @param usableAtNanos from when on it was to be used, on the owner's clock
     */
    record Cancelled(long since, long permits, long usableAtNanos) implements Correction {
        @Override
        public @Nullable Request due(@Nullable CallRecord last) {
            return last != null && last.number() >= since ? null : new Request.Cancel(permits, usableAtNanos);
        }
    }
}
