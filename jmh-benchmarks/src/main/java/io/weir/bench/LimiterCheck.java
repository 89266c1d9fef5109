package io.weir.bench;

import io.weir.Decision;
import io.weir.Limiter;
import io.weir.store.Source;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/** Asks a limiter for one permit, and insists on where the answer comes from. */
final class LimiterCheck implements Check {

    private static final int WARM = 100;

    /** Over a slow link a lease takes some rounds to become as large as what is needed. */
    private static final int WARM_IN_MEMORY = 10_000;

    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(10);

    private final Limiter limiter;
    private final Supplier<String> keys;
    private final Outcome outcome;
    private final Source source;
    private final Strays strays = new Strays();
    private long made;

    LimiterCheck(Limiter limiter, Supplier<String> keys, Outcome outcome, Source source) {
        this.limiter = limiter;
        this.keys = keys;
        this.outcome = outcome;
        this.source = source;
    }

    @Override
    public void make() {
        Decision decision = ask();
        made++;
        if (decision.source() != source) {
            strays.add(decision.source());
            strays.requireFewIn(made);
        }
    }

    /**
     * Asks until the answers come from where they should.
     *
     * @throws IllegalStateException if they do not
     */
    LimiterCheck warmedUp() {
        long began = System.nanoTime();
        int enough = source == Source.CLUSTER ? WARM : WARM_IN_MEMORY;
        for (int inARow = 0; inARow < enough; ) {
            Source answeredBy = ask().source();
            inARow = answeredBy == source ? inARow + 1 : 0;
            if (System.nanoTime() - began > PATIENCE_NANOS) {
                throw new IllegalStateException("checks are not answered by " + source + " but by " + answeredBy
                        + ", however often they are made");
            }
        }
        return this;
    }

    private Decision ask() {
        Decision decision = limiter.tryAcquire(keys.get());
        outcome.expect(decision.granted());
        return decision;
    }
}
