package io.weir;

import java.util.concurrent.ThreadLocalRandom;

/**
 * How many of the decisions are looked at: one of a power of two, at random, so that looking costs the same however many
 * there are.
 *
 * <pre>
 *            BUDGET looked at since the last round, and each time as many again: at once
 *      1 in n ---------------------------------------------------------------------------&gt; 1 in 2n
 *             &lt;---------------------------------------------------------------------------
 *            less than a quarter of it in a whole round
 * </pre>
 *
 * <p>At random and not every n-th, which would always meet the same key of callers that take turns.
 */
final class Sampling {

    /** How many are looked at in a round of {@link Upkeep#INTERVAL}, before fewer are. */
    static final int BUDGET = 1_000;

    private static final int MOST_MASK = (1 << 30) - 1;

    /** A power of two less one. Written by who looks, read by everybody who asks. */
    private volatile int mask;

    /** For who looks. */
    private int looked;

    /**
     * Whether to look at this decision. Thread-safe.
     *
     * @return for how many it stands; zero if it is not looked at
     */
    int draw() {
        int present = mask;
        return present == 0 || (ThreadLocalRandom.current().nextInt() & present) == 0 ? present + 1 : 0;
    }

    /** One was looked at. Like {@link #tend}, for one thread at a time. */
    void looked() {
        looked++;
        if (looked % BUDGET == 0) {
            mask = Math.min(MOST_MASK, 2 * mask + 1);
        }
    }

    /** The end of a round. */
    void tend() {
        if (looked < BUDGET / 4) {
            mask >>>= 1;
        }
        looked = 0;
    }
}
