package io.weir.hazelcast;

import io.weir.store.NanoClock;
import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/**
 * Leases that are on their way back while a store closes: so many at a time, and for a bounded time altogether. What does
 * not make it expires by itself.
 */
final class PendingReturns {

    private static final int MAX_AT_A_TIME = 256;

    /** A return takes a round trip, and a cluster that does not answer must not hold up a shutdown. */
    static final Duration PATIENCE = Duration.ofSeconds(1);

    private final Semaphore room = new Semaphore(MAX_AT_A_TIME);
    private final NanoClock clock;
    private final long untilNanos;

    PendingReturns(NanoClock clock) {
        this.clock = clock;
        this.untilNanos = clock.nanoTime() + PATIENCE.toNanos();
    }

    /** Waits for room; false if there is none in time. */
    boolean mayBegin() {
        return acquired(1);
    }

    void ended() {
        room.release();
    }

    /** Waits until all have ended, or the time is up. */
    void await() {
        acquired(MAX_AT_A_TIME);
    }

    private boolean acquired(int permits) {
        try {
            return room.tryAcquire(permits, Math.max(0, untilNanos - clock.nanoTime()), TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) { // whoever closes is in a hurry
            Thread.currentThread().interrupt();
            return false;
        }
    }
}
