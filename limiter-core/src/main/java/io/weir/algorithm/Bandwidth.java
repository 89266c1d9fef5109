package io.weir.algorithm;

import java.math.BigInteger;
import java.time.Duration;
import java.util.Objects;
import java.util.regex.Pattern;

/**
 * One capacity with one refill: at most {@code capacity + refill * t / period} permits in any span {@code t}.
 *
 * <p>Refill is continuous: 60 a minute is one each second, not sixty at the turn of the minute.
 *
 * @param name what the bandwidth is called in decisions, headers and metrics: 1 to 64 of {@code A-Z a-z 0-9 . _ -}
 * @param capacity the most permits that can be granted at once (the burst): 1 to {@value #MAX_PERMITS}
 * @param refill permits that return in each period: 1 to {@value #MAX_PERMITS}
 * @param period the time in which {@code refill} permits return: 1 ns to 292 years
 */
public record Bandwidth(String name, long capacity, long refill, Duration period) {

    /** The largest capacity and the largest refill: 2<sup>62</sup>. Sums and differences of levels then fit a long. */
    public static final long MAX_PERMITS = 1L << 62;

    /** The name of a bandwidth that was not given one. */
    public static final String DEFAULT_NAME = "default";

    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9._-]{1,64}");

    /**
     * Checks every component.
     *
     * @throws IllegalArgumentException naming the component and its value, if one is out of range
     */
    public Bandwidth {
        Objects.requireNonNull(name, "name of a bandwidth");
        Objects.requireNonNull(period, "period of a bandwidth");
        if (!NAME.matcher(name).matches()) {
            throw new IllegalArgumentException(
                    "bandwidth name must be 1 to 64 of A-Z a-z 0-9 . _ - but is \"" + printable(name) + "\"");
        }
        requireInRange("capacity", name, capacity);
        requireInRange("refill", name, refill);
        if (period.isNegative() || period.isZero()) {
            throw new IllegalArgumentException(
                    "period of bandwidth \"" + name + "\" must be positive but is " + period);
        }
        if (period.compareTo(Duration.ofNanos(Long.MAX_VALUE)) > 0) {
            throw new IllegalArgumentException("period of bandwidth \"" + name
                    + "\" must be at most 292 years, the longest that fits a long of nanoseconds, but is " + period);
        }
    }

    /**
     * A bandwidth called {@value #DEFAULT_NAME}.
     *
     * @param capacity the burst, in permits
     * @param refill permits per period
     * @param period how long {@code refill} permits take to return
     * @throws IllegalArgumentException if a value is out of range
     */
    public static Bandwidth of(long capacity, long refill, Duration period) {
        return new Bandwidth(DEFAULT_NAME, capacity, refill, period);
    }

    /**
     * {@code permits} in each window, for the algorithms that count per window: capacity and refill are that number, and the
     * period is the window. Called {@value #DEFAULT_NAME}.
     *
     * @param permits 1 to {@value #MAX_PERMITS}
     * @param window 1 ns to 292 years
     * @throws IllegalArgumentException if a value is out of range
     */
    public static Bandwidth perWindow(long permits, Duration window) {
        return of(permits, permits, window);
    }

    /** The same numbers under another name. */
    public Bandwidth named(String newName) {
        return new Bandwidth(newName, capacity, refill, period);
    }

    /**
     * The time in which an empty bandwidth fills, rounded up to a nanosecond: {@code capacity * period / refill}. This
     * is the window that HTTP fields speak of.
     *
     * @return at most 292 years, the longest that fits a long of nanoseconds; a bandwidth that takes longer says that
     */
    public Duration window() {
        return Duration.ofNanos(Refill.of(this).nanosUntil(0, 0, capacity));
    }

    /** {@code reachable} of {@code nodes} equal parts: at least one permit of capacity, and never no refill. */
    Bandwidth part(int reachable, int nodes) {
        long sharedCapacity = Math.max(
                1,
                product(capacity, reachable).divide(BigInteger.valueOf(nodes)).longValueExact());
        BigInteger more = product(refill, reachable);
        BigInteger stretched = product(period.toNanos(), nodes);
        boolean moreFits = more.compareTo(BigInteger.valueOf(MAX_PERMITS)) <= 0;
        if (moreFits && stretched.bitLength() < Long.SIZE) {
            // The period is stretched rather than the refill divided, so that nothing is rounded.
            return new Bandwidth(
                    name, sharedCapacity, more.longValueExact(), Duration.ofNanos(stretched.longValueExact()));
        }
        // As much refill as belongs into the longest period, or into the same if there would be too much: rounded down.
        long within = moreFits ? Long.MAX_VALUE : period.toNanos();
        BigInteger part = more.multiply(BigInteger.valueOf(within)).divide(stretched);
        return new Bandwidth(name, sharedCapacity, Math.max(1, part.longValueExact()), Duration.ofNanos(within));
    }

    private static BigInteger product(long value, int factor) {
        return BigInteger.valueOf(value).multiply(BigInteger.valueOf(factor));
    }

    private static void requireInRange(String what, String name, long value) {
        if (value < 1 || value > MAX_PERMITS) {
            throw new IllegalArgumentException(
                    what + " of bandwidth \"" + name + "\" must be 1 to 2^62 but is " + value);
        }
    }

    private static String printable(String text) {
        String cut = text.length() > 64 ? text.substring(0, 64) + "..." : text;
        return cut.replaceAll("[^ -~]", "?");
    }
}
