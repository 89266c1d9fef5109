package io.weir.hazelcast;

import io.weir.algorithm.Bandwidth;
import io.weir.algorithm.Rule;
import io.weir.algorithm.TokenBucket;
import java.time.Duration;
import java.util.List;

/** Rules that tests use. */
final class Rules {

    /** A thousand permits, of which one returns in a year. */
    static final Rule THOUSAND = rule(1_000, 1, Duration.ofDays(365));

    /** Ten permits, ten a second. */
    static final Rule TEN_A_SECOND = rule(10, 10, Duration.ofSeconds(1));

    private Rules() {}

    static Rule rule(long capacity, long refill, Duration period) {
        return new Rule(1, new TokenBucket(List.of(Bandwidth.of(capacity, refill, period))));
    }
}
