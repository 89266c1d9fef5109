package io.weir.algorithm;

import java.util.List;

/**
 * The sliding window counter: {@code N} permits per window {@code W}, nearly, for two numbers per bandwidth.
 *
 * <p>Property: at most {@code N} in a window of the clock, at most {@code N * (1 + q/W)} in any span that reaches {@code q}
 * past a window's edge, and so at most {@code N + N * t/W} in any span {@code t} up to {@code W}. Across an edge it never
 * grants {@code N} twice, as a {@link FixedWindow} does.
 *
 * <p>What was granted in the window before counts for the part of that window that a span {@code W} still covers, as if it had
 * been spread evenly. Where it had been granted late in that window, the estimate is too low: that is the error upwards. Where
 * it had been granted early, the estimate is too high, and a request is denied that fewer than {@code N} permits stand against.
 * Under demand that never ends it grants {@code N - 1} per window, and {@code N} of 1 in every other window: choose a {@link SlidingLog}
 * for small limits. Windows begin at multiples of {@code W} on the time line of whoever keeps the state.
 *
 * <p>A step back of the clock beyond the tolerance (I2) moves what counts into the window that the new instant lies in: less
 * becomes available no sooner, and the bound stays. Permits that are given back come off the present window first and then off the one
 * before; what comes back late can be granted once more. Immutable and thread-safe.
 */
public final class SlidingWindow extends Windowed {

    /*
     * Let p be what was granted in the window before, c what has been granted in the present one, and e how much of that has
     * passed. A request for k is granted if, and only if,
     *
     *     p * (W - e) / W + c + k <= N
     *
     * exactly: c, k and N are whole, so that the first term may be rounded up. Nothing else is rounded.
     *
     * Bound. Take a span that begins in one window and ends q after the edge to the next, 0 <= q <= W. In the first it
     * grants no more than p, and p <= N, because the last grant of that window was made with c + k <= N. If it grants
     * anything in the second, the last grant there was made at some e <= q, and left c <= N - p * (W - e) / W. Together
     *
     *     p + c  <=  N + p * e/W  <=  N * (1 + q/W).
     *
     * A span t <= W crosses at most one edge, and has q <= t. It is reached: N at the end of a window, and N * q/W by q after
     * the edge (EdgeTest).
     *
     * A step back puts E, the estimate, into the present window of the new instant. Let q be how far a span reaches past the
     * next edge there, s how far it reaches back from the step. Before the step it granted p * e/W more than E counts, at
     * most, and only if s >= e; after it no more than N - E + N * q/W. So N * (1 + (s + q)/W) holds across the step too.
     */

    private static final int BEFORE = 0;
    private static final int PRESENT = 1;

    /**
     * A sliding window counter for one or several bandwidths.
     *
     * @param bandwidths 1 to {@value #MAX_BANDWIDTHS}, with distinct names, each as {@link Bandwidth#perWindow} makes it
     * @throws IllegalArgumentException if there are none, too many, two of one name, or one whose capacity is not its refill
     */
    public SlidingWindow(List<Bandwidth> bandwidths) {
        super(Kind.SLIDING_WINDOW, bandwidths);
    }

    @Override
    long[] none() {
        return new long[2];
    }

    @Override
    long[] forward(long[] counts, long fromNanos, long toNanos, long windowNanos) {
        long from = Math.floorDiv(fromNanos, windowNanos);
        long to = Math.floorDiv(toNanos, windowNanos);
        if (from == to) {
            return counts;
        }
        return to - 1 == from ? new long[] {counts[PRESENT], 0} : none();
    }

    @Override
    long[] shifted(long[] counts, long fromNanos, long toNanos, long windowNanos) {
        return new long[] {0, used(counts, fromNanos, windowNanos)};
    }

    @Override
    long used(long[] counts, long atNanos, long windowNanos) {
        // p * (W - e) / W rounded up is p less p * e / W rounded down.
        long over = floorProduct(counts[BEFORE], Math.floorMod(atNanos, windowNanos), windowNanos);
        return counts[BEFORE] - over + counts[PRESENT];
    }

    @Override
    long[] plus(long[] counts, long permits, long atNanos) {
        return new long[] {counts[BEFORE], counts[PRESENT] + permits};
    }

    @Override
    long[] minus(long[] counts, long permits) {
        long present = Math.min(permits, counts[PRESENT]);
        long before = Math.min(permits - present, counts[BEFORE]);
        return new long[] {counts[BEFORE] - before, counts[PRESENT] - present};
    }

    @Override
    long nanosUntil(long[] counts, long atNanos, long windowNanos, long most) {
        long elapsed = Math.floorMod(atNanos, windowNanos);
        if (counts[PRESENT] <= most) {
            return elapsedUntil(counts[BEFORE], most - counts[PRESENT], windowNanos) - elapsed;
        }
        return later(windowNanos - elapsed, elapsedUntil(counts[PRESENT], most, windowNanos));
    }

    /** How much of a window must have passed until of {@code before} no more than {@code most} count, which is fewer. */
    private static long elapsedUntil(long before, long most, long windowNanos) {
        return windowNanos - floorProduct(most, windowNanos, before);
    }

    @Override
    long[] scaled(long[] counts, long to, long from) {
        return new long[] {scaled(counts[BEFORE], to, from), scaled(counts[PRESENT], to, from)};
    }

    @Override
    long[] larger(long[] one, long[] other) {
        return new long[] {Math.max(one[BEFORE], other[BEFORE]), Math.max(one[PRESENT], other[PRESENT])};
    }

    @Override
    boolean isValid(long[] counts, long atNanos, long windowNanos) {
        return counts.length == 2 && counts[BEFORE] >= 0 && counts[PRESENT] >= 0;
    }
}
