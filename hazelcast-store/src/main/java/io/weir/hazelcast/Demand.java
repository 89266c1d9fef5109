package io.weir.hazelcast;

import java.time.Duration;

/**
 * How often a key is asked for on this node, and for how much of it, over the life of a lease, give or take.
 *
 * <p>Not thread-safe: its line guards it.
 */
final class Demand {

    /** What was asked longer ago than this hardly counts. */
    static final Duration MEMORY = HeldLease.TTL;

    /** From here on a key is worth a lease: a few requests for each time that a lease lives. */
    static final long HOT_PER_SECOND = 8;

    /** A lease is as large as what is needed in this time. */
    static final Duration WORTH = Duration.ofMillis(50);

    static final long LEAST_LEASE = 4;

    private final Rate requests;
    private final Rate permits;

    Demand(long nowNanos) {
        this.requests = new Rate(nowNanos);
        this.permits = new Rate(nowNanos);
    }

    /** A request for permits had to go to the owner. */
    void asked(long forPermits) {
        requests.add(1);
        permits.add(forPermits);
    }

    /** Permits were spent from a lease: by how many requests is not counted, and one each is the guess. */
    void spent(long spentPermits) {
        requests.add(spentPermits);
        permits.add(spentPermits);
    }

    /** How many permits to hold, or none if the key is asked for too seldom. */
    long worth(long nowNanos) {
        return requests.perSecond(nowNanos) < HOT_PER_SECOND
                ? 0
                : Math.max(LEAST_LEASE, permits.perSecond(nowNanos) * WORTH.toMillis() / 1_000);
    }

    /** A moving average. */
    private static final class Rate {

        /** More is not told apart: products with a second in nanoseconds must fit a long. */
        private static final long MOST = 1_000_000_000;

        private static final long SECOND = 1_000_000_000;

        /** Short readings are added up, or rounding would eat a low rate. */
        private static final long LEAST_READING_NANOS = MEMORY.toNanos() / 16;

        private long perSecond;
        private long readNanos;
        private long unread;

        Rate(long nowNanos) {
            this.readNanos = nowNanos;
        }

        void add(long count) {
            unread = Math.min(MOST, unread + Math.min(MOST, count));
        }

        long perSecond(long nowNanos) {
            long elapsed = Math.max(0, nowNanos - readNanos);
            long remembered = Math.max(0, MEMORY.toNanos() - elapsed);
            long before = perSecond * remembered / MEMORY.toNanos();
            long since = unread * SECOND / Math.max(MEMORY.toNanos(), elapsed);
            long now = Math.min(MOST, before + since);
            if (elapsed >= LEAST_READING_NANOS) {
                perSecond = now;
                readNanos = nowNanos;
                unread = 0;
            }
            return now;
        }
    }
}
