package io.weir.spring;

import io.weir.FailurePolicy;
import io.weir.algorithm.Algorithm;
import io.weir.algorithm.CarryOver;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * One limit. It has either a capacity and a refill, or several bandwidths; where its algorithm counts per window, a refill alone
 * says how many in which window.
 *
 * @param failurePolicy What answers when the owner of a bucket has not by the deadline. Required.
 * @param algorithm How it counts: token-bucket unless set.
 * @param capacity The most permits that can be granted at once.
 * @param refill How many permits return in which time: 50/s, 1000/day, 5/10s.
 * @param bandwidths Capacities with their refills, decided together: all grant, or none is charged.
 * @param overrides Numbers of single keys, instead of the limit's: by key, which goes in brackets if it has more than letters, digits and
 *     dashes. Up to 10,000; none unless set.
 * @param deadline How long a decision may take before the failure policy answers: 50 ms unless set.
 * @param exact Whether every grant is decided by the owner of the bucket, rather than from a lease where that is quicker.
 * @param strictPartitions Whether a cluster that misses members counts with its part of the limit.
 * @param shadow Whether it only reports what it would decide, and grants everything.
 * @param shadowOf The name of a limit beside which it is asked, for the same keys, as a shadow: no route and no code has to name it.
 * @param debt How far below zero a settlement may bring a balance, in permits, when more was used than was granted: 0 unless set.
 * @param penalty What becomes of keys that are denied again and again: nothing unless set.
 * @param carryOver What becomes of balances when these numbers take the place of others: proportion unless set.
 * @param version The version of the numbers: raise it with every change. 1 unless set.
 */
record LimitProperties(
        @Nullable FailurePolicy failurePolicy,
        @DefaultValue("token-bucket") Algorithm.Kind algorithm,
        @Nullable Long capacity,
        @Nullable Refill refill,
        @Nullable List<BandwidthProperties> bandwidths,
        @DefaultValue Map<String, NumbersProperties> overrides,
        @Nullable Duration deadline,
        @DefaultValue("false") boolean exact,
        @DefaultValue("false") boolean strictPartitions,
        @DefaultValue("false") boolean shadow,
        @Nullable String shadowOf,
        @DefaultValue("0") long debt,
        @Nullable PenaltyProperties penalty,
        @DefaultValue("proportion") CarryOver carryOver,
        @DefaultValue("1") long version) {

    /** The limit's own. */
    NumbersProperties numbers() {
        return new NumbersProperties(capacity, refill, bandwidths);
    }
}
