package io.weir.hazelcast;

import java.time.Duration;

/**
 * How much of a key this node needs: permits a second, over the life of a lease, give or take.
 *
 * <p>Not thread-safe: its line guards it.
 */
final class Demand {

    /** What was needed longer ago than this hardly counts. */
    static final Duration MEMORY = HeldLease.TTL;

    /** From here on a key is worth a lease: a few permits for each time that a lease lives. */
    static final long HOT_PER_SECOND = 8;

    /** A lease is as large as what is needed in this time. */
    static final Duration WORTH = Duration.ofMillis(50);

    static final long LEAST_LEASE = 4;

    /** More is not told apart: products with a second in nanoseconds must fit a long. */
    private static final long MOST = 1_000_000_000;

    private static final long SECOND = 1_000_000_000;

    /** Short readings are added up, or rounding would eat a low rate. */
    private static final long LEAST_READING_NANOS = MEMORY.toNanos() / 8;

    private long perSecond;
    private long readNanos;
    private long unread;

    Demand(long nowNanos) {
        this.readNanos = nowNanos;
    }

    /** Permits were needed. */
    void add(long permits) {
        unread = Math.min(MOST, unread + Math.min(MOST, permits));
    }

    /** Permits a second. */
    long perSecond(long nowNanos) {
        long elapsed = Math.min(MEMORY.toNanos(), Math.max(0, nowNanos - readNanos));
        long before = perSecond * (MEMORY.toNanos() - elapsed) / MEMORY.toNanos();
        long since = unread * SECOND / Math.max(MEMORY.toNanos(), nowNanos - readNanos);
        long now = Math.min(MOST, before + since);
        if (nowNanos - readNanos >= LEAST_READING_NANOS) {
            perSecond = now;
            readNanos = nowNanos;
            unread = 0;
        }
        return now;
    }

    /** How many permits to hold, or none if the key is asked for too seldom. */
    long worth(long nowNanos) {
        long rate = perSecond(nowNanos);
        return rate < HOT_PER_SECOND ? 0 : Math.max(LEAST_LEASE, rate * WORTH.toMillis() / 1_000);
    }
}
