package io.weir.algorithm;

/**
 * What is remembered of one key under one limit: an immutable value, valid at {@link #atNanos()}.
 *
 * <p>Instants are nanoseconds on the time line of the store that keeps the state: its owner's clock, whatever its
 * origin. Bandwidths are addressed by their index in {@link Algorithm#bandwidths()}.
 */
public sealed interface State permits BucketState {

    /** The rule that this state was last decided under. */
    Rule rule();

    /** The instant this state is valid at. It never moves back, except to rebase (I2). */
    long atNanos();

    /** Whole permits that a bandwidth holds; negative while it is in debt. */
    long level(int bandwidth);

    /**
     * The first instant at which a bandwidth alone could grant {@code permits}, if nothing else were taken.
     *
     * @param permits at most the bandwidth's capacity
     * @return {@link #atNanos()} if it could at once; {@link Long#MAX_VALUE}, which no clock reaches, where the instant
     *     lies beyond the 292 years that a {@code long} of nanoseconds can express
     */
    long readyAtNanos(int bandwidth, long permits);
}
