package io.weir.hazelcast;

import io.weir.algorithm.Bandwidth;
import io.weir.algorithm.Rule;
import io.weir.algorithm.TokenBucket;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Finds out when an owner that did not answer does so again, off the way of any request.
 *
 * <p>A probe is a call like any other, to a bucket of its own in the partition of a call that failed: it is granted, written
 * and backed up, so that it also takes as long as one that waits for a backup. It goes out soon after the breaker has
 * opened, and then less and less often, up to once a second.
 *
 * <p>For one thread, except for the ends of calls.
 */
final class Probes {

    private static final Duration FIRST_INTERVAL = Duration.ofMillis(100);
    private static final Duration LONGEST_INTERVAL = Duration.ofSeconds(1);

    /** No limit's name is empty, and so this is no key of any limit. */
    static final String PREFIX = ":probe-";

    /** Enough to find one of 271 partitions, and nearly always one of several thousand. */
    private static final int MOST_KEYS_TRIED = 20_000;

    private static final Rule RULE =
            new Rule(1, new TokenBucket(List.of(Bandwidth.of(1_000, 1_000, Duration.ofSeconds(1)))));

    private final Node node;
    private final Map<Breaker, Schedule> schedules = new HashMap<>();

    private static final class Schedule {
        private final String key;
        private long nextNanos;
        private long intervalNanos = FIRST_INTERVAL.toNanos();

        private Schedule(String key, long nowNanos) {
            this.key = key;
            this.nextNanos = nowNanos;
        }
    }

    Probes(Node node) {
        this.node = node;
    }

    /** Sends the probes that are due. */
    void send(List<Breakers.Open> open) {
        schedules.keySet().retainAll(open.stream().map(Breakers.Open::breaker).toList());
        long now = node.clock().nanoTime();
        for (Breakers.Open each : open) {
            Schedule schedule = schedules.computeIfAbsent(
                    each.breaker(),
                    any -> new Schedule(keyBeside(each.opening().last().key()), now));
            if (now >= schedule.nextNanos) {
                schedule.nextNanos = now + schedule.intervalNanos;
                schedule.intervalNanos = Math.min(2 * schedule.intervalNanos, LONGEST_INTERVAL.toNanos());
                node.probe(schedule.key, RULE, each);
            }
        }
    }

    /** A key of ours in the same partition as another. */
    private String keyBeside(String key) {
        int partition = node.partitionOf(key);
        for (int i = 0; i < MOST_KEYS_TRIED; i++) {
            if (node.partitionOf(PREFIX + i) == partition) {
                return PREFIX + i;
            }
        }
        return PREFIX; // of another partition, and so perhaps of another owner: better than none
    }
}
