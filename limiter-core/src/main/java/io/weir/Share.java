package io.weir;

import io.weir.algorithm.Rule;
import io.weir.algorithm.State;
import io.weir.algorithm.Transition;
import io.weir.algorithm.Verdict;
import io.weir.store.LastKnown;
import org.jspecify.annotations.Nullable;

/**
 * This node's part of one key's bucket. Thread-safe; every method is a short critical section.
 *
 * <p>It starts from its part of what the node last heard of the bucket, refilled at its part of the rate since then, and
 * full if nothing was heard. Whenever the owner has been heard of again it is lowered to that, and never raised. So it never
 * holds more than the owner's last word allows, however often the owner comes and goes.
 */
final class Share {

    /**
     * By which numbers a share counts.
     *
     * @param whole the limit's
     * @param nodes among how many it is divided
     * @param rule this node's part of it
     * @param refillNanos the time in which the whole limit refills from empty, which is how long a grant matters
     */
    record Numbers(Rule whole, int nodes, Rule rule, long refillNanos) {}

    // All guarded by this.

    /** What it was last asked by: those of its limit, or its key's own, which whoever charges or drops it later does not know. */
    private Numbers numbers;

    /** Null while nothing was taken or heard: full. */
    private @Nullable State state;

    /** The last word of the owner's that was heeded; null if there was none. */
    private @Nullable State heard;

    private Unpaid unpaid = Unpaid.NOTHING;
    private boolean dropped;

    /** @param numbers as for {@link #take} */
    Share(Numbers numbers) {
        this.numbers = numbers;
    }

    /**
     * Takes permits, or none.
     *
     * @param known what this node last heard of the whole bucket, or null
     * @param owed whether the owner is to be charged for a grant
     * @return null if this share has been dropped: its key has another now, or none
     */
    synchronized @Nullable Verdict take(
            Numbers numbers, @Nullable LastKnown known, long permits, boolean owed, long nowNanos) {
        if (dropped) {
            return null;
        }
        this.numbers = numbers;
        if (known != null && known.state() != heard) {
            heard = known.state();
            State mine = state == null ? null : numbers.rule().advance(state, 0, nowNanos);
            state = mine == null
                    ? part(numbers.rule(), known, nowNanos)
                    : mine.rule().lower(mine, part(mine.rule(), known, nowNanos), 0);
        }
        Transition step = numbers.rule().take(state, permits, nowNanos);
        if (step.changed()) {
            state = step.state();
        }
        if (owed && step.verdict() == Verdict.GRANTED && permits > 0) {
            unpaid = unpaid.plus(permits, nowNanos, numbers.refillNanos());
        }
        return step.verdict();
    }

    /** This node's part of a bucket, in proportion (I7), as of when it was heard of and refilled at its own rate since. */
    private static State part(Rule rule, LastKnown known, long nowNanos) {
        State whole = known.state();
        // Whatever version the owner counts under: here, this node's numbers count.
        Rule inForce = new Rule(Math.max(rule.version(), whole.rule().version()), rule.algorithm());
        State then = inForce.advance(whole, 0, whole.atNanos());
        return rule.advance(rule.restamped(then, nowNanos - known.ageNanos()), 0, nowNanos);
    }

    /**
     * Gives back permits that were granted from here.
     *
     * @param owed as they were taken; the owner need not be charged for them any more, if it has not been
     */
    synchronized void giveBack(long permits, boolean owed, long nowNanos) {
        if (state != null) {
            state = numbers.rule().giveBack(state, permits, nowNanos).state();
        }
        if (owed) {
            unpaid = unpaid.less(permits);
        }
    }

    /**
     * Charges permits that were used beyond what was granted from here.
     *
     * @param owed whether the owner is to be charged for them as well
     */
    synchronized void charge(long permits, boolean owed, long nowNanos) {
        state = numbers.rule().charge(state, permits, 0, nowNanos).state();
        if (owed) {
            unpaid = unpaid.plus(permits, nowNanos, numbers.refillNanos());
        }
    }

    /** Whether the owner has answered for this key since it was last asked for here. */
    synchronized boolean isHeardAgain(@Nullable LastKnown known) {
        return unpaid.total() > 0 && known != null && known.state() != heard;
    }

    /**
     * What the owner is to be charged now. It counts as charged from here on, so that it never is twice.
     */
    synchronized Unpaid takeUnpaid(long nowNanos) {
        Unpaid taken = unpaid.at(nowNanos, numbers.refillNanos());
        unpaid = Unpaid.NOTHING;
        return taken;
    }

    /** Undoes {@link #takeUnpaid}, because the owner surely was not charged. */
    synchronized void putBackUnpaid(Unpaid taken, long nowNanos) {
        long since = unpaid.total();
        unpaid = since == 0 ? taken : taken.plus(since, nowNanos, numbers.refillNanos()); // no younger than it was
    }

    /** Drops this share if it says no more than none would: it is full, and its owner need not be told of anything. */
    synchronized boolean dropIfFull(long nowNanos) {
        boolean full = state == null || state.fullAtNanos() <= nowNanos;
        dropped |= full && unpaid.at(nowNanos, numbers.refillNanos()).total() == 0;
        return dropped;
    }
}
