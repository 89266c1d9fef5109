package io.weir.algorithm;

import java.math.BigInteger;

/**
 * What one bandwidth has left, exactly: {@code units / unitsInPermit} permits of its capacity; less than none in debt.
 *
 * @param units what is left
 * @param unitsInPermit how many of them make a permit
 * @param capacity in permits
 */
record Balance(BigInteger units, BigInteger unitsInPermit, long capacity) {

    /** Whether a smaller part of the capacity is left than of the other's. */
    boolean isEmptierThan(Balance other) {
        // units / full < other.units / other.full
        return units.multiply(other.fullUnits()).compareTo(other.units.multiply(fullUnits())) < 0;
    }

    /**
     * What another bandwidth holds that continues this one, in its own units and rounded down to one.
     *
     * @param neverRaised whether permits stay what they were where the capacity grows, and are no more than that where it
     *     falls: a debt does not shrink
     */
    BigInteger carried(CarryOver mode, boolean neverRaised, long otherCapacity, BigInteger otherUnitsInPermit) {
        BigInteger full = BigInteger.valueOf(otherCapacity).multiply(otherUnitsInPermit);
        BigInteger same = floorDivide(units.multiply(otherUnitsInPermit), unitsInPermit);
        // Also of a debt, which is never forgiven by that.
        BigInteger inProportion = floorDivide(units.multiply(full), fullUnits());
        if (neverRaised) {
            return otherCapacity >= capacity ? same : same.min(inProportion);
        }
        return switch (mode) {
            case PROPORTION -> inProportion;
            case AS_IS -> same;
            case RESET -> full;
        };
    }

    private BigInteger fullUnits() {
        return BigInteger.valueOf(capacity).multiply(unitsInPermit);
    }

    static BigInteger floorDivide(BigInteger dividend, BigInteger divisor) {
        BigInteger[] result = dividend.divideAndRemainder(divisor);
        return result[1].signum() < 0 ? result[0].subtract(BigInteger.ONE) : result[0];
    }
}
