package io.weir.hazelcast;

import io.weir.store.NanoClock;
import java.time.Duration;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * What this node knows of the owners' clocks, so that it can say a deadline in an owner's time.
 *
 * <p>An answer that was sent for at {@code s} and came at {@code r}, on this node's clock, with the owner's time {@code t},
 * puts the offset {@code owner - node} between {@code t - r} and {@code t - s}. Later answers narrow that, and drift
 * widens it again. A deadline is translated by the upper end, so that an owner never refuses too early; it may accept too
 * late by the width, which is about one round trip.
 *
 * <p>Before an owner's first answer its clock is guessed to be like that of the owner heard last, since owners follow the
 * cluster's time, give or take {@link #GUESS_ERROR}. Where the guess is too low, the owner finds the first call late, says
 * what its time is, and the call is sent again.
 */
final class OwnerClocks {

    static final Duration GUESS_ERROR = Duration.ofSeconds(2);

    /** How fast two clocks may drift apart: one in a thousand, far above what clocks do that are being adjusted. */
    private static final long DRIFT_DIVISOR = 1_000;

    private final NanoClock clock;
    private final NanoClock guess;
    private final Map<UUID, Offset> offsets = new ConcurrentHashMap<>();
    private volatile @Nullable Offset heardLast;

    /**
     * @param clock this node's monotonic clock
     * @param guess what an owner's clock may show, before any has been heard
     */
    OwnerClocks(NanoClock clock, NanoClock guess) {
        this.clock = clock;
        this.guess = guess;
    }

    /** An instant of this node's clock, at the latest, in the time of an owner; of an unknown one if it is null. */
    long inOwnersTime(@Nullable UUID owner, long nanos) {
        Offset known = owner == null ? null : offsets.get(owner);
        long now = clock.nanoTime();
        if (known != null) {
            return nanos + known.driftedTo(now).most();
        }
        Offset another = heardLast;
        long guessed = another != null ? another.driftedTo(now).most() : guess.nanoTime() - now;
        return nanos + guessed + GUESS_ERROR.toNanos();
    }

    /** Learns from an answer. */
    void observe(UUID owner, long sentNanos, long receivedNanos, long ownerNanos) {
        // The owner read its clock some time between the two, and the clocks may have drifted apart since.
        Offset seen =
                new Offset(ownerNanos - receivedNanos, ownerNanos - sentNanos, sentNanos).driftedTo(receivedNanos);
        heardLast = offsets.merge(
                owner, seen, (before, now) -> before.driftedTo(receivedNanos).narrowedBy(now));
    }

    /** Forgets an owner that has left. */
    void forget(UUID owner) {
        offsets.remove(owner);
    }

    /**
     * The offset of an owner's clock from this node's: somewhere from {@code least} to {@code most}.
     *
     * @param atNanos when that was known
     */
    private record Offset(long least, long most, long atNanos) {

        Offset driftedTo(long nowNanos) {
            long drift = Math.max(0, nowNanos - atNanos) / DRIFT_DIVISOR;
            return new Offset(least - drift, most + drift, nowNanos);
        }

        Offset narrowedBy(Offset newer) {
            long from = Math.max(least, newer.least);
            long to = Math.min(most, newer.most);
            // Nothing in common: the owner's clock was set. What was known before is worth nothing.
            return from <= to ? new Offset(from, to, newer.atNanos) : newer;
        }
    }
}
