package io.weir.chaos;

import java.time.Duration;

/**
 * What becomes of what is sent over a {@link Link}.
 *
 * @param passes whether anything arrives at all, sooner or later
 * @param resets whether connections are reset, and new ones refused
 * @param delay how much later it arrives
 * @param lossPercent how many of a hundred segments are lost on the way, and sent again when the sender's timer has run out;
 *     three times at most
 */
record Weather(boolean passes, boolean resets, Duration delay, int lossPercent) {

    static final Weather CLEAR = new Weather(true, false, Duration.ZERO, 0);

    /** Nothing arrives, and nobody is told: a pulled cable, a security group. */
    static final Weather SILENT = new Weather(false, false, Duration.ZERO, 0);

    /** Whoever sends hears at once that there is nobody: a firewall that rejects. */
    static final Weather RESETTING = new Weather(false, true, Duration.ZERO, 0);

    static Weather slow(Duration oneWay) {
        return new Weather(true, false, oneWay, 0);
    }

    static Weather lossy(int percent) {
        return new Weather(true, false, Duration.ZERO, percent);
    }

    /** Whether it takes something on the way to hold segments back, which no packet filter does. */
    boolean needsRelay() {
        return !delay.isZero() || lossPercent > 0;
    }
}
