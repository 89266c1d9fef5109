package io.weir.quota;

/** Sums of money do not wrap. */
final class Amounts {

    private Amounts() {}

    /** {@code amount}, unless it is negative. */
    static long check(String what, long amount) {
        if (amount < 0) {
            throw new IllegalArgumentException(what + " must be at least 0, and is " + amount);
        }
        return amount;
    }

    static long add(String what, long a, long b) {
        try {
            return Math.addExact(a, b);
        } catch (ArithmeticException e) {
            throw new AmountOverflowException(what + " would be " + a + " + " + b + ", which is more than the "
                    + Long.MAX_VALUE + " that an amount can be");
        }
    }
}
