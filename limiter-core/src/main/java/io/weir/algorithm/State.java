package io.weir.algorithm;

/**
 * What is remembered of one key under one limit: an immutable value, valid at {@link #atNanos()}.
 *
 * <p>Instants are nanoseconds on the time line of the store that keeps the state: its owner's clock, whatever its
 * origin. Bandwidths are addressed by their index in {@link Algorithm#bandwidths()}.
 */
public sealed interface State permits BucketState, QueueState, WindowState {

    /** The rule that this state was last decided under. */
    Rule rule();

    /** The instant this state is valid at. It never moves back, except to rebase (I2). */
    long atNanos();

    /** Whole permits that a bandwidth holds; negative while it is in debt. */
    long level(int bandwidth);

    /** Whole permits that every bandwidth holds: the lowest of the levels. */
    default long lowestLevel() {
        long lowest = Long.MAX_VALUE;
        for (int i = 0; i < rule().algorithm().bandwidths().size(); i++) {
            lowest = Math.min(lowest, level(i));
        }
        return lowest;
    }

    /**
     * The first instant at which every bandwidth can grant {@code permits}, if nothing else is taken.
     *
     * @param permits at most the smallest of the capacities
     * @return as {@link #readyAtNanos(int, long)}
     */
    default long readyAtNanos(long permits) {
        long latest = Long.MIN_VALUE;
        for (int i = 0; i < rule().algorithm().bandwidths().size(); i++) {
            latest = Math.max(latest, readyAtNanos(i, permits));
        }
        return latest;
    }

    /**
     * The first instant at which a bandwidth alone could grant {@code permits}, if nothing else were taken.
     *
     * @param permits at most the bandwidth's capacity
     * @return {@link #atNanos()} if it could at once; {@link Long#MAX_VALUE}, which no clock reaches, where the instant,
     *     or the wait until then, lies beyond the 292 years that a {@code long} of nanoseconds can express
     */
    long readyAtNanos(int bandwidth, long permits);

    /**
     * When permits that were reserved may be used: once they would have been there for a take.
     *
     * @param permits as they were reserved, and granted
     * @param later permits that were taken since, at the instant of this state
     * @return {@link #atNanos()} if they were there
     */
    default long usableAtNanos(long permits, long later) {
        return atNanos();
    }

    /**
     * Permits that were reserved behind others.
     *
     * @param permits those others
     * @param usableAtNanos from when on they were to be used
     * @return as many as have been reserved for a later instant, rounded up; zero if this reserves nothing ahead
     */
    default long reservedBehind(long permits, long usableAtNanos) {
        return 0;
    }

    /**
     * The first instant at which every bandwidth is at its capacity, if nothing more were taken: from then on this
     * state says no more than no state at all.
     *
     * @return as {@link #readyAtNanos}
     */
    default long fullAtNanos() {
        var bandwidths = rule().algorithm().bandwidths();
        long latest = atNanos();
        for (int i = 0; i < bandwidths.size(); i++) {
            latest = Math.max(latest, readyAtNanos(i, bandwidths.get(i).capacity()));
        }
        return latest;
    }
}
