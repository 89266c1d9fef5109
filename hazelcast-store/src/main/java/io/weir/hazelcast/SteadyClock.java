package io.weir.hazelcast;

import io.weir.store.NanoClock;
import java.time.Duration;

/**
 * The cluster's time without its jumps.
 *
 * <p>Cluster time is this member's own clock and an offset that every heartbeat of the master sets anew, too low by
 * whatever that heartbeat took: on a busy machine it was seen to jump by 20 ms. Each jump ahead would earn permits that no
 * time has passed for. So time goes on here with the monotonic clock, and is drawn towards the cluster's by at most 100
 * parts in a million, which is what the crystals of two machines differ by.
 *
 * <p>A difference of more than {@link #FAR} is no jitter: another master came, or somebody set its clock. Then this clock
 * is set too, and says so: forward at once, but back only once that has lasted. A member that was paused finds a heartbeat
 * that is as old as its pause is long, and shows that time until the next one. To go back with it would earn every bucket
 * the pause twice.
 *
 * <p>Thread-safe; one thread {@linkplain #adjust() adjusts}, any read.
 */
final class SteadyClock implements NanoClock {

    static final Duration FAR = Duration.ofSeconds(1);

    /** How long the cluster's time may be far behind for want of a heartbeat: twice as long as silence is suffered. */
    static final Duration LATEST_HEARTBEAT = Duration.ofMinutes(2);

    private static final Duration LONGEST_READING = Duration.ofMillis(1);

    /** An adjustment is at most this part of the time since the last. */
    private static final long SLOWNESS = 10_000;

    private static final System.Logger LOG = System.getLogger(SteadyClock.class.getName());

    private final NanoClock monotonic;
    private final NanoClock cluster;

    /** What to add to the monotonic clock. */
    private volatile long offsetNanos;

    private long adjustedNanos;

    /** When the cluster's time was last seen not to be far behind, by somebody who was awake. */
    private long notBehindNanos;

    /**
     * A clock that shows the cluster's time now.
     *
     * @param monotonic goes on evenly
     * @param cluster shows what time it is, on the whole
     */
    SteadyClock(NanoClock monotonic, NanoClock cluster) {
        this.monotonic = monotonic;
        this.cluster = cluster;
        this.adjustedNanos = monotonic.nanoTime();
        this.notBehindNanos = adjustedNanos;
        this.offsetNanos = cluster.nanoTime() - adjustedNanos;
    }

    @Override
    public long nanoTime() {
        return monotonic.nanoTime() + offsetNanos;
    }

    /** Draws this clock towards the cluster's. Call it several times a second, from one thread. */
    void adjust() {
        long before = monotonic.nanoTime();
        long clusterNow = cluster.nanoTime();
        long now = monotonic.nanoTime();
        if (now - before > LONGEST_READING.toNanos()) {
            return; // held up in between: the two readings are not of one moment
        }
        long offset = offsetNanos;
        long error = clusterNow - (now + offset);
        boolean slept = now - adjustedNanos > FAR.toNanos();
        if (error >= -FAR.toNanos() || slept) {
            notBehindNanos = now;
        }
        if (error > FAR.toNanos() || now - notBehindNanos > LATEST_HEARTBEAT.toNanos()) {
            LOG.log(
                    System.Logger.Level.WARNING,
                    "The cluster''s time moved by {0} ms. Buckets earn or lose that once.",
                    Long.toString(Duration.ofNanos(error).toMillis()));
            offsetNanos = offset + error;
            notBehindNanos = now;
        } else {
            long most = (now - adjustedNanos) / SLOWNESS;
            offsetNanos = offset + Math.max(-most, Math.min(most, error));
        }
        adjustedNanos = now;
    }
}
