package io.weir.algorithm;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** What a store does for one key: keeps the state, and replaces it when a transition says so. */
final class BucketUnderTest {

    private Rule rule;
    private @Nullable State state;

    BucketUnderTest(Bandwidth... bandwidths) {
        this(new Rule(1, new TokenBucket(List.of(bandwidths))), null);
    }

    BucketUnderTest(Rule rule, @Nullable State state) {
        this.rule = rule;
        this.state = state;
    }

    Transition take(long permits, long nowNanos) {
        return stored(rule.take(state, permits, nowNanos));
    }

    Verdict verdict(long permits, long nowNanos) {
        return take(permits, nowNanos).verdict();
    }

    boolean grants(long permits, long nowNanos) {
        return verdict(permits, nowNanos) == Verdict.GRANTED;
    }

    /** How many of several requests for one permit are granted at one instant. */
    long grantedOf(int requests, long nowNanos) {
        long granted = 0;
        for (int i = 0; i < requests; i++) {
            granted += grants(1, nowNanos) ? 1 : 0;
        }
        return granted;
    }

    /** How many requests for one permit are granted of one at every step from zero to an instant, both included. */
    long grantedOfOneEach(long stepNanos, long untilNanos) {
        long granted = 0;
        for (long now = 0; now <= untilNanos; now += stepNanos) {
            granted += grants(1, now) ? 1 : 0;
        }
        return granted;
    }

    Transition giveBack(long permits, long nowNanos) {
        return stored(rule.giveBack(state, permits, nowNanos));
    }

    private Transition stored(Transition step) {
        if (step.changed()) {
            state = step.state();
        }
        return step;
    }

    void change(Bandwidth... bandwidths) {
        rule = new Rule(rule.version() + 1, new TokenBucket(List.of(bandwidths)));
    }

    /** The balance as a peek finds it, which changes nothing. */
    State peek(long nowNanos) {
        return take(0, nowNanos).state();
    }

    long level(long nowNanos) {
        return peek(nowNanos).level(0);
    }

    /** How long until the first bandwidth could grant the permits. */
    long waitNanos(long permits, long nowNanos) {
        return peek(nowNanos).readyAtNanos(0, permits) - nowNanos;
    }

    /** What is stored; null for an untouched key. */
    @Nullable
    State state() {
        return state;
    }
}
