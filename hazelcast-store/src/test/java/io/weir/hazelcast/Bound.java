package io.weir.hazelcast;

import io.weir.algorithm.Bandwidth;
import java.math.BigInteger;
import java.util.Optional;

/**
 * A bucket that grants everything, and says when that was above {@code capacity + refill * t} in some span (I1). Asked
 * in the order of time, it finds a span that is overfull if and only if there is one: the last of its grants leaves it in
 * debt.
 *
 * <p>Integers only. One permit is as many units as the period has nanoseconds.
 */
final class Bound {

    private final Bandwidth bandwidth;
    private final BigInteger unitsPerPermit;
    private final BigInteger unitsPerNano;
    private final BigInteger capacity;
    private BigInteger level;
    private long atNanos;
    private long fullAtNanos;
    private long grantedSinceFull;

    /**
     * @param extraPermits what is allowed on top of the capacity
     * @param extraNanos a time whose refill is allowed on top of it
     */
    Bound(Bandwidth bandwidth, long extraPermits, long extraNanos) {
        this.bandwidth = bandwidth;
        this.unitsPerPermit = BigInteger.valueOf(bandwidth.period().toNanos());
        this.unitsPerNano = BigInteger.valueOf(bandwidth.refill());
        this.capacity = BigInteger.valueOf(bandwidth.capacity())
                .add(BigInteger.valueOf(extraPermits))
                .multiply(unitsPerPermit)
                .add(unitsPerNano.multiply(BigInteger.valueOf(extraNanos)));
        this.level = capacity;
        this.atNanos = Long.MIN_VALUE;
    }

    /**
     * Takes permits, or puts them back if they are negative.
     *
     * @param nanos not before the instant of the last call
     * @return what is wrong with that, if anything
     */
    Optional<String> take(long permits, long nanos) {
        if (atNanos != Long.MIN_VALUE) {
            level = level.add(unitsPerNano.multiply(BigInteger.valueOf(nanos - atNanos)))
                    .min(capacity);
        }
        atNanos = nanos;
        if (level.equals(capacity)) {
            fullAtNanos = nanos;
            grantedSinceFull = 0;
        }
        level = level.subtract(BigInteger.valueOf(permits).multiply(unitsPerPermit))
                .min(capacity);
        grantedSinceFull += permits;
        return level.signum() >= 0 ? Optional.empty() : Optional.of(excess());
    }

    private String excess() {
        BigInteger above =
                level.negate().add(unitsPerPermit).subtract(BigInteger.ONE).divide(unitsPerPermit);
        return grantedSinceFull + " permits granted in the " + (atNanos - fullAtNanos) / 1e6 + " ms from "
                + fullAtNanos / 1e6 + " ms to " + atNanos / 1e6 + " ms: " + above + " more than " + bandwidth
                + " and its allowances permit";
    }
}
