package io.weir.http;

import java.time.Instant;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * A way of telling clients how much of a limit is left: no single one is read by all of them.
 *
 * <p>All speak of the bandwidth that the decision hangs on (see {@link io.weir.Decision#bandwidth()}), and mean by a
 * reset the moment at which the next permit returns: refill is continuous, so there is no other. For a bandwidth that
 * is full, that is now. Integers stay below 10<sup>15</sup>; a larger capacity or balance is given as 999999999999999.
 */
public enum Dialect {

    /**
     * The fields of draft-ietf-httpapi-ratelimit-headers-11, structured (RFC 9651).
     *
     * <pre>{@code
     * RateLimit-Policy: "burst";q=100;w=60, "daily";q=1000;w=86400
     * RateLimit: "burst";r=50;t=30
     * }</pre>
     *
     * <p>The policies are the bandwidths of the limit, in its order: {@code q} is the capacity and {@code w} the
     * seconds in which it fills from empty, at least 1. The second field says that {@code r} permits are left and that
     * the next returns in {@code t} seconds, rounded up.
     *
     * <p>A policy has the name of its bandwidth; the only bandwidth of a limit, if it was not given a name, has that of
     * the limit. So where clients meet several limits, give their bandwidths names that differ.
     */
    IETF_11 {
        @Override
        void write(Meter meter, Instant now, Map<String, String> fields) {
            fields.put(
                    "RateLimit-Policy",
                    meter.decision().bandwidths().stream()
                            .map(bandwidth -> quoted(Meter.policy(meter.decision(), bandwidth)) + ";q="
                                    + Meter.capacity(bandwidth) + ";w=" + Meter.wholeSeconds(bandwidth.window()))
                            .collect(Collectors.joining(", ")));
            fields.put("RateLimit", quoted(meter.policy()) + ";r=" + meter.remaining() + ";t=" + meter.resetSeconds());
        }
    },

    /**
     * {@code RateLimit-Limit}, {@code -Remaining} and {@code -Reset} of older drafts; the reset in seconds from now,
     * rounded up.
     */
    IETF_TRIO {
        @Override
        void write(Meter meter, Instant now, Map<String, String> fields) {
            writeTrio("RateLimit-", meter, meter.resetSeconds(), fields);
        }
    },

    /**
     * {@code X-RateLimit-Limit}, {@code -Remaining} and {@code -Reset}; the reset in UTC seconds since 1970, rounded
     * up.
     */
    X_EPOCH {
        @Override
        void write(Meter meter, Instant now, Map<String, String> fields) {
            writeTrio("X-RateLimit-", meter, meter.resetEpochSecond(now), fields);
        }
    },

    /** {@code X-RateLimit-Limit}, {@code -Remaining} and {@code -Reset}; the reset in seconds from now, rounded up. */
    X_DELTA {
        @Override
        void write(Meter meter, Instant now, Map<String, String> fields) {
            writeTrio("X-RateLimit-", meter, meter.resetSeconds(), fields);
        }
    };

    abstract void write(Meter meter, Instant now, Map<String, String> fields);

    private static void writeTrio(String prefix, Meter meter, long reset, Map<String, String> fields) {
        fields.put(
                prefix + "Limit", Long.toString(Meter.capacity(meter.decision().bandwidth())));
        fields.put(prefix + "Remaining", Long.toString(meter.remaining()));
        fields.put(prefix + "Reset", Long.toString(reset));
    }

    /** A structured string. The names of limits and bandwidths have no character that would have to be escaped. */
    private static String quoted(String name) {
        return '"' + name + '"';
    }
}
