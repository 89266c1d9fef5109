package io.weir.algorithm;

import java.math.BigInteger;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/**
 * How a limit counts. Sealed: a store may rely on knowing every algorithm, on the wire and off it.
 *
 * <p>An algorithm is an immutable value with no clock of its own. It is asked through a {@link Rule}, which settles which
 * version of a limit is in force first. Two are equal if they are of one kind and have equal bandwidths.
 */
public abstract sealed class Algorithm permits TokenBucket, LeakyBucket, Windowed {

    /** The most bandwidths that one limit may have. */
    public static final int MAX_BANDWIDTHS = 8;

    /**
     * The largest step back of a clock that is taken for ordinary disorder: up to here an older instant merely adds
     * nothing. Beyond it the clock itself has changed (an owner whose clock is behind took over), and the state is
     * rebased so that no bucket freezes until the old instant comes round again (I2).
     */
    public static final long STEP_BACK_TOLERANCE_NANOS = Duration.ofSeconds(15).toNanos();

    private final Kind kind;
    private final List<Bandwidth> bandwidths;

    /** For this package: an algorithm is one of those that every store knows. */
    Algorithm(Kind kind, List<Bandwidth> bandwidths) {
        if (bandwidths.isEmpty() || bandwidths.size() > MAX_BANDWIDTHS) {
            throw new IllegalArgumentException("a " + kind.words() + " has 1 to " + MAX_BANDWIDTHS
                    + " bandwidths but was given " + bandwidths.size());
        }
        Set<String> names = new HashSet<>();
        for (Bandwidth bandwidth : bandwidths) {
            if (!names.add(bandwidth.name())) {
                throw new IllegalArgumentException("two bandwidths are called \"" + bandwidth.name()
                        + "\": give each a name of its own with Bandwidth.named(..)");
            }
        }
        this.kind = kind;
        this.bandwidths = List.copyOf(bandwidths);
    }

    /** Which of the algorithms this is. */
    public final Kind kind() {
        return kind;
    }

    /**
     * The bandwidths that are decided together.
     *
     * @return at least one, in the order in which they were declared; unmodifiable
     */
    public final List<Bandwidth> bandwidths() {
        return bandwidths;
    }

    /**
     * Whether permits may be taken ahead of demand and handed out later. Only from a token bucket: it does not ask when a
     * permit is spent, while from a window a permit that was counted early also leaves early.
     */
    public final boolean lends() {
        return kind == Kind.TOKEN_BUCKET;
    }

    /** The most permits that one request can ever be granted: the smallest of the capacities. */
    public final long smallestCapacity() {
        long smallest = Long.MAX_VALUE;
        for (Bandwidth bandwidth : bandwidths) {
            smallest = Math.min(smallest, bandwidth.capacity());
        }
        return smallest;
    }

    /** The same with {@code reachable / nodes} of what each bandwidth grants. */
    abstract Algorithm part(int reachable, int nodes);

    /** The untouched state: every bandwidth at its capacity. */
    abstract State full(Rule rule, long nowNanos);

    /**
     * Takes permits from every bandwidth, or from none.
     *
     * @param state a state of this very algorithm
     * @param permits zero (a peek) or more
     * @param lent permits that are out: what is available stops so much below each capacity
     */
    abstract Transition take(State state, long permits, long lent, long nowNanos);

    /**
     * Takes permits from every bandwidth, out of what refills within {@code longestWaitNanos} if need be.
     *
     * @param state a state of this very algorithm
     * @param permits more than zero
     */
    Transition reserve(State state, long permits, long longestWaitNanos, long lent, long nowNanos) {
        return take(state, permits, lent, nowNanos);
    }

    /**
     * Whether permits can be reserved ahead of the time at which they are there. A window counts what is used in it, and cannot
     * know when that will be.
     */
    public final boolean reserves() {
        return kind == Kind.TOKEN_BUCKET || kind == Kind.LEAKY_BUCKET;
    }

    /**
     * Puts permits back into every bandwidth, none above its capacity.
     *
     * @param state a state of this very algorithm
     * @param permits more than zero
     */
    abstract Transition giveBack(State state, long permits, long lent, long nowNanos);

    /**
     * Takes permits from every bandwidth, from each as many as it has of them.
     *
     * @param state a state of this very algorithm
     * @param permits more than zero
     * @param mostDebt how far below zero a token bucket may fall
     */
    abstract Transition charge(State state, long permits, long mostDebt, long lent, long nowNanos);

    /**
     * A state as it is at another instant, if nothing is taken until then.
     *
     * @param state a state of this very algorithm
     */
    abstract State advance(State state, long lent, long nowNanos);

    /**
     * Of each bandwidth the state that has less available, now and at every later instant (L17).
     *
     * @param one a state of this very algorithm
     * @param other another of the same rule and instant
     */
    abstract State lower(State one, State other, long lent);

    /**
     * The same balance under a rule of this algorithm, as of {@code atNanos} on another time line.
     *
     * @param state a state of this very algorithm, whatever its rule's version
     */
    abstract State restamped(Rule rule, State state, long atNanos);

    /** What a bandwidth of a state of this algorithm has left. */
    abstract Balance balance(State state, int bandwidth);

    /** How many units, which a {@link Balance} counts, make a permit. */
    abstract BigInteger unitsInPermit(int bandwidth);

    /**
     * The last step of {@link #carryOver}.
     *
     * @param before of any algorithm, as of the instant of the change
     * @param carried what becomes of each bandwidth
     */
    abstract State carried(Rule rule, State before, List<Carried> carried);

    /**
     * What becomes of one bandwidth when a rule changes.
     *
     * @param from which of the former bandwidths it continues
     * @param mode how
     * @param units what it holds after that
     */
    record Carried(int from, CarryOver mode, BigInteger units) {}

    /**
     * Brings another rule's state, of whatever kind, under {@code rule}, which counts with this algorithm: as the rule's
     * {@link Rule#carryOver() mode} says (I7), and to no more than each capacity less what is out (L12).
     */
    final State carryOver(Rule rule, State old, long lent, long nowNanos) {
        Algorithm was = old.rule().algorithm();
        State before = was.advance(old, lent, nowNanos);
        Carried[] carried = new Carried[bandwidths.size()];
        for (int i = 0; i < carried.length; i++) {
            int namesake = was.indexOf(bandwidths.get(i).name());
            // One that is new, or was renamed, is as full as the emptiest: a change never fills what was drained.
            int from = namesake < 0 ? was.emptiest(before) : namesake;
            CarryOver mode = mode(rule, old.rule(), i, from);
            BigInteger inPermit = unitsInPermit(i);
            long most = Math.max(0, bandwidths.get(i).capacity() - lent);
            BigInteger units = was.balance(before, from)
                    .carried(mode, rule.strictPartitions(), bandwidths.get(i).capacity(), inPermit)
                    .min(BigInteger.valueOf(most).multiply(inPermit))
                    .max(BigInteger.valueOf(BucketState.LOWEST_LEVEL).multiply(inPermit));
            carried[i] = new Carried(from, mode, units);
        }
        return carried(rule, before, List.of(carried));
    }

    /**
     * A bandwidth that stays as it is keeps its balance, so that to apply the same configuration again refills nothing. Nor is
     * one reset by numbers of the same version: during a roll-out old and new ones take turns, and each turn would fill it.
     */
    private CarryOver mode(Rule rule, Rule old, int bandwidth, int from) {
        Algorithm was = old.algorithm();
        boolean same = kind == was.kind && bandwidths.get(bandwidth).equals(was.bandwidths.get(from));
        boolean takesTurns = rule.carryOver() == CarryOver.RESET && rule.version() == old.version();
        return same || takesTurns ? CarryOver.PROPORTION : rule.carryOver();
    }

    /** The bandwidth of which the smallest part is left. */
    private int emptiest(State state) {
        int emptiest = 0;
        for (int i = 1; i < bandwidths.size(); i++) {
            emptiest = balance(state, i).isEmptierThan(balance(state, emptiest)) ? i : emptiest;
        }
        return emptiest;
    }

    private int indexOf(String name) {
        for (int i = 0; i < bandwidths.size(); i++) {
            if (bandwidths.get(i).name().equals(name)) {
                return i;
            }
        }
        return -1;
    }

    /** Now; or the state's own instant if now is a little older; or now again, if it is much older: a rebase (I2). */
    static long instant(State state, long nowNanos) {
        long at = state.atNanos();
        boolean disorder = nowNanos < at && saturatedDifference(at, nowNanos) <= STEP_BACK_TOLERANCE_NANOS;
        return disorder ? at : nowNanos;
    }

    /** {@code later - earlier}, for instants up to the whole range of a long apart. */
    static long saturatedDifference(long later, long earlier) {
        long difference = later - earlier;
        return difference < 0 ? Long.MAX_VALUE : difference;
    }

    /** An instant after a wait; {@link Long#MAX_VALUE} where a long holds no such instant, or the wait was saturated. */
    static long later(long atNanos, long waitNanos) {
        long at = atNanos + waitNanos;
        // A saturated wait is no number to add: on a clock that began below zero the sum would be an instant too early.
        return waitNanos == Long.MAX_VALUE || at < atNanos ? Long.MAX_VALUE : at;
    }

    @Override
    public final boolean equals(Object other) {
        return other == this
                || (other instanceof Algorithm that && kind == that.kind && bandwidths.equals(that.bandwidths));
    }

    @Override
    public final int hashCode() {
        return 31 * kind.hashCode() + bandwidths.hashCode();
    }

    @Override
    public final String toString() {
        return getClass().getSimpleName() + bandwidths;
    }

    /** The algorithms by name. What each holds, and how exactly, is said by its class. */
    public enum Kind {
        /** {@link TokenBucket}: a burst and a rate. The default. */
        TOKEN_BUCKET {
            @Override
            public Algorithm with(List<Bandwidth> bandwidths) {
                return new TokenBucket(bandwidths);
            }
        },

        /** {@link LeakyBucket}: grants that are spaced. */
        LEAKY_BUCKET {
            @Override
            public Algorithm with(List<Bandwidth> bandwidths) {
                return new LeakyBucket(bandwidths);
            }
        },

        /** {@link SlidingWindow}: so many per window, nearly, for two numbers. */
        SLIDING_WINDOW {
            @Override
            public Algorithm with(List<Bandwidth> bandwidths) {
                return new SlidingWindow(bandwidths);
            }
        },

        /** {@link SlidingLog}: so many in any window, exactly, for small limits. */
        SLIDING_LOG {
            @Override
            public Algorithm with(List<Bandwidth> bandwidths) {
                return new SlidingLog(bandwidths);
            }
        },

        /** {@link FixedWindow}: so many per window of the clock, and up to twice that around its edge. */
        FIXED_WINDOW {
            @Override
            public Algorithm with(List<Bandwidth> bandwidths) {
                return new FixedWindow(bandwidths);
            }
        };

        /**
         * The algorithm of this kind with some bandwidths.
         *
         * @param bandwidths 1 to {@value #MAX_BANDWIDTHS}, with distinct names
         * @throws IllegalArgumentException if there are none, too many, or two of one name, or if this kind cannot count by
         *     the numbers of one of them: the message names them and says what to write
         */
        public abstract Algorithm with(List<Bandwidth> bandwidths);

        /** Whether this kind counts one number per window, as {@link Bandwidth#perWindow} makes it, rather than two. */
        public boolean countsPerWindow() {
            return this == SLIDING_WINDOW || this == SLIDING_LOG || this == FIXED_WINDOW;
        }

        private String words() {
            return name().toLowerCase(Locale.ROOT).replace('_', ' ');
        }
    }
}
