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
     * Charges permits that were granted elsewhere already, by a node that could not ask, or used beyond what was granted. Every
     * bandwidth loses as many, or what it has: down to zero, or as far into debt as is said. It is always granted, since
     * there is nothing left to decide.
     *
     * @param permits more than zero; more than the capacity is no mistake
     * @param mostDebt how far below zero they may bring a token bucket, zero or more. Other algorithms know no debt
     */
    record Charge(long permits, long mostDebt) implements Request {
        /**
         * Checks the numbers.
         *
         * @throws IllegalArgumentException if {@code permits} is not positive, or if {@code mostDebt} is negative or more than
         *     a state can hold
         */
        public Charge {
            if (permits <= 0) {
                throw new IllegalArgumentException("permits to charge must be positive but is " + permits);
            }
            if (mostDebt < 0 || mostDebt > -BucketState.LOWEST_LEVEL) {
                throw new IllegalArgumentException(
                        "mostDebt must be 0 to " + -BucketState.LOWEST_LEVEL + " but is " + mostDebt);
            }
        }

        /** Down to zero. */
        public Charge(long permits) {
            this(permits, 0);
        }
    }

    /**
     * Gives up permits that were {@linkplain Reserve reserved}. Those go back that nobody has reserved behind them: the others
     * have been told an instant, and whoever comes next must not be told the same.
     *
     * @param permits as they were reserved, more than zero
     * @param usableAtNanos from when on they were to be used
     */
    record Cancel(long permits, long usableAtNanos) implements Request {
        /**
         * Checks the number.
         *
         * @throws IllegalArgumentException if {@code permits} is not positive
         */
        public Cancel {
            if (permits <= 0) {
                throw new IllegalArgumentException("permits to cancel must be positive but is " + permits);
            }
        }
    }

    /**
     * Takes permits now or, if they are not there, out of what refills next: the caller may use them once they would have
     * been there, and nobody who asks later comes first. Denied if that is too far off. {@link State#usableAtNanos} says when
     * it is.
     *
     * <p>Token buckets and leaky buckets reserve. The windows do not: there it is a {@link Take}.
     *
     * @param permits more than zero
     * @param longestWaitNanos how far off at most, zero or more
     */
    record Reserve(long permits, long longestWaitNanos) implements Request {
        /**
         * Checks the numbers.
         *
         * @throws IllegalArgumentException if {@code permits} is not positive or {@code longestWaitNanos} is negative
         */
        public Reserve {
            if (permits <= 0) {
                throw new IllegalArgumentException("permits to reserve must be positive but is " + permits);
            }
            if (longestWaitNanos < 0) {
                throw new IllegalArgumentException("longestWaitNanos must not be negative but is " + longestWaitNanos);
            }
        }
    }
}
