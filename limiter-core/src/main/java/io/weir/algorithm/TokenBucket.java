package io.weir.algorithm;

import java.math.BigInteger;
import java.util.List;

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

    private final Refill[] refills;

    /**
     * A token bucket of one or several bandwidths.
     *
     * @param bandwidths 1 to {@value #MAX_BANDWIDTHS}, with distinct names
     * @throws IllegalArgumentException if there are none, too many, or two of one name
     */
    public TokenBucket(List<Bandwidth> bandwidths) {
        super(Kind.TOKEN_BUCKET, bandwidths);
        this.refills = bandwidths.stream().map(Refill::of).toArray(Refill[]::new);
    }

    @Override
    TokenBucket part(int reachable, int nodes) {
        return new TokenBucket(
                bandwidths().stream().map(each -> each.part(reachable, nodes)).toList());
    }

    @Override
    State full(Rule rule, long nowNanos) {
        long[] levels = new long[2 * refills.length];
        for (int i = 0; i < refills.length; i++) {
            levels[2 * i] = bandwidths().get(i).capacity();
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
    Transition reserve(State state, long permits, long longestWaitNanos, long lent, long nowNanos) {
        Transition taken = take(state, permits, lent, nowNanos);
        // What is lent may be used together with what is reserved, and both are not more than the capacity (I1).
        boolean besideLeases = permits <= smallestCapacity() - lent;
        if (taken.verdict() != Verdict.DENIED || !besideLeases || !canOwe(taken.state(), permits)) {
            return taken;
        }
        BucketState owing = ((BucketState) taken.state()).less(permits);
        long usableAt = owing.usableAtNanos(permits, 0);
        boolean soon = usableAt != Long.MAX_VALUE && usableAt - owing.atNanos() <= longestWaitNanos;
        return soon ? new Transition(Verdict.GRANTED, owing, true) : taken;
    }

    private boolean canOwe(State state, long permits) {
        return state.lowestLevel() >= BucketState.LOWEST_LEVEL + permits;
    }

    @Override
    Transition giveBack(State state, long permits, long lent, long nowNanos) {
        BucketState stored = (BucketState) state;
        long at = instant(stored, nowNanos);
        long[] levels = refilled(stored, lent, at).copyOfLevels();
        for (int i = 0; i < refills.length; i++) {
            long room = bandwidths().get(i).capacity() - lent - levels[2 * i];
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
    Transition charge(State state, long permits, long mostDebt, long lent, long nowNanos) {
        BucketState stored = (BucketState) state;
        long at = instant(stored, nowNanos);
        long[] levels = refilled(stored, lent, at).copyOfLevels();
        for (int i = 0; i < levels.length; i += 2) {
            if (levels[i] + mostDebt >= permits) {
                levels[i] -= permits;
            } else if (levels[i] >= -mostDebt) {
                levels[i] = -mostDebt;
                levels[i + 1] = 0;
            }
        }
        return new Transition(Verdict.GRANTED, BucketState.of(stored.rule(), at, levels), true);
    }

    @Override
    BucketState carried(Rule rule, State before, List<Carried> carried) {
        long[] levels = new long[2 * refills.length];
        for (int i = 0; i < refills.length; i++) {
            BigInteger units = carried.get(i).units();
            BigInteger whole = Balance.floorDivide(units, unitsInPermit(i));
            levels[2 * i] = whole.longValueExact();
            levels[2 * i + 1] = units.subtract(whole.multiply(unitsInPermit(i))).longValueExact();
        }
        return BucketState.of(rule, before.atNanos(), levels);
    }

    @Override
    Balance balance(State state, int bandwidth) {
        BucketState bucket = (BucketState) state;
        BigInteger units = BigInteger.valueOf(bucket.level(bandwidth))
                .multiply(unitsInPermit(bandwidth))
                .add(BigInteger.valueOf(bucket.fraction(bandwidth)));
        return new Balance(
                units, unitsInPermit(bandwidth), bandwidths().get(bandwidth).capacity());
    }

    @Override
    BigInteger unitsInPermit(int bandwidth) {
        return BigInteger.valueOf(refills[bandwidth].nanos());
    }

    @Override
    BucketState lower(State one, State other, long lent) {
        BucketState a = (BucketState) one;
        BucketState b = (BucketState) other;
        long[] levels = new long[2 * refills.length];
        for (int i = 0; i < refills.length; i++) {
            boolean first = a.level(i) < b.level(i) || (a.level(i) == b.level(i) && a.fraction(i) < b.fraction(i));
            BucketState least = first ? a : b;
            long most = Math.max(0, bandwidths().get(i).capacity() - lent);
            boolean tooMuch = least.level(i) >= most;
            levels[2 * i] = tooMuch ? most : least.level(i);
            levels[2 * i + 1] = tooMuch ? 0 : least.fraction(i);
        }
        return BucketState.of(a.rule(), a.atNanos(), levels);
    }

    @Override
    BucketState restamped(Rule rule, State state, long atNanos) {
        return BucketState.of(rule, atNanos, ((BucketState) state).copyOfLevels());
    }

    @Override
    BucketState advance(State state, long lent, long nowNanos) {
        BucketState stored = (BucketState) state;
        return refilled(stored, lent, instant(stored, nowNanos));
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
        return bandwidths().get(i).capacity() - lent - state.level(i);
    }

    private Verdict verdict(BucketState state, long permits) {
        Verdict verdict = Verdict.GRANTED;
        for (int i = 0; i < refills.length; i++) {
            if (permits > bandwidths().get(i).capacity()) {
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
}
