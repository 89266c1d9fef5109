package io.weir.algorithm;

import java.math.BigInteger;

/**
 * Exact refill arithmetic of one bandwidth.
 *
 * <p>{@code refill / period} is reduced to {@code tokens / nanos}. One token is {@code nanos} units, and one nanosecond
 * adds {@code tokens} units, so that nothing is rounded and nothing drifts, from one token a year to a billion a
 * second. A level is a count of whole tokens and a fraction of {@code 0 <= fraction < nanos} units; a million tokens
 * refilled at one a day would not fit 63 bits of units, but do fit whole tokens and units apart.
 *
 * <p>Products are tried in 64 bits and redone in {@link BigInteger} only where they do not fit. That needs about
 * {@code 2^63 / tokens} nanoseconds between two calls, or a wait of centuries, and so is not worth a hand-written
 * 128-bit division.
 *
 * @param tokens added in each {@code nanos}, reduced
 * @param nanos in which {@code tokens} are added, reduced; also the number of units in a token
 */
record Refill(long tokens, long nanos) {

    private static final BigInteger MAX_LONG = BigInteger.valueOf(Long.MAX_VALUE);

    static Refill of(Bandwidth bandwidth) {
        long periodNanos = bandwidth.period().toNanos();
        long divisor = greatestCommonDivisor(bandwidth.refill(), periodNanos);
        return new Refill(bandwidth.refill() / divisor, periodNanos / divisor);
    }

    /** Whole tokens gained in {@code elapsedNanos} by a level with this fraction; never more than {@code most}. */
    long wholeGained(long fraction, long elapsedNanos, long most) {
        long added = elapsedNanos * tokens;
        long units = added + fraction;
        if (Math.multiplyHigh(elapsedNanos, tokens) == 0 && added >= 0 && units >= 0) {
            return Math.min(units / nanos, most);
        }
        return units(fraction, elapsedNanos)
                .divide(BigInteger.valueOf(nanos))
                .min(BigInteger.valueOf(most))
                .longValueExact();
    }

    /** The fraction of such a level after {@code elapsedNanos}. */
    long fractionAfter(long fraction, long elapsedNanos) {
        long added = elapsedNanos * tokens;
        long units = added + fraction;
        if (Math.multiplyHigh(elapsedNanos, tokens) == 0 && added >= 0 && units >= 0) {
            return units % nanos;
        }
        return units(fraction, elapsedNanos).mod(BigInteger.valueOf(nanos)).longValueExact();
    }

    /**
     * The shortest time after which the level {@code whole + fraction} has reached {@code wanted} tokens, rounded up.
     * {@link Long#MAX_VALUE} if that is 292 years or more: no long of nanoseconds holds it, and no clock shows it.
     */
    long nanosUntil(long whole, long fraction, long wanted) {
        long missing = wanted - whole;
        if (missing <= 0) {
            return 0;
        }
        long units = missing * nanos;
        if (Math.multiplyHigh(missing, nanos) == 0 && units >= 0) {
            return ceilDivide(units - fraction, tokens);
        }
        BigInteger[] result = BigInteger.valueOf(missing)
                .multiply(BigInteger.valueOf(nanos))
                .subtract(BigInteger.valueOf(fraction))
                .divideAndRemainder(BigInteger.valueOf(tokens));
        BigInteger rounded = result[1].signum() == 0 ? result[0] : result[0].add(BigInteger.ONE);
        return rounded.min(MAX_LONG).longValueExact();
    }

    private BigInteger units(long fraction, long elapsedNanos) {
        return BigInteger.valueOf(elapsedNanos)
                .multiply(BigInteger.valueOf(tokens))
                .add(BigInteger.valueOf(fraction));
    }

    private static long ceilDivide(long dividend, long divisor) {
        return dividend / divisor + (dividend % divisor == 0 ? 0 : 1);
    }

    private static long greatestCommonDivisor(long a, long b) {
        while (b != 0) {
            long rest = a % b;
            a = b;
            b = rest;
        }
        return a;
    }
}
