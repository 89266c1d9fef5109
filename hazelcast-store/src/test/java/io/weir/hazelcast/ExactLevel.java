package io.weir.hazelcast;

import io.weir.algorithm.Bandwidth;
import java.math.BigInteger;

/**
 * What one bandwidth holds, in numbers of any length: the simulation's own arithmetic, to hold the real one against.
 *
 * @param units of which a permit has as many as the period has nanoseconds, once refill and period have no common divisor
 */
record ExactLevel(Bandwidth bandwidth, BigInteger units) {

    static ExactLevel full(Bandwidth bandwidth) {
        return new ExactLevel(bandwidth, inUnits(bandwidth, bandwidth.capacity()));
    }

    static ExactLevel of(Bandwidth bandwidth, long permits, long fraction) {
        return new ExactLevel(bandwidth, inUnits(bandwidth, permits).add(BigInteger.valueOf(fraction)));
    }

    /** After some time, in which so many permits were out. */
    ExactLevel refilled(long nanos, long lent) {
        BigInteger gained = BigInteger.valueOf(Math.max(0, nanos))
                .multiply(BigInteger.valueOf(bandwidth.refill()))
                .divide(divisor(bandwidth));
        return risenBy(gained, lent);
    }

    /** With permits that come back, while so many others are out. */
    ExactLevel given(long permits, long lent) {
        return risenBy(inUnits(bandwidth, permits), lent);
    }

    /** Never above the capacity less what is out; what is there already stays. */
    private ExactLevel risenBy(BigInteger gained, long lent) {
        BigInteger most = inUnits(bandwidth, bandwidth.capacity() - lent);
        return new ExactLevel(bandwidth, units.max(units.add(gained).min(most)));
    }

    ExactLevel less(long permits) {
        return new ExactLevel(bandwidth, units.subtract(inUnits(bandwidth, permits)));
    }

    /** Less so many, or all that is there; a debt stays what it is. */
    ExactLevel charged(long permits) {
        BigInteger left = units.subtract(inUnits(bandwidth, permits)).max(BigInteger.ZERO);
        return new ExactLevel(bandwidth, units.min(left));
    }

    /** The same part of another capacity (I7), and no more than that less what is out (L12). */
    ExactLevel carriedTo(Bandwidth other, long lent) {
        BigInteger scaled = units.multiply(full(other).units);
        BigInteger whole = full(bandwidth).units;
        BigInteger part = scaled.subtract(scaled.mod(whole)).divide(whole); // rounded down, also below zero
        return new ExactLevel(other, part.min(inUnits(other, Math.max(0, other.capacity() - lent))));
    }

    /** Whether there are so many permits. */
    boolean holds(long permits) {
        return units.compareTo(inUnits(bandwidth, permits)) >= 0;
    }

    private static BigInteger inUnits(Bandwidth bandwidth, long permits) {
        return BigInteger.valueOf(permits)
                .multiply(BigInteger.valueOf(bandwidth.period().toNanos()).divide(divisor(bandwidth)));
    }

    private static BigInteger divisor(Bandwidth bandwidth) {
        return BigInteger.valueOf(bandwidth.refill())
                .gcd(BigInteger.valueOf(bandwidth.period().toNanos()));
    }

    @Override
    public String toString() {
        BigInteger[] permits = units.divideAndRemainder(inUnits(bandwidth, 1));
        return permits[0] + " and " + permits[1] + " units";
    }
}
