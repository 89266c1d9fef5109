package io.weir.algorithm;

import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * What the algorithms have in common that count what was granted, {@code N} per window {@code W}, rather than what is left. A
 * permit that was taken counts for a while, and then no more; how long, and how exactly, is what they differ in.
 *
 * <p>All they keep of a bandwidth is a few numbers, its counts, which mean something together with the state's instant. Counts
 * are never written once they are made, so that states may share them.
 */
abstract sealed class Windowed extends Algorithm permits FixedWindow, SlidingWindow, SlidingLog {

    Windowed(Kind kind, List<Bandwidth> bandwidths) {
        super(kind, bandwidths);
        for (Bandwidth each : bandwidths) {
            if (each.capacity() != each.refill()) {
                throw new IllegalArgumentException("bandwidth \"" + each.name() + "\" has capacity " + each.capacity()
                        + " and refill " + each.refill() + ", but " + kind + " counts one number per window: write "
                        + "Bandwidth.perWindow(" + each.capacity()
                        + ", window), or choose TOKEN_BUCKET for a burst and a"
                        + " rate");
            }
        }
    }

    /** The counts of nothing. */
    abstract long[] none();

    /** The same counts as of a later instant; those that count no more may be gone. */
    abstract long[] forward(long[] counts, long fromNanos, long toNanos, long windowNanos);

    /** The same balance on another time line, from where it counts for no less long than the algorithm's bound needs. */
    abstract long[] shifted(long[] counts, long fromNanos, long toNanos, long windowNanos);

    /** How many permits count at the instant of the counts, rounded up. */
    abstract long used(long[] counts, long atNanos, long windowNanos);

    /** With permits taken at the instant of the counts. */
    abstract long[] plus(long[] counts, long permits, long atNanos);

    /** Without permits, the newest first, as far as there are any. */
    abstract long[] minus(long[] counts, long permits);

    /**
     * How long until no more than {@code most} permits count.
     *
     * @param most zero or more, and less than count now
     */
    abstract long nanosUntil(long[] counts, long atNanos, long windowNanos, long most);

    /** All counts times {@code to / from}, rounded up. */
    abstract long[] scaled(long[] counts, long to, long from);

    /** Counts of which no fewer count than of either, now and at every later instant. */
    abstract long[] larger(long[] one, long[] other);

    /** Whether such counts can have been made, except for how many permits they are. */
    abstract boolean isValid(long[] counts, long atNanos, long windowNanos);

    @Override
    final Algorithm part(int reachable, int nodes) {
        List<Bandwidth> parts = new ArrayList<>();
        for (Bandwidth each : bandwidths()) {
            long capacity = each.part(reachable, nodes).capacity();
            parts.add(Bandwidth.perWindow(capacity, each.period()).named(each.name()));
        }
        return kind().with(parts);
    }

    @Override
    final State full(Rule rule, long nowNanos) {
        long[][] counts = new long[bandwidths().size()][];
        Arrays.fill(counts, none());
        return new WindowState(rule, nowNanos, counts);
    }

    @Override
    final Transition take(State state, long permits, long lent, long nowNanos) {
        WindowState present = advance(state, lent, nowNanos);
        Verdict verdict = verdict(present, permits, lent);
        boolean charged = verdict == Verdict.GRANTED && permits > 0;
        // A rebase is written even when denied: else each further denial would find the old instant again (I2).
        boolean rebased = permits > 0 && present.atNanos() < state.atNanos();
        return new Transition(verdict, charged ? plus(present, permits) : present, charged || rebased);
    }

    private Verdict verdict(WindowState state, long permits, long lent) {
        Verdict verdict = Verdict.GRANTED;
        for (int i = 0; i < bandwidths().size(); i++) {
            long capacity = bandwidths().get(i).capacity();
            if (permits > capacity) {
                return Verdict.NEVER;
            }
            if (permits > 0 && permits > Math.min(state.level(i), capacity - lent)) {
                verdict = Verdict.DENIED;
            }
        }
        return verdict;
    }

    private WindowState plus(WindowState state, long permits) {
        long[][] counts = new long[bandwidths().size()][];
        for (int i = 0; i < counts.length; i++) {
            counts[i] = plus(state.shared(i), permits, state.atNanos());
        }
        return new WindowState(state.rule(), state.atNanos(), counts);
    }

    @Override
    final Transition giveBack(State state, long permits, long lent, long nowNanos) {
        WindowState present = advance(state, lent, nowNanos);
        long[][] counts = new long[bandwidths().size()][];
        for (int i = 0; i < counts.length; i++) {
            counts[i] = minus(present.shared(i), permits);
        }
        return new Transition(Verdict.GRANTED, new WindowState(present.rule(), present.atNanos(), counts), true);
    }

    @Override
    final Transition charge(State state, long permits, long mostDebt, long lent, long nowNanos) {
        WindowState present = advance(state, lent, nowNanos);
        long[][] counts = new long[bandwidths().size()][];
        for (int i = 0; i < counts.length; i++) {
            long charged = Math.min(permits, Math.max(0, present.level(i)));
            counts[i] = charged == 0 ? present.shared(i) : plus(present.shared(i), charged, present.atNanos());
        }
        return new Transition(Verdict.GRANTED, new WindowState(present.rule(), present.atNanos(), counts), true);
    }

    @Override
    final WindowState advance(State state, long lent, long nowNanos) {
        long at = instant(state, nowNanos);
        return at < state.atNanos() ? restamped(state.rule(), state, at) : forward((WindowState) state, at);
    }

    private WindowState forward(WindowState state, long atNanos) {
        long[][] counts = new long[bandwidths().size()][];
        for (int i = 0; i < counts.length; i++) {
            counts[i] = forward(state.shared(i), state.atNanos(), atNanos, windowNanos(i));
        }
        return new WindowState(state.rule(), atNanos, counts);
    }

    @Override
    final WindowState restamped(Rule rule, State state, long atNanos) {
        WindowState window = (WindowState) state;
        long[][] counts = new long[bandwidths().size()][];
        for (int i = 0; i < counts.length; i++) {
            counts[i] = shifted(window.shared(i), window.atNanos(), atNanos, windowNanos(i));
        }
        return new WindowState(rule, atNanos, counts);
    }

    @Override
    final WindowState lower(State one, State other, long lent) {
        long[][] counts = new long[bandwidths().size()][];
        for (int i = 0; i < counts.length; i++) {
            counts[i] = larger(((WindowState) one).shared(i), ((WindowState) other).shared(i));
        }
        return new WindowState(one.rule(), one.atNanos(), counts);
    }

    @Override
    final Balance balance(State state, int bandwidth) {
        return new Balance(
                BigInteger.valueOf(state.level(bandwidth)),
                BigInteger.ONE,
                bandwidths().get(bandwidth).capacity());
    }

    @Override
    final BigInteger unitsInPermit(int bandwidth) {
        return BigInteger.ONE;
    }

    /** What is missing counts as taken now, except for what is known to have been taken earlier in a window of this length. */
    @Override
    final WindowState carried(Rule rule, State before, List<Carried> carried) {
        long[][] counts = new long[bandwidths().size()][];
        for (int i = 0; i < counts.length; i++) {
            long at = before.atNanos();
            long missing =
                    bandwidths().get(i).capacity() - carried.get(i).units().longValueExact();
            long[] known = known(rule, before, i, carried.get(i));
            long more = missing - used(known, at, windowNanos(i));
            counts[i] = more > 0 ? plus(known, more, at) : known;
        }
        return new WindowState(rule, before.atNanos(), counts);
    }

    private long[] known(Rule rule, State before, int bandwidth, Carried carried) {
        Algorithm was = before.rule().algorithm();
        Bandwidth from = was.bandwidths().get(carried.from());
        Bandwidth to = bandwidths().get(bandwidth);
        if (was.kind() != kind() || !from.period().equals(to.period()) || before.level(carried.from()) < 0) {
            return none();
        }
        long[] counts = ((WindowState) before).shared(carried.from());
        boolean grows = to.capacity() >= from.capacity();
        if (carried.mode() == CarryOver.PROPORTION && !(rule.strictPartitions() && grows)) {
            return to.capacity() == from.capacity() ? counts : scaled(counts, to.capacity(), from.capacity());
        }
        return carried.mode() != CarryOver.RESET && grows ? counts : none();
    }

    final long windowNanos(int bandwidth) {
        return bandwidths().get(bandwidth).period().toNanos();
    }

    /** {@code a * b / c}, rounded down, where that fits. */
    static long floorProduct(long a, long b, long c) {
        long product = a * b;
        return Math.multiplyHigh(a, b) == 0 && product >= 0
                ? product / c
                : BigInteger.valueOf(a)
                        .multiply(BigInteger.valueOf(b))
                        .divide(BigInteger.valueOf(c))
                        .longValueExact();
    }

    /** {@code count * to / from}, rounded up; no more than any capacity, which only what was left of a debt could be. */
    static long scaled(long count, long to, long from) {
        BigInteger[] result =
                BigInteger.valueOf(count).multiply(BigInteger.valueOf(to)).divideAndRemainder(BigInteger.valueOf(from));
        return result[0]
                .add(BigInteger.valueOf(result[1].signum()))
                .min(BigInteger.valueOf(Bandwidth.MAX_PERMITS))
                .longValueExact();
    }
}
