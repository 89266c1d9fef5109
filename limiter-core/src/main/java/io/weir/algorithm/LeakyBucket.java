package io.weir.algorithm;

import java.math.BigInteger;
import java.util.List;

/**
 * The leaky bucket, as a queue that drains: {@code capacity} is how many permits may queue, and {@code refill / period} is how
 * fast they leave. It shapes: what it grants is spaced.
 *
 * <p>Property: a request is granted only while the queue is empty, and its permits then drain. So after {@code k} permits the
 * next grant is {@code k * period / refill} later at the earliest, and there is no burst but of one request: in any span
 * {@code t} at most {@code refill * t / period} and the permits of the last request. Error bound: none.
 *
 * <p>What is available is therefore all or nothing: the capacity while the queue is empty, and otherwise zero. Several
 * bandwidths are several queues, and a request waits until all of them are empty.
 *
 * <p>State: that of a {@link TokenBucket} of the same numbers, whose level is the room in the queue. Permits that are given back leave the
 * queue at once. Immutable and thread-safe.
 */
public final class LeakyBucket extends Algorithm {

    private final TokenBucket queue;

    /** What the room in the queue is counted under. Of no version: that is the state's. */
    private final Rule room;

    /**
     * A leaky bucket of one or several bandwidths.
     *
     * @param bandwidths 1 to {@value #MAX_BANDWIDTHS}, with distinct names
     * @throws IllegalArgumentException if there are none, too many, or two of one name
     */
    public LeakyBucket(List<Bandwidth> bandwidths) {
        super(Kind.LEAKY_BUCKET, bandwidths);
        this.queue = new TokenBucket(bandwidths);
        this.room = new Rule(1, queue);
    }

    /** The rule of a {@link QueueState#room()}. */
    Rule roomRule() {
        return room;
    }

    @Override
    LeakyBucket part(int reachable, int nodes) {
        return new LeakyBucket(queue.part(reachable, nodes).bandwidths());
    }

    @Override
    State full(Rule rule, long nowNanos) {
        return new QueueState(rule, (BucketState) queue.full(room, nowNanos));
    }

    @Override
    Transition take(State state, long permits, long lent, long nowNanos) {
        QueueState present = advance(state, lent, nowNanos);
        Verdict verdict = permits > smallestCapacity()
                ? Verdict.NEVER
                : permits == 0 || present.isIdle() ? Verdict.GRANTED : Verdict.DENIED;
        boolean charged = verdict == Verdict.GRANTED && permits > 0;
        // A rebase is written even when denied: else each further denial would find the old instant again (I2).
        boolean rebased = permits > 0 && present.atNanos() < state.atNanos();
        State after = charged ? new QueueState(state.rule(), present.room().less(permits)) : present;
        return new Transition(verdict, after, charged || rebased);
    }

    @Override
    Transition reserve(State state, long permits, long longestWaitNanos, long lent, long nowNanos) {
        Transition taken = take(state, permits, lent, nowNanos);
        BucketState room = ((QueueState) taken.state()).room();
        if (taken.verdict() != Verdict.DENIED || room.lowestLevel() < permits) {
            return taken; // the queue is full
        }
        QueueState queued = new QueueState(state.rule(), room.less(permits));
        long usableAt = queued.usableAtNanos(permits, 0);
        boolean soon = usableAt != Long.MAX_VALUE && usableAt - queued.atNanos() <= longestWaitNanos;
        return soon ? new Transition(Verdict.GRANTED, queued, true) : taken;
    }

    @Override
    Transition giveBack(State state, long permits, long lent, long nowNanos) {
        return queued(state, queue.giveBack(((QueueState) state).room(), permits, lent, nowNanos));
    }

    @Override
    Transition charge(State state, long permits, long mostDebt, long lent, long nowNanos) {
        return queued(state, queue.charge(((QueueState) state).room(), permits, 0, lent, nowNanos));
    }

    private static Transition queued(State state, Transition step) {
        return new Transition(step.verdict(), new QueueState(state.rule(), (BucketState) step.state()), step.changed());
    }

    @Override
    QueueState advance(State state, long lent, long nowNanos) {
        return new QueueState(state.rule(), queue.advance(((QueueState) state).room(), lent, nowNanos));
    }

    @Override
    QueueState lower(State one, State other, long lent) {
        return new QueueState(one.rule(), queue.lower(((QueueState) one).room(), ((QueueState) other).room(), lent));
    }

    @Override
    QueueState restamped(Rule rule, State state, long atNanos) {
        return new QueueState(rule, queue.restamped(room, ((QueueState) state).room(), atNanos));
    }

    @Override
    Balance balance(State state, int bandwidth) {
        return queue.balance(((QueueState) state).room(), bandwidth);
    }

    @Override
    BigInteger unitsInPermit(int bandwidth) {
        return queue.unitsInPermit(bandwidth);
    }

    @Override
    QueueState carried(Rule rule, State before, List<Carried> carried) {
        return new QueueState(rule, queue.carried(room, before, carried));
    }
}
