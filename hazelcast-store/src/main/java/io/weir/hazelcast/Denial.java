package io.weir.hazelcast;

import io.weir.algorithm.Bandwidth;
import io.weir.algorithm.Rule;
import io.weir.algorithm.State;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * A denial that this node remembers: until when nothing can be granted to requests for at least so many permits.
 *
 * <p>While nothing is lent, that is until the very instant at which the owner could grant them; counted from the moment
 * at which the call was sent, so that it never ends too late. While permits are lent to others they may come back sooner,
 * and so it ends after a short gap at the latest. A key that is hot is not asked for again before the gap has passed: what
 * refills meanwhile is taken all at once. And it never lasts longer than a second, since nobody tells this node of refunds
 * and changed limits elsewhere.
 *
 * @param permits the smallest number that is denied
 * @param most the largest that could be granted at all
 * @param untilNanos on this node's clock
 * @param balance what the owner said
 * @param notBeforeNanos when this node will ask again, on the owner's clock
 */
record Denial(long permits, long most, long untilNanos, Balance balance, long notBeforeNanos) {

    /** The gap is this part of the time in which an empty bucket fills, but at most {@link #LONGEST_GAP}. */
    private static final int GAP_OF_WINDOW = 50;

    static final Duration LONGEST_GAP = Duration.ofMillis(50);

    static final Duration LONGEST = Duration.ofSeconds(1);

    /**
     * What follows from the balance after a call; null if so many permits can be granted now.
     *
     * @param permits the smallest number that was denied, or that cannot be there
     * @param lentElsewhere whether other nodes hold permits that may come back
     * @param hot whether this node leases
     */
    static @Nullable Denial of(long permits, Balance balance, boolean lentElsewhere, boolean hot) {
        State state = balance.state();
        if (state.lowestLevel() >= permits) {
            return null; // there by now: something was given back after it was denied
        }
        long ready = state.readyAtNanos(permits);
        long wait = ready == Long.MAX_VALUE ? Long.MAX_VALUE : ready - balance.ownerNanos();
        long gap = gapNanos(state.rule());
        long until = Math.min(wait, lentElsewhere ? gap : LONGEST.toNanos());
        long lasts = hot ? Math.max(gap, until) : until;
        return new Denial(
                permits,
                state.rule().algorithm().smallestCapacity(),
                balance.sentNanos() + lasts,
                balance,
                balance.ownerNanos() + lasts);
    }

    /** How long a node that leases waits before it asks again in vain. */
    static long gapNanos(Rule rule) {
        long shortest = LONGEST_GAP.toNanos();
        for (Bandwidth bandwidth : rule.algorithm().bandwidths()) {
            shortest = Math.min(shortest, bandwidth.window().toNanos() / GAP_OF_WINDOW);
        }
        return shortest;
    }

    /** Not more than there can ever be: to say that no wait helps is the owner's (I5). */
    boolean covers(long asked, long nowNanos) {
        return asked >= permits && asked <= most && nowNanos < untilNanos;
    }

    boolean isOver(long nowNanos) {
        return nowNanos >= untilNanos;
    }
}
