package io.weir.http;

import io.weir.Decision;
import io.weir.algorithm.Bandwidth;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * What every dialect tells of a limit, in the units of HTTP: whole permits, and whole seconds rounded up.
 *
 * @param decision where it comes from
 * @param bandwidth the one that it hangs on
 * @param remaining whole permits left in that
 * @param timeToNextPermit how long until it holds one more; zero if it is full
 */
record Meter(Decision decision, Bandwidth bandwidth, long remaining, Duration timeToNextPermit) {

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
                        .map(next -> new Meter(decision, decisive(decision), remaining.getAsLong(), next));
    }

    /** The bandwidth that a decision hangs on. A decision has to look, which costs something, only where there are several. */
    static Bandwidth decisive(Decision decision) {
        List<Bandwidth> all = decision.bandwidths();
        return all.size() == 1 ? all.get(0) : decision.bandwidth();
    }

    /**
     * What one of a decision's bandwidths is called towards clients: by its own name, or by its limit's where it is the
     * only one and was not given a name.
     */
    static String policy(Decision decision, Bandwidth bandwidth) {
        boolean unnamed = decision.bandwidths().size() == 1 && bandwidth.name().equals(Bandwidth.DEFAULT_NAME);
        return unnamed ? decision.limit().name() : bandwidth.name();
    }

    /** What the bandwidth is called. */
    String policy() {
        return policy(decision, bandwidth);
    }

    String capacityText() {
        return Long.toString(capacity(bandwidth));
    }

    String remainingText() {
        return Long.toString(remaining);
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
