package io.weir.algorithm;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The part of a limit that travels to the owner of a bucket: its numbers and their version.
 *
 * <p>A state carries the rule it was last decided under. A request under a newer version, or under the same version
 * with other numbers, carries the balance over, in proportion unless it says otherwise (I7). A request under an <em>older</em> version is decided
 * by the newer rule that the state carries, so that nodes with old and new configuration do not fight.
 *
 * <p>Permits may be <em>lent</em>: taken from the bucket ahead of demand, by somebody who hands them out later. As long as
 * they are out, refill stops at {@code capacity - lent}. So what the bucket holds and what is out are never more than the
 * capacity together, and I1 holds however many borrow and however late they spend. Who has borrowed what is the store's to
 * know; here it is a number.
 *
 * @param version rises with every change of the numbers; 1 or more. Where a change was rolled out without raising it,
 *     each call is decided under its caller's own numbers until all nodes agree, and a bandwidth that only some of them
 *     have is not held until then
 * @param algorithm how it counts, with the numbers
 * @param strictPartitions whether an owner that misses others counts with a {@linkplain #part part} of the numbers. A
 *     balance under such a rule is never raised by a change of the numbers, but only by refill: it keeps its part where
 *     the capacity falls, and its permits where it grows, so that to and fro mints nothing
 * @param carryOver what becomes of a balance that was decided under other numbers. The rule that takes over says so. Under
 *     {@code strictPartitions} it is {@link CarryOver#PROPORTION}, with what is said there
 */
public record Rule(long version, Algorithm algorithm, boolean strictPartitions, CarryOver carryOver) {

    /**
     * Checks the components.
     *
     * @throws IllegalArgumentException if {@code version} is less than 1, or if {@code strictPartitions} comes with another
     *     mode than {@link CarryOver#PROPORTION}
     */
    public Rule {
        Objects.requireNonNull(algorithm, "algorithm");
        Objects.requireNonNull(carryOver, "carryOver");
        if (version < 1) {
            throw new IllegalArgumentException("version must be at least 1 but is " + version);
        }
        if (strictPartitions && carryOver != CarryOver.PROPORTION) {
            throw new IllegalArgumentException("carryOver " + carryOver + " does not go together with strictPartitions,"
                    + " under which the numbers change whenever members come and go: leave carryOver at PROPORTION,"
                    + " which never raises a balance then, or do without strictPartitions");
        }
    }

    /** A rule that carries balances over in proportion. */
    public Rule(long version, Algorithm algorithm, boolean strictPartitions) {
        this(version, algorithm, strictPartitions, CarryOver.PROPORTION);
    }

    /** A rule that counts with all of its numbers whoever is missing. */
    public Rule(long version, Algorithm algorithm) {
        this(version, algorithm, false, CarryOver.PROPORTION);
    }

    /**
     * The rule for a cluster of which a part is missing: capacity and refill are {@code reachable / nodes} of what they were,
     * the capacity rounded down but at least one permit. This very rule if it is not {@link #strictPartitions}, or if
     * nobody is missing.
     *
     * @param reachable how many there are
     * @param nodes how many there should be
     */
    public Rule part(int reachable, int nodes) {
        return strictPartitions && reachable > 0 && reachable < nodes
                ? new Rule(version, algorithm.part(reachable, nodes), true)
                : this;
    }

    /**
     * One of {@code nodes} equal parts of this rule, for a node that has to decide alone. It is not strict, and carries over
     * in proportion.
     *
     * @param nodes among how many it is divided, at least 1
     * @throws IllegalArgumentException if {@code nodes} is less than 1
     */
    public Rule share(int nodes) {
        if (nodes < 1) {
            throw new IllegalArgumentException("nodes must be at least 1 but is " + nodes);
        }
        return new Rule(version, algorithm.part(1, nodes));
    }

    /**
     * Decides one request on a bucket of which nothing is lent.
     *
     * @param state what is stored for the key, or null if nothing is: an untouched key is full
     * @param permits how many are asked for; zero is a free peek, which is granted whatever the balance is, even in debt
     * @param nowNanos the instant of the decision, on the clock of whoever keeps the state
     * @return the verdict, and the state as of {@code nowNanos}
     * @throws IllegalArgumentException if {@code permits} is negative
     */
    public Transition take(@Nullable State state, long permits, long nowNanos) {
        return take(state, permits, 0, nowNanos);
    }

    /**
     * Decides one request. Lending is no other thing: who borrows takes permits, and then counts them as lent.
     *
     * @param state as above; of a key of which nothing is stored, nothing is lent either
     * @param permits as above
     * @param lent permits that are out, zero or more
     * @param nowNanos as above
     */
    public Transition take(@Nullable State state, long permits, long lent, long nowNanos) {
        if (permits < 0) {
            throw new IllegalArgumentException("permits must not be negative but is " + permits);
        }
        if (state == null) {
            return algorithm.take(algorithm.full(this, nowNanos), permits, 0, nowNanos);
        }
        Rule inForce = inForce(state);
        if (inForce.equals(state.rule())) {
            return inForce.algorithm.take(state, permits, lent, nowNanos);
        }
        Transition taken = algorithm.take(algorithm.carryOver(this, state, lent, nowNanos), permits, lent, nowNanos);
        // Written even when denied: else the old refill would go on being added for as long as calls are denied.
        return new Transition(taken.verdict(), taken.state(), permits > 0);
    }

    /**
     * Puts back permits that were granted and not used. Nothing rises above its capacity, and a key of which nothing is
     * stored stays that way, since it is full already.
     *
     * @param state what is stored for the key, or null if nothing is
     * @param permits how many come back, more than zero
     * @param lent permits that are out, zero or more: where these ones were, they are not among them any more
     * @param nowNanos the instant, on the clock of whoever keeps the state
     * @throws IllegalArgumentException if {@code permits} is not positive
     */
    public Transition giveBack(@Nullable State state, long permits, long lent, long nowNanos) {
        if (permits <= 0) {
            throw new IllegalArgumentException("permits to give back must be positive but is " + permits);
        }
        if (state == null) {
            return new Transition(Verdict.GRANTED, algorithm.full(this, nowNanos), false);
        }
        State carried = advanceRule(state, lent, nowNanos);
        return carried.rule().algorithm().giveBack(carried, permits, lent, nowNanos);
    }

    /** {@link #giveBack(State, long, long, long)} to a bucket of which nothing is lent. */
    public Transition giveBack(@Nullable State state, long permits, long nowNanos) {
        return giveBack(state, permits, 0, nowNanos);
    }

    /**
     * Charges permits that were granted elsewhere already: each bandwidth loses as many, down to zero or, of a token bucket, as
     * far into debt as is said. That is always granted.
     *
     * @param state what is stored for the key, or null if nothing is
     * @param permits how many were granted, more than zero
     * @param mostDebt how far below zero a bandwidth may fall, zero or more
     * @param lent permits that are out, zero or more: they are not touched
     * @param nowNanos the instant, on the clock of whoever keeps the state
     * @throws IllegalArgumentException if {@code permits} is not positive
     */
    public Transition charge(@Nullable State state, long permits, long mostDebt, long lent, long nowNanos) {
        if (permits <= 0) {
            throw new IllegalArgumentException("permits to charge must be positive but is " + permits);
        }
        if (state == null) {
            return algorithm.charge(algorithm.full(this, nowNanos), permits, mostDebt, 0, nowNanos);
        }
        State carried = advanceRule(state, lent, nowNanos);
        return carried.rule().algorithm().charge(carried, permits, mostDebt, lent, nowNanos);
    }

    /** {@link #charge(State, long, long, long, long)} down to zero. */
    public Transition charge(@Nullable State state, long permits, long lent, long nowNanos) {
        return charge(state, permits, 0, lent, nowNanos);
    }

    /**
     * Takes permits out of what is there or, if that does not do, out of what refills within a time: {@link
     * State#usableAtNanos} of the state that comes out says when they may be used. Who reserves never gets more than the
     * rule: what is used when it may be used is within I1. Nothing is reserved that has no room beside what is lent.
     *
     * @param state what is stored for the key, or null if nothing is
     * @param permits how many, more than zero
     * @param longestWaitNanos within what time, zero or more
     * @param lent permits that are out, zero or more
     * @param nowNanos the instant, on the clock of whoever keeps the state
     */
    public Transition reserve(@Nullable State state, long permits, long longestWaitNanos, long lent, long nowNanos) {
        if (state == null) {
            return algorithm.reserve(algorithm.full(this, nowNanos), permits, longestWaitNanos, 0, nowNanos);
        }
        State carried = advanceRule(state, lent, nowNanos);
        Transition step = carried.rule().algorithm().reserve(carried, permits, longestWaitNanos, lent, nowNanos);
        return carried == state ? step : new Transition(step.verdict(), step.state(), true); // as with a take
    }

    /**
     * A bucket as it is at another instant and under the rule in force, if nothing is taken until then.
     *
     * @param state what is stored for the key
     * @param lent permits that are out all that time, zero or more
     * @param nowNanos the instant, on the clock of whoever keeps the state
     */
    public State advance(State state, long lent, long nowNanos) {
        State carried = advanceRule(state, lent, nowNanos);
        return carried.rule().algorithm().advance(carried, lent, nowNanos);
    }

    /**
     * One bucket out of two of the same key: of each bandwidth the one that has less, and no more than its capacity less what
     * is out. It mints nothing: at every later instant it has no more available than either of the two.
     *
     * @param one under this very rule
     * @param other under this very rule, and as of the same instant
     * @param lent permits that are out of the two together, zero or more
     */
    public State lower(State one, State other, long lent) {
        return algorithm.lower(one, other, lent);
    }

    /**
     * A balance under this rule and on another time line, whose clock shows {@code atNanos} when it is valid. Nothing is
     * gained by that.
     *
     * @param state under a rule with this very algorithm
     */
    public State restamped(State state, long atNanos) {
        return algorithm.restamped(this, state, atNanos);
    }

    /**
     * Gives up permits that were reserved: what nobody has reserved behind them goes back. The rest is lost, to everybody's
     * waits: those behind have been told when to come, and are not told again.
     *
     * @param state what is stored for the key, or null if nothing is
     * @param permits how many were reserved, more than zero
     * @param usableAtNanos from when on they were to be used
     * @param lent permits that are out, zero or more
     * @param nowNanos the instant, on the clock of whoever keeps the state
     */
    public Transition cancel(@Nullable State state, long permits, long usableAtNanos, long lent, long nowNanos) {
        State present = state == null ? algorithm.full(this, nowNanos) : advance(state, lent, nowNanos);
        long back = permits - Math.min(permits, present.reservedBehind(permits, usableAtNanos));
        return state == null || back == 0
                ? new Transition(Verdict.GRANTED, present, false)
                : giveBack(state, back, lent, nowNanos);
    }

    private State advanceRule(State state, long lent, long nowNanos) {
        Rule inForce = inForce(state);
        return inForce.equals(state.rule()) ? state : inForce.algorithm.carryOver(inForce, state, lent, nowNanos);
    }

    /** {@link #decide(State, List, long, long)} on a bucket of which nothing is lent. */
    public BatchTransition decide(@Nullable State state, List<Request> requests, long nowNanos) {
        return decide(state, requests, 0, nowNanos);
    }

    /**
     * Decides several requests at one instant, in their order: a later one sees what the earlier ones left.
     *
     * @param state what is stored for the key, or null if nothing is
     * @param requests in their order; with none, the batch is a peek
     * @param lent permits that are out, zero or more
     * @param nowNanos the instant, on the clock of whoever keeps the state
     */
    public BatchTransition decide(@Nullable State state, List<Request> requests, long lent, long nowNanos) {
        List<Verdict> verdicts = new ArrayList<>(requests.size());
        State latest = state;
        State standing = null;
        boolean changed = false;
        for (Request request : requests) {
            Transition step = decide(latest, request, lent, nowNanos);
            verdicts.add(step.verdict());
            standing = step.state();
            if (step.changed()) {
                latest = step.state();
                changed = true;
            }
        }
        return new BatchTransition(
                verdicts,
                standing != null ? standing : take(latest, 0, lent, nowNanos).state(),
                changed);
    }

    private Transition decide(@Nullable State state, Request request, long lent, long nowNanos) {
        if (request instanceof Request.GiveBack back) {
            return giveBack(state, back.permits(), lent, nowNanos);
        }
        if (request instanceof Request.Cancel cancel) {
            return cancel(state, cancel.permits(), cancel.usableAtNanos(), lent, nowNanos);
        }
        if (request instanceof Request.Charge charge) {
            return charge(state, charge.permits(), charge.mostDebt(), lent, nowNanos);
        }
        return request instanceof Request.Reserve reserve
                ? reserve(state, reserve.permits(), reserve.longestWaitNanos(), lent, nowNanos)
                : take(state, request.permits(), lent, nowNanos);
    }

    /**
     * The one of two rules that is in force: the newer, and {@code other} where both have the same version.
     *
     * @param other what is to take this rule's place, unless it is older
     */
    public Rule orNewer(Rule other) {
        return other.version < version ? this : other;
    }

    private Rule inForce(State state) {
        return state.rule().orNewer(this);
    }
}
