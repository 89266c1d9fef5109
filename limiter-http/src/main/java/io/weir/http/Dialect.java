package io.weir.http;

import io.weir.algorithm.Bandwidth;
import java.time.Instant;
import java.util.List;

/**
 * A way of telling clients how much of a limit is left: no single one is read by all of them.
 *
 * <p>All speak of the bandwidth that the decision hangs on (see {@link io.weir.Decision#bandwidth()}). Where several limits were
 * asked, {@link #IETF_11} lists them all, and the others have room for one: the one that denies or, of grants, the one with the
 * fewest permits left. They mean by a
 * reset the moment at which the next permit returns, whatever the limit's algorithm: of a fixed window that is its end, and of the
 * others there is no other. For a bandwidth that is full, that is now. Integers stay below 10<sup>15</sup>; a larger capacity or balance is given as 999999999999999.
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
        void write(List<Meter> meters, Meter decisive, Instant now, Fields fields) {
            StringBuilder policies = new StringBuilder(64);
            StringBuilder limits = new StringBuilder(64);
            for (Meter meter : meters) {
                for (Bandwidth bandwidth : meter.decision().bandwidths()) {
                    next(policies, Meter.policy(meter.decision(), bandwidth))
                            .append(";q=")
                            .append(Meter.capacity(bandwidth))
                            .append(";w=")
                            .append(Meter.wholeSeconds(bandwidth.window()));
                }
                next(limits, meter.policy())
                        .append(";r=")
                        .append(meter.remaining())
                        .append(";t=")
                        .append(meter.resetSeconds());
            }
            fields.add("RateLimit-Policy", policies.toString());
            fields.add("RateLimit", limits.toString());
        }
    },

    /**
     * {@code RateLimit-Limit}, {@code -Remaining} and {@code -Reset} of older drafts; the reset in seconds from now,
     * rounded up.
     */
    IETF_TRIO {
        @Override
        void write(List<Meter> meters, Meter decisive, Instant now, Fields fields) {
            fields.add("RateLimit-Limit", decisive.capacityText());
            fields.add("RateLimit-Remaining", decisive.remainingText());
            fields.add("RateLimit-Reset", Long.toString(decisive.resetSeconds()));
        }
    },

    /**
     * {@code X-RateLimit-Limit}, {@code -Remaining} and {@code -Reset}; the reset in UTC seconds since 1970, rounded
     * up.
     */
    X_EPOCH {
        @Override
        void write(List<Meter> meters, Meter decisive, Instant now, Fields fields) {
            writeX(decisive, decisive.resetEpochSecond(now), fields);
        }
    },

    /** {@code X-RateLimit-Limit}, {@code -Remaining} and {@code -Reset}; the reset in seconds from now, rounded up. */
    X_DELTA {
        @Override
        void write(List<Meter> meters, Meter decisive, Instant now, Fields fields) {
            writeX(decisive, decisive.resetSeconds(), fields);
        }
    };

    /**
     * Writes the fields.
     *
     * @param meters of each limit that the request was counted under, at least one
     * @param decisive the one of them that a client has to heed first
     */
    abstract void write(List<Meter> meters, Meter decisive, Instant now, Fields fields);

    private static void writeX(Meter meter, long reset, Fields fields) {
        fields.add("X-RateLimit-Limit", meter.capacityText());
        fields.add("X-RateLimit-Remaining", meter.remainingText());
        fields.add("X-RateLimit-Reset", Long.toString(reset));
    }

    /**
     * Goes on to the next member of a list, a structured string. The names of limits and bandwidths have no character that
     * would have to be escaped.
     */
    private static StringBuilder next(StringBuilder list, String name) {
        return list.append(list.isEmpty() ? "\"" : ", \"").append(name).append('"');
    }
}
