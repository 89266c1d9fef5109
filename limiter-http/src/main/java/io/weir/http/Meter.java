package io.weir.http;

import io.weir.Decision;
import io.weir.Limit;
import io.weir.algorithm.Bandwidth;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * What every dialect tells of a limit, in the units of HTTP: whole permits, and whole seconds rounded up.
 *
 * @param limit the limit that was asked
 * @param bandwidth the bandwidth that the decision hung on
 * @param remaining whole permits left in it
 * @param timeToNextPermit how long until it holds one more; zero if it is full
 */
record Meter(Limit limit, Bandwidth bandwidth, long remaining, Duration timeToNextPermit) {

    /** The largest integer of a structured field (RFC 9651), and as much as any client needs to know. */
    private static final long MAX_INTEGER = 999_999_999_999_999L;

    Meter {
        remaining = Math.min(remaining, MAX_INTEGER);
    }

    /** The meter of a decision; empty if the balance is unknown. */
    static Optional<Meter> of(Decision decision) {
        OptionalLong remaining = decision.remaining();
        return remaining.isEmpty()
                ? Optional.empty()
                : decision.timeToNextPermit()
                        .map(next -> new Meter(decision.limit(), decision.bandwidth(), remaining.getAsLong(), next));
    }

    /**
     * What a bandwidth is called towards clients: by its own name, or by its limit's where it is the only one and was
     * not given a name.
     */
    static String policy(Limit limit, Bandwidth bandwidth) {
        boolean unnamed = limit.bandwidths().size() == 1 && bandwidth.name().equals(Bandwidth.DEFAULT_NAME);
        return unnamed ? limit.name() : bandwidth.name();
    }

    String policy() {
        return policy(limit, bandwidth);
    }

    /**
     * The bandwidths in force. Where another node has brought newer numbers, only {@link #bandwidth()} is known of
     * them, and the numbers that this node still has are not in force.
     */
    List<Bandwidth> bandwidthsInForce() {
        return limit.bandwidths().contains(bandwidth) ? limit.bandwidths() : List.of(bandwidth);
    }

    static long capacity(Bandwidth bandwidth) {
        return Math.min(bandwidth.capacity(), MAX_INTEGER);
    }

    /** Seconds until the next permit. */
    long resetSeconds() {
        return wholeSeconds(timeToNextPermit);
    }

    /** The second of the UTC epoch at which the next permit is there, if the decision was made at {@code now}. */
    long resetEpochSecond(Instant now) {
        Instant reset = now.plus(timeToNextPermit);
        return roundedUp(reset.getEpochSecond(), reset.getNano());
    }

    /** At most 292 years, like every duration of a decision: far from the largest integer. */
    static long wholeSeconds(Duration duration) {
        return roundedUp(duration.getSeconds(), duration.getNano());
    }

    private static long roundedUp(long seconds, int nanos) {
        return nanos == 0 ? seconds : seconds + 1;
    }
}
