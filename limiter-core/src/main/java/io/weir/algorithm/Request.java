package io.weir.algorithm;

/** One thing asked of a bucket. */
public sealed interface Request {

    /** How many permits move. */
    long permits();

    /**
     * Takes permits, or none.
     *
     * @param permits zero or more; zero is a free peek (I6)
     */
    record Take(long permits) implements Request {
        /**
         * Checks the number.
         *
         * @throws IllegalArgumentException if {@code permits} is negative
         */
        public Take {
            if (permits < 0) {
                throw new IllegalArgumentException("permits must not be negative but is " + permits);
            }
        }
    }

    /**
     * Puts back permits that were granted and not used.
     *
     * @param permits more than zero
     */
    record GiveBack(long permits) implements Request {
        /**
         * Checks the number.
         *
         * @throws IllegalArgumentException if {@code permits} is not positive
         */
        public GiveBack {
            if (permits <= 0) {
                throw new IllegalArgumentException("permits to give back must be positive but is " + permits);
            }
        }
    }

    /**
     * Charges permits that were granted elsewhere already, by a node that could not ask. Every bandwidth loses as many, or
     * what it has: down to zero, and never into debt. It is always granted, since there is nothing left to decide.
     *
     * @param permits more than zero; more than the capacity is no mistake
     */
    record Charge(long permits) implements Request {
        /**
         * Checks the number.
         *
         * @throws IllegalArgumentException if {@code permits} is not positive
         */
        public Charge {
            if (permits <= 0) {
                throw new IllegalArgumentException("permits to charge must be positive but is " + permits);
            }
        }
    }
}
