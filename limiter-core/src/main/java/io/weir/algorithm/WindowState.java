package io.weir.algorithm;

import java.util.Arrays;

/**
 * The state of a {@link FixedWindow}, a {@link SlidingWindow} or a {@link SlidingLog}: of each bandwidth the permits that
 * count, as a few numbers.
 *
 * <p>What the numbers are, its algorithm says. A level is the capacity less what counts, and negative if more counts than the
 * capacity: after a change of the limit, say.
 */
public final class WindowState implements State {

    private final Rule rule;
    private final long atNanos;

    /** Of each bandwidth. Never written after construction, and shared between states. */
    private final long[][] counts;

    /** For this package: of counts that nobody writes. */
    WindowState(Rule rule, long atNanos, long[][] counts) {
        this.rule = rule;
        this.atNanos = atNanos;
        this.counts = counts;
    }

    /**
     * A state read back from wherever it was kept.
     *
     * @param rule a rule of one of the algorithms that count per window
     * @param atNanos the instant it is valid at
     * @param counts as {@link #counts} told them, of each of the rule's bandwidths in turn
     * @throws IllegalArgumentException if the counts do not fit the rule
     */
    public static WindowState restore(Rule rule, long atNanos, long[]... counts) {
        if (!(rule.algorithm() instanceof Windowed algorithm)) {
            throw new IllegalArgumentException("not the rule of an algorithm that counts per window: " + rule);
        }
        int count = algorithm.bandwidths().size();
        if (counts.length != count) {
            throw new IllegalArgumentException(
                    count + " bandwidths need as many counts but there are " + counts.length);
        }
        long[][] copies = new long[count][];
        for (int i = 0; i < count; i++) {
            copies[i] = counts[i].clone();
            long window = algorithm.windowNanos(i);
            if (!algorithm.isValid(copies[i], atNanos, window) || algorithm.used(copies[i], atNanos, window) < 0) {
                throw new IllegalArgumentException("counts " + Arrays.toString(counts[i]) + " at " + atNanos
                        + " ns do not fit " + algorithm.bandwidths().get(i));
            }
        }
        return new WindowState(rule, atNanos, copies);
    }

    /**
     * The numbers of a bandwidth: of a {@link FixedWindow} the permits taken in the window that the instant lies in; of a
     * {@link SlidingWindow} those of the window before and then those; of a {@link SlidingLog} each instant at which permits
     * were taken that count, followed by how many.
     *
     * @return a copy
     */
    public long[] counts(int bandwidth) {
        return counts[bandwidth].clone();
    }

    /** For this package: {@link #counts} that nobody writes. */
    long[] shared(int bandwidth) {
        return counts[bandwidth];
    }

    @Override
    public Rule rule() {
        return rule;
    }

    @Override
    public long atNanos() {
        return atNanos;
    }

    @Override
    public long level(int bandwidth) {
        return capacity(bandwidth)
                - algorithm().used(counts[bandwidth], atNanos, algorithm().windowNanos(bandwidth));
    }

    @Override
    public long readyAtNanos(int bandwidth, long permits) {
        if (permits <= level(bandwidth)) {
            return atNanos;
        }
        long most = Math.max(0, capacity(bandwidth) - permits);
        long window = algorithm().windowNanos(bandwidth);
        return Algorithm.later(atNanos, algorithm().nanosUntil(counts[bandwidth], atNanos, window, most));
    }

    private Windowed algorithm() {
        return (Windowed) rule.algorithm();
    }

    private long capacity(int bandwidth) {
        return rule.algorithm().bandwidths().get(bandwidth).capacity();
    }

    @Override
    public boolean equals(Object other) {
        return other == this
                || (other instanceof WindowState that
                        && atNanos == that.atNanos
                        && rule.equals(that.rule)
                        && Arrays.deepEquals(counts, that.counts));
    }

    @Override
    public int hashCode() {
        return (rule.hashCode() * 31 + Long.hashCode(atNanos)) * 31 + Arrays.deepHashCode(counts);
    }

    @Override
    public String toString() {
        return "WindowState[at " + atNanos + " ns, counts " + Arrays.deepToString(counts) + ", " + rule + "]";
    }
}
