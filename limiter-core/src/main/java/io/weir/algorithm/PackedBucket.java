package io.weir.algorithm;

import java.time.Duration;
import java.util.Optional;

/**
 * The numbers of one rule, for buckets that are kept in one {@code long} each and changed by compare-and-set.
 * For the stores of this library.
 *
 * <p>It decides exactly as {@link TokenBucket} does on a {@link BucketState}, as long as the clock does not run backwards,
 * and costs two multiplications and no division. {@link #of} says which rules can be kept this way: of one bandwidth, and
 * with numbers that fit. A word means nothing without the {@code PackedBucket} that made it.
 *
 * <p>Immutable and thread-safe.
 */
public final class PackedBucket {

    /*
     * A bucket that is being refilled is a straight line, and a straight line is known by where it ends: at the instant at
     * which the bucket is full, if nothing more is taken. Let q be the units in a token and p the units that a nanosecond
     * adds (see Refill), and count instants in units too: t nanoseconds after the origin are p*t units. Then
     *
     *     missing(t) = max(0, fullAt - p*t)                in units, of capacity * q
     *     a grant of n at t:  fullAt' = max(fullAt, p*t) + n*q,  if that is no more than p*t + capacity * q
     *
     * and no word has to change while time passes. What is lost against a BucketState is the instant of the last change:
     * the line can be read at any instant, an earlier one too. Whoever keeps words remembers that instant beside them, if
     * its clock may step back (I2).
     *
     *     bit  63   62 ....................... 4   3 .. 0
     *          0    fullAt, in units since origin  lots       a word is never negative
     *
     * Lots are permits that are out, taken ahead of demand in equal parts. Refill stops at capacity less what is out (see
     * Rule): missing(t) = max(lots * lot, fullAt - p*t). Their number sits in the word, since the two change together.
     *
     * Ranges: capacity * q is at most 2^57, and p*t at most 2^58 (from there on the origin has to be moved, which costs
     * each bucket one slow decision). Words are made for instants around the present, so that half of that lies ahead: 4.5
     * years for p = 1, one token in a whole number of nanoseconds; 2.3 minutes for the largest p, a rate like 1,000,003 a
     * second. So fullAt stays below 2^59 and no sum overflows.
     */

    /** No word at all: what {@link #take}, {@link #lend} and {@link #pack} return if they cannot. */
    public static final long NONE = -1;

    /** The most lots that can be out at once. */
    public static final int MAX_LOTS = 15;

    private static final int LOT_BITS = 4;
    private static final int MAX_FULL_BITS = 57;
    private static final int MAX_TIME_BITS = 58;
    private static final int MAX_TOKENS_BITS = 20;

    /** How far from full a bucket must be to lend, in time to refill; see {@link #lend}. */
    private static final long UNSATURATED_NANOS = Duration.ofMillis(10).toNanos();

    private final Rule rule;
    private final long originNanos;
    private final long spanNanos;
    private final long unitsPerNano;
    private final long unitsPerToken;
    private final long capacity;
    private final long fullUnits;
    private final long lot;
    private final long lotUnits;
    private final int markShift;

    private PackedBucket(Rule rule, Refill refill, long capacity, long lot, long aroundNanos) {
        this.rule = rule;
        this.unitsPerNano = refill.tokens();
        this.unitsPerToken = refill.nanos();
        this.capacity = capacity;
        this.fullUnits = capacity * unitsPerToken;
        this.lot = lot;
        this.lotUnits = lot * unitsPerToken;
        this.markShift = lot == 0 ? Long.SIZE - 1 : LOT_BITS + bits(lotUnits);
        this.spanNanos = (1L << MAX_TIME_BITS) / unitsPerNano;
        this.originNanos = aroundNanos - spanNanos / 2;
    }

    /**
     * The numbers of a rule, if its buckets fit one {@code long}.
     *
     * @param rule whose buckets
     * @param lot how many permits are lent at a time, zero if never; {@value #MAX_LOTS} lots are at most the capacity
     * @param aroundNanos an instant in the middle of those that it {@link #covers}
     * @return empty if the rule has several bandwidths, or one of a capacity or a refill that does not fit
     */
    public static Optional<PackedBucket> of(Rule rule, long lot, long aroundNanos) {
        if (!(rule.algorithm() instanceof TokenBucket bucket)
                || bucket.bandwidths().size() > 1) {
            return Optional.empty();
        }
        Refill refill = bucket.refill(0);
        long capacity = bucket.bandwidths().get(0).capacity();
        if (lot < 0 || lot > capacity / MAX_LOTS) {
            throw new IllegalArgumentException(
                    "a lot must be 0 to a " + MAX_LOTS + "th of the capacity " + capacity + " but is " + lot);
        }
        boolean fits = bits(refill.tokens()) <= MAX_TOKENS_BITS
                && Math.multiplyHigh(capacity, refill.nanos()) == 0
                && capacity * refill.nanos() > 0
                && bits(capacity * refill.nanos()) <= MAX_FULL_BITS;
        return fits ? Optional.of(new PackedBucket(rule, refill, capacity, lot, aroundNanos)) : Optional.empty();
    }

    private static int bits(long value) {
        return Long.SIZE - Long.numberOfLeadingZeros(value);
    }

    /** Whose numbers these are. */
    public Rule rule() {
        return rule;
    }

    /** The most permits that a bucket holds. */
    public long capacity() {
        return capacity;
    }

    /** How many permits are lent at a time; zero if never. */
    public long lot() {
        return lot;
    }

    /** Whether words can be read and made as of an instant. Every other method that is given one assumes it. */
    public boolean covers(long instantNanos) {
        long sinceOrigin = instantNanos - originNanos;
        return sinceOrigin >= 0 && sinceOrigin <= spanNanos;
    }

    /**
     * Takes permits.
     *
     * @param permits 1 to {@link #capacity()}
     * @return the bucket after that, or {@link #NONE} if it does not hold as many
     */
    public long take(long word, long permits, long nowNanos) {
        long now = units(nowNanos);
        long fullAt = fullAt(word, now) + permits * unitsPerToken;
        return fullAt - now > fullUnits ? NONE : word(fullAt, lots(word));
    }

    /**
     * Takes a lot to be handed out later, if that can make no difference to anybody: the bucket keeps a sixteenth of its
     * capacity, and lacks so much that it cannot become full for a while, whenever the lot is spent. For only while it is
     * full does it matter when permits are spent: what it might have refilled meanwhile is lost.
     *
     * @param another whether this is one lot more; otherwise it replaces one
     * @param unspent permits of the lot that is replaced that were not handed out; zero if none is
     * @param nowNanos when no more of the lot that is replaced can be handed out
     * @return the bucket after that, or {@link #NONE} if it had better not, or if its rule does not lend
     */
    public long lend(long word, boolean another, long unspent, long nowNanos) {
        long now = units(nowNanos);
        long fullAt = fullAt(word, now) + lotUnits - unspent * unitsPerToken;
        int lots = lots(word) + (another ? 1 : 0);
        boolean ample = fullAt - now <= fullUnits - fullUnits / 16;
        boolean unsaturated = fullAt - now - lots * lotUnits >= unitsPerNano * UNSATURATED_NANOS;
        return lotUnits > 0 && lots <= MAX_LOTS && ample && unsaturated ? word(fullAt, lots) : NONE;
    }

    /**
     * Takes all lots back. As long as they were out nobody knew when they were spent, so the bucket is not fuller than if
     * that had been at the last moment.
     *
     * @param unspent permits of the lots that were not handed out
     * @param nowNanos when no more can be handed out
     * @return the bucket with nothing out
     */
    public long settle(long word, long unspent, long nowNanos) {
        return word(fullAt(word, units(nowNanos)) - unspent * unitsPerToken, 0);
    }

    /** How many lots are out. */
    public static int lots(long word) {
        return (int) word & MAX_LOTS;
    }

    /** Whether a bucket says no more than no bucket: nothing is missing, and nothing is out. */
    public boolean isFull(long word, long nowNanos) {
        return lots(word) == 0 && word >>> LOT_BITS <= units(nowNanos);
    }

    /**
     * Whether a step brought a bucket past one of the marks that lie a lot apart, or up to two: a count of grants that costs
     * no counter. Never if nothing is lent.
     */
    public boolean passedMark(long before, long after) {
        return (before ^ after) >>> markShift != 0;
    }

    /** A bucket as a state at an instant, without what is out. */
    public BucketState state(long word, long atNanos) {
        long now = units(atNanos);
        long held = fullUnits - (fullAt(word, now) - now);
        return BucketState.of(rule, atNanos, Math.floorDiv(held, unitsPerToken), Math.floorMod(held, unitsPerToken));
    }

    /**
     * A state as a word, with nothing out.
     *
     * @return {@link #NONE} if it is of another rule, of an instant that is not covered, or in debt
     */
    public long pack(State state) {
        if (!state.rule().equals(rule) || !covers(state.atNanos()) || state.level(0) < 0) {
            return NONE;
        }
        long held = state.level(0) * unitsPerToken + ((BucketState) state).fraction(0);
        return word(units(state.atNanos()) + fullUnits - held, 0);
    }

    private long units(long instantNanos) {
        return (instantNanos - originNanos) * unitsPerNano;
    }

    /** When it is full, in units; not before now, and later than that by what is out. */
    private long fullAt(long word, long now) {
        return Math.max(word >>> LOT_BITS, now + lots(word) * lotUnits);
    }

    private static long word(long fullAt, int lots) {
        return fullAt << LOT_BITS | lots;
    }

    @Override
    public String toString() {
        return "PackedBucket[" + rule + ", from " + originNanos + " ns]";
    }
}
