package io.weir.hazelcast;

import io.weir.algorithm.Bandwidth;
import io.weir.algorithm.Rule;
import io.weir.algorithm.TokenBucket;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Finds out when an owner that did not answer does so again, off the way of any request.
 *
 * <p>A probe is a call like any other, to a bucket of its own in the partition of a call that failed: it is granted, written
 * and backed up, so that it also takes as long as one that waits for a backup. It goes out soon after the breaker has
 * opened, and then less and less often, up to once a second.
 *
 * <p>A member that lacks Weir's classes logs a stack trace or two for each call that reaches it, as an owner or as the backup of
 * one. It will not have them as long as it runs. So while there is one, probes become as rare as one in
 * {@link #LASTING_INTERVAL}, and begin anew when members come or go.
 *
 * <p>For one thread, except for the ends of calls and {@link #hurry}.
 */
final class Probes {

    private static final System.Logger LOG = System.getLogger(HazelcastStore.class.getName());

    private static final Duration FIRST_INTERVAL = Duration.ofMillis(100);
    private static final Duration LONGEST_INTERVAL = Duration.ofSeconds(1);

    /** The same while a member lacks Weir's classes. */
    static final Duration LASTING_INTERVAL = Duration.ofSeconds(30);

    /** No limit's name is empty, and so this is no key of any limit. */
    static final String PREFIX = ":probe-";

    /** Enough to find one of 271 partitions, and nearly always one of several thousand. */
    private static final int MOST_KEYS_TRIED = 20_000;

    private static final Rule RULE =
            new Rule(1, new TokenBucket(List.of(Bandwidth.of(1_000, 1_000, Duration.ofSeconds(1)))));

    private final Node node;
    private final Map<Breaker, Schedule> schedules = new HashMap<>();
    private volatile boolean hurried;

    private static final class Schedule {
        private @Nullable String key;
        private long nextNanos;
        private long intervalNanos = FIRST_INTERVAL.toNanos();

        private Schedule(long nowNanos) {
            this.nextNanos = nowNanos;
        }
    }

    Probes(Node node) {
        this.node = node;
    }

    /** Begins anew with frequent probes. */
    void hurry() {
        hurried = true;
    }

    /** Sends the probes that are due. */
    void send(List<Breakers.Open> open) {
        if (hurried) {
            hurried = false; // first: whoever hurries from now on is heard next time
            schedules.clear();
        }
        schedules.keySet().retainAll(open.stream().map(Breakers.Open::breaker).toList());
        long now = node.clock().nanoTime();
        boolean lasting = open.stream().anyMatch(each -> each.opening().worst().lasting());
        long longest = (lasting ? LASTING_INTERVAL : LONGEST_INTERVAL).toNanos();
        for (Breakers.Open each : open) {
            Schedule schedule = schedules.computeIfAbsent(each.breaker(), any -> new Schedule(now));
            if (now >= schedule.nextNanos) {
                schedule.nextNanos = now + schedule.intervalNanos;
                schedule.intervalNanos = Math.min(2 * schedule.intervalNanos, longest);
                try {
                    send(each, schedule);
                } catch (RuntimeException e) {
                    LOG.log(System.Logger.Level.DEBUG, "A probe could not be sent; the next one may be.", e);
                }
            }
        }
    }

    private void send(Breakers.Open open, Schedule schedule) {
        UUID owner = open.owner();
        if (owner == null) {
            if (node.to(open.opening().worst().key()).owner() != null) {
                node.breakers().close(open.breaker()); // its keys have an owner now
            }
            return;
        }
        OwnerCalls.Route route = schedule.key == null ? null : node.to(schedule.key);
        if (route == null || !owner.equals(route.owner())) { // the partition has moved, or this is the first probe
            schedule.key = keyOf(owner, open.opening().worst().key());
            route = schedule.key == null ? null : node.to(schedule.key);
        }
        if (route != null) {
            node.probe(route, RULE, open);
        }
    }

    /** A key of ours in the same partition as another or, if that is not the owner's any more, in any of the owner's. */
    private @Nullable String keyOf(UUID owner, String beside) {
        OwnerCalls.Route failed = node.to(beside);
        boolean moved = !owner.equals(failed.owner());
        for (int i = 0; i < MOST_KEYS_TRIED; i++) {
            OwnerCalls.Route route = node.to(PREFIX + i);
            if (owner.equals(route.owner()) && (moved || route.partition() == failed.partition())) {
                return PREFIX + i;
            }
        }
        return null; // it owns nothing any more, and so nobody asks it
    }
}
