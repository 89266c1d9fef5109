package io.weir.bench;

import io.weir.FailurePolicy;
import io.weir.Limit;
import io.weir.algorithm.Bandwidth;
import java.time.Duration;

/** How every call of a row is answered. A row that mixed outcomes would measure neither. */
public enum Outcome {

    /** Never runs dry at any speed a benchmark can reach, and is never full: each call refills and charges. */
    GRANTED(1_000_000_000_000L, 1_000_000, Duration.ofSeconds(1)),

    /** Holds one permit, which set-up takes, and gets the next one after a year. */
    DENIED(1, 1, Duration.ofDays(365));

    private final long capacity;
    private final long refill;
    private final Duration period;

    Outcome(long capacity, long refill, Duration period) {
        this.capacity = capacity;
        this.refill = refill;
        this.period = period;
    }

    /** Numbers under which calls have this outcome. */
    Bandwidth bandwidth() {
        return Bandwidth.of(capacity, refill, period);
    }

    /**
     * A limit of these numbers. A call that its store fails to answer gets the other outcome, so that it cannot pass for
     * a fast one; the deadline only bounds how long that takes on a busy machine.
     */
    Limit limit(String name) {
        return builder(name).build();
    }

    /** The same limit, each call of which is decided by the owner of its key. */
    Limit exactLimit(String name) {
        return builder(name).exact().build();
    }

    private Limit.Builder builder(String name) {
        return Limit.named(name, this == GRANTED ? FailurePolicy.DENY : FailurePolicy.GRANT)
                .bandwidth(bandwidth())
                .deadline(Duration.ofSeconds(10));
    }

    /**
     * Passes an answer through if it is the expected one; the check is part of every row alike.
     *
     * @throws IllegalStateException if it is not
     */
    boolean expect(boolean granted) {
        if (granted != (this == GRANTED)) {
            throw new IllegalStateException("a row of calls " + this + " met one that was not");
        }
        return granted;
    }
}
