package io.weir.algorithm;

import java.util.List;

/**
 * The fixed window: {@code N} permits in each window {@code W} of the clock.
 *
 * <p>Property: at most {@code N} in a window. Error bound: a span that lies across the edge of two windows sees what both
 * grant, so that around an edge up to {@code 2N} are granted within a nanosecond. Windows begin at multiples of {@code W} on
 * the time line of whoever keeps the state: of a cluster, since 1970, so that a window of a minute is a minute of the clock.
 *
 * <p>State: one number per bandwidth. A step back of the clock beyond the tolerance (I2) keeps the count, for the window that
 * the new instant lies in: the next edge is nearer or further than it was, and so each such step is worth one edge more.
 *
 * <p>A permit that is given back is taken from the count, also if it was taken in an earlier window: what comes back late can
 * be granted once more. Immutable and thread-safe.
 */
public final class FixedWindow extends Windowed {

    /**
     * A fixed window for one or several bandwidths.
     *
     * @param bandwidths 1 to {@value #MAX_BANDWIDTHS}, with distinct names, each as {@link Bandwidth#perWindow} makes it
     * @throws IllegalArgumentException if there are none, too many, two of one name, or one whose capacity is not its refill
     */
    public FixedWindow(List<Bandwidth> bandwidths) {
        super(Kind.FIXED_WINDOW, bandwidths);
    }

    @Override
    long[] none() {
        return new long[1];
    }

    @Override
    long[] forward(long[] counts, long fromNanos, long toNanos, long windowNanos) {
        return Math.floorDiv(fromNanos, windowNanos) == Math.floorDiv(toNanos, windowNanos) ? counts : none();
    }

    @Override
    long[] shifted(long[] counts, long fromNanos, long toNanos, long windowNanos) {
        return counts;
    }

    @Override
    long used(long[] counts, long atNanos, long windowNanos) {
        return counts[0];
    }

    @Override
    long[] plus(long[] counts, long permits, long atNanos) {
        return new long[] {counts[0] + permits};
    }

    @Override
    long[] minus(long[] counts, long permits) {
        return new long[] {counts[0] - Math.min(permits, counts[0])};
    }

    @Override
    long nanosUntil(long[] counts, long atNanos, long windowNanos, long most) {
        return windowNanos - Math.floorMod(atNanos, windowNanos);
    }

    @Override
    long[] scaled(long[] counts, long to, long from) {
        return new long[] {scaled(counts[0], to, from)};
    }

    @Override
    long[] larger(long[] one, long[] other) {
        return one[0] >= other[0] ? one : other;
    }

    @Override
    boolean isValid(long[] counts, long atNanos, long windowNanos) {
        return counts.length == 1 && counts[0] >= 0;
    }
}
