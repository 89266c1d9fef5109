package io.weir.algorithm;

import java.util.Arrays;

/**
 * The state of a {@link TokenBucket}: for each bandwidth a level in whole tokens, negative while in debt, and a
 * fraction.
 *
 * <p>The fraction counts units of which {@code nanos} make a token, {@code nanos} being the bandwidth's period after
 * reducing refill and period by their greatest common divisor; it is never negative, so that a level is always
 * {@code whole + fraction / nanos}.
 */
public final class BucketState implements State {

    /**
     * The deepest debt that a state can hold. One less than the largest capacity, so that what is missing from a full
     * bandwidth always fits a long.
     */
    public static final long LOWEST_LEVEL = 1 - Bandwidth.MAX_PERMITS;

    private static final long[] NONE = {};

    private final Rule rule;
    private final long atNanos;

    /** The first bandwidth's; most buckets have no other, and need no array then. */
    private final long firstLevel;

    private final long firstFraction;

    /** Whole tokens and fraction of each further bandwidth in turn. Never written after construction. */
    private final long[] further;

    private BucketState(Rule rule, long atNanos, long firstLevel, long firstFraction, long[] further) {
        this.rule = rule;
        this.atNanos = atNanos;
        this.firstLevel = firstLevel;
        this.firstFraction = firstFraction;
        this.further = further;
    }

    /** For this package: a state of one bandwidth. */
    static BucketState of(Rule rule, long atNanos, long level, long fraction) {
        return new BucketState(rule, atNanos, level, fraction, NONE);
    }

    /** For this package: whole tokens and fraction of each bandwidth in turn. */
    static BucketState of(Rule rule, long atNanos, long[] levels) {
        long[] further = levels.length == 2 ? NONE : Arrays.copyOfRange(levels, 2, levels.length);
        return new BucketState(rule, atNanos, levels[0], levels[1], further);
    }

    /**
     * A state read back from wherever it was kept.
     *
     * @param rule a rule of a {@link TokenBucket}
     * @param atNanos the instant it is valid at
     * @param levels whole tokens and fraction of each of the rule's bandwidths in turn
     * @throws IllegalArgumentException if the levels do not fit the rule: their number, a level above its capacity
     *     or below {@link #LOWEST_LEVEL}, or a fraction out of range
     */
    public static BucketState restore(Rule rule, long atNanos, long... levels) {
        if (!(rule.algorithm() instanceof TokenBucket bucket)) {
            throw new IllegalArgumentException("not the rule of a token bucket: " + rule);
        }
        int count = bucket.bandwidths().size();
        if (levels.length != 2 * count) {
            throw new IllegalArgumentException(
                    count + " bandwidths need " + 2 * count + " numbers but there are " + levels.length);
        }
        for (int i = 0; i < count; i++) {
            long whole = levels[2 * i];
            long fraction = levels[2 * i + 1];
            long capacity = bucket.bandwidths().get(i).capacity();
            boolean level = whole >= LOWEST_LEVEL && (whole < capacity || (whole == capacity && fraction == 0));
            if (!level || fraction < 0 || fraction >= bucket.refill(i).nanos()) {
                throw new IllegalArgumentException("level " + whole + " and fraction " + fraction + " do not fit "
                        + bucket.bandwidths().get(i));
            }
        }
        return of(rule, atNanos, levels);
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
        return bandwidth == 0 ? firstLevel : further[2 * bandwidth - 2];
    }

    /** The part of a token that a bandwidth holds beyond its whole level, in units. */
    public long fraction(int bandwidth) {
        return bandwidth == 0 ? firstFraction : further[2 * bandwidth - 1];
    }

    @Override
    public long readyAtNanos(int bandwidth, long permits) {
        long wait = bucket().refill(bandwidth).nanosUntil(level(bandwidth), fraction(bandwidth), permits);
        return Algorithm.later(atNanos, wait);
    }

    @Override
    public long usableAtNanos(long permits, long later) {
        return readyAtNanos(-later); // out of the debt that it left
    }

    /** What is still owed when they may be used. */
    @Override
    public long reservedBehind(long permits, long usableAtNanos) {
        BucketState then = bucket().advance(this, 0, Math.max(atNanos, usableAtNanos));
        return Math.max(0, -then.lowestLevel());
    }

    TokenBucket bucket() {
        return (TokenBucket) rule.algorithm();
    }

    /** The same with so many tokens less in each bandwidth. */
    BucketState less(long tokens) {
        long[] fewer = further.length == 0 ? NONE : further.clone();
        for (int i = 0; i < fewer.length; i += 2) {
            fewer[i] -= tokens;
        }
        return new BucketState(rule, atNanos, firstLevel - tokens, firstFraction, fewer);
    }

    /** Whole tokens and fraction of each bandwidth in turn. */
    long[] copyOfLevels() {
        long[] levels = new long[2 + further.length];
        levels[0] = firstLevel;
        levels[1] = firstFraction;
        System.arraycopy(further, 0, levels, 2, further.length);
        return levels;
    }

    @Override
    public boolean equals(Object other) {
        return other == this
                || (other instanceof BucketState that
                        && atNanos == that.atNanos
                        && rule.equals(that.rule)
                        && firstLevel == that.firstLevel
                        && firstFraction == that.firstFraction
                        && Arrays.equals(further, that.further));
    }

    @Override
    public int hashCode() {
        return (rule.hashCode() * 31 + Long.hashCode(atNanos)) * 31 + Arrays.hashCode(copyOfLevels());
    }

    @Override
    public String toString() {
        return "BucketState[at " + atNanos + " ns, levels " + Arrays.toString(copyOfLevels()) + ", " + rule + "]";
    }
}
