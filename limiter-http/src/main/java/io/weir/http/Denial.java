package io.weir.http;

import io.weir.Limit;
import io.weir.algorithm.Bandwidth;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * All that the answer to a denial tells: where two are equal, their answers are.
 *
 * @param resetSeconds as {@link Meter#resetSeconds()}
 * @param resetEpochSecond as {@link Meter#resetEpochSecond}
 * @param retryAfter seconds, or null if no wait would help
 */
record Denial(
        Limit limit,
        List<Bandwidth> bandwidths,
        Bandwidth bandwidth,
        long remaining,
        long resetSeconds,
        long resetEpochSecond,
        int status,
        @Nullable Long retryAfter) {

    static Denial of(Meter meter, int status, @Nullable Long retryAfter, Instant now) {
        return new Denial(
                meter.decision().limit(),
                meter.decision().bandwidths(),
                meter.bandwidth(),
                meter.remaining(),
                meter.resetSeconds(),
                meter.resetEpochSecond(now),
                status,
                retryAfter);
    }

    /** A denial with its answer. */
    record Told(Denial denial, HttpAnswer.Denied answer) {}
}
