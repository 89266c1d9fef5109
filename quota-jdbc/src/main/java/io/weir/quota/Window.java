package io.weir.quota;

import java.time.Instant;

/**
 * One period of a quota: from {@code start}, inclusive, to {@code end}, exclusive, which is when the next one starts and the quota
 * resets.
 *
 * @param start the first instant
 * @param end the first instant of the next period
 */
public record Window(Instant start, Instant end) {

    /** Refuses an end that is not after the start. */
    public Window {
        if (!end.isAfter(start)) {
            throw new IllegalArgumentException("end must be after start " + start + ", and is " + end);
        }
    }

    /** Whether {@code instant} is within this period. */
    public boolean contains(Instant instant) {
        return !instant.isBefore(start) && instant.isBefore(end);
    }
}
