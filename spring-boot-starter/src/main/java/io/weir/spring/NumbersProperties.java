package io.weir.spring;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Numbers of a single key, instead of its limit's: either a capacity and a refill, or several bandwidths; where the limit's algorithm
 * counts per window, a refill alone says how many in which window.
 *
 * @param capacity The most permits that can be granted at once.
 * @param refill How many permits return in which time: 50/s, 1000/day, 5/10s.
 * @param bandwidths Capacities with their refills, decided together: all grant, or none is charged.
 */
record NumbersProperties(
        @Nullable Long capacity,
        @Nullable Refill refill,
        @Nullable List<BandwidthProperties> bandwidths) {}
