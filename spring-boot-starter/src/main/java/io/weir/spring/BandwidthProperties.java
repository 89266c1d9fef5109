package io.weir.spring;

import org.jspecify.annotations.Nullable;

/**
 * One of a limit's bandwidths.
 *
 * @param name What it is called in decisions and header fields.
 * @param capacity The most permits that can be granted at once.
 * @param refill How many permits return in which time: 50/s, 1000/day, 5/10s.
 */
record BandwidthProperties(
        @Nullable String name,
        @Nullable Long capacity,
        @Nullable Refill refill) {}
