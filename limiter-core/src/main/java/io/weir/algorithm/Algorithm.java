package io.weir.algorithm;

import java.time.Duration;
import java.util.List;

/**
 * How a limit counts. Sealed: a store may rely on knowing every algorithm, on the wire and off it.
 *
 * <p>An algorithm is an immutable value with no clock of its own. It is asked through a {@link Rule}, which settles which
 * version of a limit is in force first.
 */
public abstract sealed class Algorithm permits TokenBucket {

    /**
     * The largest step back of a clock that is taken for ordinary disorder: up to here an older instant merely adds
     * nothing. Beyond it the clock itself has changed (an owner whose clock is behind took over), and the state is
     * rebased so that no bucket freezes until the old instant comes round again (I2).
     */
    public static final long STEP_BACK_TOLERANCE_NANOS = Duration.ofSeconds(15).toNanos();

    /** For this package: an algorithm is one of those that every store knows. */
    Algorithm() {}

    /**
     * The bandwidths that are decided together.
     *
     * @return at least one, in the order in which they were declared; unmodifiable
     */
    public abstract List<Bandwidth> bandwidths();

    /** The most permits that one request can ever be granted: the smallest of the capacities. */
    public final long smallestCapacity() {
        long smallest = Long.MAX_VALUE;
        for (Bandwidth bandwidth : bandwidths()) {
            smallest = Math.min(smallest, bandwidth.capacity());
        }
        return smallest;
    }

    /** The same with {@code reachable / nodes} of each capacity and each refill. */
    abstract Algorithm part(int reachable, int nodes);

    /** The untouched state: every bandwidth at its capacity. */
    abstract State full(Rule rule, long nowNanos);

    /**
     * Takes permits from every bandwidth, or from none.
     *
     * @param state a state of this very algorithm
     * @param permits zero (a peek) or more
     * @param lent permits that are out: refill stops so much below each capacity
     */
    abstract Transition take(State state, long permits, long lent, long nowNanos);

    /**
     * Puts permits back into every bandwidth, none above its capacity less what is out.
     *
     * @param state a state of this very algorithm
     * @param permits more than zero
     */
    abstract Transition giveBack(State state, long permits, long lent, long nowNanos);

    /**
     * Takes permits from every bandwidth, from each as many as it has of them.
     *
     * @param state a state of this very algorithm
     * @param permits more than zero
     */
    abstract Transition charge(State state, long permits, long lent, long nowNanos);

    /**
     * A state as it is at another instant, if nothing is taken until then.
     *
     * @param state a state of this very algorithm
     */
    abstract State advance(State state, long lent, long nowNanos);

    /**
     * Brings another rule's state under {@code rule}, which counts with this algorithm, in proportion (I7), and to no more
     * than each capacity less what is out (L12).
     */
    abstract State carryOver(Rule rule, State old, long lent, long nowNanos);
}
