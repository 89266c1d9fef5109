package io.weir.algorithm;

import java.util.Arrays;
import java.util.List;

/**
 * The sliding log: at most {@code N} permits in any span {@code W}, exactly.
 *
 * <p>Property: a permit that was taken at {@code s} counts until {@code s + W}, exclusively, so that no span of that length
 * has more than {@code N}, wherever it begins. Error bound: none.
 *
 * <p>The price is memory: every instant at which permits were taken that count, and how many, which is 16 bytes for each, in
 * the JVM and on the wire. So no bandwidth may have more than {@value #MAX_PERMITS} permits; a {@link SlidingWindow} counts larger
 * ones. A decision costs a pass over what counts.
 *
 * <p>A step back of the clock beyond the tolerance (I2) moves every instant along. Permits that are given back are the newest;
 * what comes back late can be granted once more. Immutable and thread-safe.
 */
public final class SlidingLog extends Windowed {

    /** The most permits per window: 1,000. */
    public static final long MAX_PERMITS = 1_000;

    // Counts are pairs, the oldest first: an instant, and how many permits were taken then.

    private static final long[] NONE = {};

    /**
     * A sliding log for one or several bandwidths.
     *
     * @param bandwidths 1 to {@value #MAX_BANDWIDTHS}, with distinct names, each as {@link Bandwidth#perWindow} makes it
     * @throws IllegalArgumentException if there are none, too many, two of one name, one whose capacity is not its refill, or
     *     one of more than {@value #MAX_PERMITS} permits
     */
    public SlidingLog(List<Bandwidth> bandwidths) {
        super(Kind.SLIDING_LOG, bandwidths);
        for (Bandwidth each : bandwidths) {
            if (each.capacity() > MAX_PERMITS) {
                throw new IllegalArgumentException("capacity of bandwidth \"" + each.name() + "\" is " + each.capacity()
                        + ", but SLIDING_LOG remembers each permit, and so has at most " + MAX_PERMITS
                        + ": choose SLIDING_WINDOW, which counts as many in two numbers");
            }
        }
    }

    @Override
    long[] none() {
        return NONE;
    }

    @Override
    long[] forward(long[] counts, long fromNanos, long toNanos, long windowNanos) {
        int gone = 0;
        while (gone < counts.length && saturatedDifference(toNanos, counts[gone]) >= windowNanos) {
            gone += 2;
        }
        return gone == 0 ? counts : Arrays.copyOfRange(counts, gone, counts.length);
    }

    @Override
    long[] shifted(long[] counts, long fromNanos, long toNanos, long windowNanos) {
        long[] shifted = counts.clone();
        for (int i = 0; i < shifted.length; i += 2) {
            long at = toNanos - (fromNanos - counts[i]);
            shifted[i] = at > toNanos ? Long.MIN_VALUE : at;
        }
        return shifted;
    }

    @Override
    long used(long[] counts, long atNanos, long windowNanos) {
        long used = 0;
        for (int i = 1; i < counts.length; i += 2) {
            used += counts[i];
        }
        return used;
    }

    @Override
    long[] plus(long[] counts, long permits, long atNanos) {
        int last = counts.length - 2;
        boolean again = last >= 0 && counts[last] == atNanos;
        long[] more = Arrays.copyOf(counts, again ? counts.length : counts.length + 2);
        more[more.length - 2] = atNanos;
        more[more.length - 1] += permits;
        return more;
    }

    @Override
    long[] minus(long[] counts, long permits) {
        int length = counts.length;
        long left = permits;
        while (length > 0 && counts[length - 1] <= left) {
            left -= counts[length - 1];
            length -= 2;
        }
        long[] fewer = Arrays.copyOf(counts, length);
        if (length > 0) {
            fewer[length - 1] -= left;
        }
        return fewer;
    }

    @Override
    long nanosUntil(long[] counts, long atNanos, long windowNanos, long most) {
        long used = used(counts, atNanos, windowNanos);
        int gone = 0;
        while (used > most) {
            used -= counts[gone + 1];
            gone += 2;
        }
        return windowNanos - (atNanos - counts[gone - 2]);
    }

    /** Of what was taken since any instant as much as it would be rounded up: so it is rounded once, and not in each pair. */
    @Override
    long[] scaled(long[] counts, long to, long from) {
        long[] scaled = new long[counts.length];
        int first = scaled.length;
        long since = 0;
        long taken = 0;
        for (int i = counts.length - 2; i >= 0; i -= 2) {
            since += counts[i + 1];
            long permits = scaled(since, to, from) - taken;
            if (permits > 0) {
                first -= 2;
                scaled[first] = counts[i];
                scaled[first + 1] = permits;
                taken += permits;
            }
        }
        return Arrays.copyOfRange(scaled, first, scaled.length);
    }

    /** Since any instant, as many as were taken of the one or of the other, whichever is more. */
    @Override
    long[] larger(long[] one, long[] other) {
        long[] merged = new long[one.length + other.length];
        int first = merged.length;
        long taken = 0;
        long sinceOne = 0;
        long sinceOther = 0;
        int i = one.length - 2;
        int j = other.length - 2;
        while (i >= 0 || j >= 0) {
            long at = i < 0 ? other[j] : j < 0 ? one[i] : Math.max(one[i], other[j]);
            for (; i >= 0 && one[i] == at; i -= 2) {
                sinceOne += one[i + 1];
            }
            for (; j >= 0 && other[j] == at; j -= 2) {
                sinceOther += other[j + 1];
            }
            long permits = Math.max(sinceOne, sinceOther) - taken;
            if (permits > 0) {
                first -= 2;
                merged[first] = at;
                merged[first + 1] = permits;
                taken += permits;
            }
        }
        return Arrays.copyOfRange(merged, first, merged.length);
    }

    @Override
    boolean isValid(long[] counts, long atNanos, long windowNanos) {
        if (counts.length % 2 != 0) {
            return false;
        }
        for (int i = 0; i < counts.length; i += 2) {
            long next = i + 2 < counts.length ? counts[i + 2] : atNanos;
            boolean counting = saturatedDifference(atNanos, counts[i]) < windowNanos;
            if (counts[i] > next || counts[i + 1] <= 0 || !counting) {
                return false;
            }
        }
        return true;
    }
}
