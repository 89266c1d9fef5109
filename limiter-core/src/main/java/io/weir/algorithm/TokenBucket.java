package io.weir.algorithm;

import java.math.BigInteger;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * The token bucket: at most {@code capacity + refill * t} permits in any span {@code t}, for every one of its
 * bandwidths (I1).
 *
 * <p>A bucket starts full, refills continuously, and never holds more than its capacity. Several bandwidths (ten a
 * second <em>and</em> a thousand a day) are decided together: all grant or none is charged.
 *
 * <p>Immutable and thread-safe. One decision costs a few multiplications and divisions per bandwidth.
 */
public final class TokenBucket extends Algorithm {

    /** The most bandwidths that one limit may have. */
    public static final int MAX_BANDWIDTHS = 8;

    private final List<Bandwidth> bandwidths;
    private final Refill[] refills;

    /**
     * A token bucket of one or several bandwidths.
     *
     * @param bandwidths 1 to {@value #MAX_BANDWIDTHS}, with distinct names
     * @throws IllegalArgumentException if there are none, too many, or two of one name
     */
    public TokenBucket(List<Bandwidth> bandwidths) {
        if (bandwidths.isEmpty() || bandwidths.size() > MAX_BANDWIDTHS) {
            throw new IllegalArgumentException(
                    "a token bucket has 1 to " + MAX_BANDWIDTHS + " bandwidths but was given " + bandwidths.size());
        }
        Set<String> names = new HashSet<>();
        for (Bandwidth bandwidth : bandwidths) {
            if (!names.add(bandwidth.name())) {
                throw new IllegalArgumentException("two bandwidths are called \"" + bandwidth.name()
                        + "\": give each a name of its own with Bandwidth.named(..)");
            }
        }
        this.bandwidths = List.copyOf(bandwidths);
        this.refills = bandwidths.stream().map(Refill::of).toArray(Refill[]::new);
    }

    @Override
    public List<Bandwidth> bandwidths() {
        return bandwidths;
    }

    @Override
    TokenBucket part(int reachable, int nodes) {
        return new TokenBucket(
                bandwidths.stream().map(each -> each.part(reachable, nodes)).toList());
    }

    @Override
    State full(Rule rule, long nowNanos) {
        long[] levels = new long[2 * refills.length];
        for (int i = 0; i < refills.length; i++) {
            levels[2 * i] = bandwidths.get(i).capacity();
        }
        return BucketState.of(rule, nowNanos, levels);
    }

    @Override
    Transition take(State state, long permits, long lent, long nowNanos) {
        BucketState stored = (BucketState) state;
        long at = instant(stored, nowNanos);
        BucketState refilled = refilled(stored, lent, at);
        Verdict verdict = verdict(refilled, permits);
        boolean charged = verdict == Verdict.GRANTED && permits > 0;
        // A rebase is written even when denied: else each further denial would find the old instant again (I2).
        boolean rebased = permits > 0 && at < stored.atNanos();
        return new Transition(verdict, refilled.less(charged ? permits : 0), charged || rebased);
    }

    @Override
    Transition giveBack(State state, long permits, long lent, long nowNanos) {
        BucketState stored = (BucketState) state;
        long at = instant(stored, nowNanos);
        long[] levels = refilled(stored, lent, at).copyOfLevels();
        for (int i = 0; i < refills.length; i++) {
            long room = bandwidths.get(i).capacity() - lent - levels[2 * i];
            if (permits < room) {
                levels[2 * i] += permits;
            } else if (room > 0) {
                levels[2 * i] += room;
                levels[2 * i + 1] = 0;
            }
        }
        return new Transition(Verdict.GRANTED, BucketState.of(stored.rule(), at, levels), true);
    }

    @Override
    Transition charge(State state, long permits, long lent, long nowNanos) {
        BucketState stored = (BucketState) state;
        long at = instant(stored, nowNanos);
        long[] levels = refilled(stored, lent, at).copyOfLevels();
        for (int i = 0; i < levels.length; i += 2) {
            if (levels[i] >= permits) {
                levels[i] -= permits;
            } else if (levels[i] >= 0) {
                levels[i] = 0;
                levels[i + 1] = 0;
            }
        }
        return new Transition(Verdict.GRANTED, BucketState.of(stored.rule(), at, levels), true);
    }

    @Override
    State carryOver(Rule rule, State old, long lent, long nowNanos) {
        BucketState before = ((BucketState) old).bucket().advance(old, lent, nowNanos);
        long[] levels = new long[2 * refills.length];
        for (int i = 0; i < refills.length; i++) {
            int namesake = before.bucket().indexOf(bandwidths.get(i).name());
            // One that is new, or was renamed, is as full as the emptiest: a change never fills what was drained.
            carryLevel(before, namesake < 0 ? before.emptiest() : namesake, levels, i, rule.strictPartitions());
            long most = Math.max(0, bandwidths.get(i).capacity() - lent);
            if (levels[2 * i] >= most) {
                levels[2 * i] = most;
                levels[2 * i + 1] = 0;
            }
        }
        return BucketState.of(rule, before.atNanos(), levels);
    }

    @Override
    BucketState advance(State state, long lent, long nowNanos) {
        BucketState stored = (BucketState) state;
        return refilled(stored, lent, instant(stored, nowNanos));
    }

    /** {@code level / capacity} stays what it was, rounded down to a unit: also for a debt, which is never forgiven. */
    private void carryLevel(BucketState before, int from, long[] levels, int to, boolean neverRaised) {
        BigInteger unitsInToken = BigInteger.valueOf(refills[to].nanos());
        BigInteger full = BigInteger.valueOf(bandwidths.get(to).capacity()).multiply(unitsInToken);
        BigInteger lowest = BigInteger.valueOf(BucketState.LOWEST_LEVEL).multiply(unitsInToken);
        BigInteger inProportion = floorDivide(before.units(from).multiply(full), before.full(from));
        BigInteger units = (neverRaised ? notRaised(inProportion, before, from, to) : inProportion).max(lowest);
        BigInteger whole = floorDivide(units, unitsInToken);
        levels[2 * to] = whole.longValueExact();
        levels[2 * to + 1] = units.subtract(whole.multiply(unitsInToken)).longValueExact();
    }

    /** As many tokens as before where the capacity grows, and no more than that where it falls: a debt does not shrink. */
    private BigInteger notRaised(BigInteger inProportion, BucketState before, int from, int to) {
        BigInteger same = floorDivide(
                before.units(from).multiply(BigInteger.valueOf(refills[to].nanos())),
                BigInteger.valueOf(before.bucket().refills[from].nanos()));
        boolean grows = bandwidths.get(to).capacity()
                >= before.bucket().bandwidths.get(from).capacity();
        return grows ? same : same.min(inProportion);
    }

    /** Now; or the state's own instant if now is a little older; or now again, if it is much older: a rebase (I2). */
    private static long instant(BucketState state, long nowNanos) {
        long at = state.atNanos();
        boolean disorder = nowNanos < at && saturatedDifference(at, nowNanos) <= STEP_BACK_TOLERANCE_NANOS;
        return disorder ? at : nowNanos;
    }

    /** A state at an instant. An instant before the state's adds nothing. */
    private BucketState refilled(BucketState state, long lent, long atNanos) {
        long elapsed = atNanos <= state.atNanos() ? 0 : saturatedDifference(atNanos, state.atNanos());
        if (refills.length == 1) {
            return BucketState.of(
                    state.rule(), atNanos, levelAfter(state, 0, lent, elapsed), fractionAfter(state, 0, lent, elapsed));
        }
        long[] levels = new long[2 * refills.length];
        for (int i = 0; i < refills.length; i++) {
            levels[2 * i] = levelAfter(state, i, lent, elapsed);
            levels[2 * i + 1] = fractionAfter(state, i, lent, elapsed);
        }
        return BucketState.of(state.rule(), atNanos, levels);
    }

    private long levelAfter(BucketState state, int i, long lent, long elapsed) {
        long room = room(state, i, lent);
        return state.level(i) + (room <= 0 ? 0 : refills[i].wholeGained(state.fraction(i), elapsed, room));
    }

    private long fractionAfter(BucketState state, int i, long lent, long elapsed) {
        long room = room(state, i, lent);
        if (room <= 0) {
            return state.fraction(i);
        }
        boolean filled = refills[i].wholeGained(state.fraction(i), elapsed, room) == room;
        return filled ? 0 : refills[i].fractionAfter(state.fraction(i), elapsed);
    }

    /** What refill can add; none to a full bandwidth, or after a lowered limit of which more is out than it holds now. */
    private long room(BucketState state, int i, long lent) {
        return bandwidths.get(i).capacity() - lent - state.level(i);
    }

    private Verdict verdict(BucketState state, long permits) {
        Verdict verdict = Verdict.GRANTED;
        for (int i = 0; i < refills.length; i++) {
            if (permits > bandwidths.get(i).capacity()) {
                return Verdict.NEVER;
            }
            if (permits > 0 && permits > state.level(i)) {
                verdict = Verdict.DENIED;
            }
        }
        return verdict;
    }

    Refill refill(int bandwidth) {
        return refills[bandwidth];
    }

    private int indexOf(String name) {
        for (int i = 0; i < refills.length; i++) {
            if (bandwidths.get(i).name().equals(name)) {
                return i;
            }
        }
        return -1;
    }

    /** {@code later - earlier}, for instants up to the whole range of a long apart. */
    private static long saturatedDifference(long later, long earlier) {
        long difference = later - earlier;
        return difference < 0 ? Long.MAX_VALUE : difference;
    }

    private static BigInteger floorDivide(BigInteger dividend, BigInteger divisor) {
        BigInteger[] result = dividend.divideAndRemainder(divisor);
        return result[1].signum() < 0 ? result[0].subtract(BigInteger.ONE) : result[0];
    }

    @Override
    public boolean equals(Object other) {
        return other == this || (other instanceof TokenBucket that && bandwidths.equals(that.bandwidths));
    }

    @Override
    public int hashCode() {
        return bandwidths.hashCode();
    }

    @Override
    public String toString() {
        return "TokenBucket" + bandwidths;
    }
}
