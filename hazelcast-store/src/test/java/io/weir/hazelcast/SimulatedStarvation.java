package io.weir.hazelcast;

import io.weir.algorithm.Bandwidth;
import io.weir.algorithm.Request;
import io.weir.algorithm.Rule;
import java.time.Duration;
import java.util.List;

/**
 * A request for the whole capacity of a key that others lease, and go on asking for moderately: what they hold is asked back,
 * and it is granted about a lease's life and a refill later (L16).
 */
final class SimulatedStarvation {

    private static final long MILLI = Duration.ofMillis(1).toNanos();
    private static final long BETWEEN_REQUESTS = 60 * MILLI;
    private static final long BETWEEN_TRIES = 100 * MILLI;
    private static final long PATIENCE = 400 * MILLI;
    private static final int ASKING = 2;

    /** Beyond what it must take: what the messages take, and tries that come just too early. */
    private static final long SLACK = 500 * MILLI;

    private final Timeline timeline;
    private final Trace trace;
    private final List<SimulatedNode> others;
    private final SimulatedNode starving;
    private final String key;
    private final Rule rule;

    SimulatedStarvation(
            Simulation.World world, List<SimulatedNode> nodes, SimulatedNode starving, String key, Rule rule) {
        this.timeline = world.timeline();
        this.trace = world.trace();
        this.others =
                nodes.stream().filter(node -> !node.isGone()).limit(ASKING).toList();
        this.starving = starving;
        this.key = key;
        this.rule = rule;
    }

    /** Whether a rule lends to so few, and refills in between what they ask for. */
    static boolean isPossibleUnder(Rule rule) {
        return rule.algorithm().bandwidths().stream().allMatch(SimulatedStarvation::isPossibleUnder);
    }

    private static boolean isPossibleUnder(Bandwidth bandwidth) {
        return bandwidth.capacity() >= 100
                && bandwidth.window().compareTo(Duration.ofSeconds(5)) <= 0
                && 2 * askedInWindow(bandwidth) <= bandwidth.capacity();
    }

    private static long askedInWindow(Bandwidth bandwidth) {
        return ASKING * bandwidth.window().toNanos() / BETWEEN_REQUESTS;
    }

    /** How long an empty bucket takes to fill while the others go on asking. */
    private static long refillNanos(Bandwidth bandwidth) {
        long left = bandwidth.capacity() - askedInWindow(bandwidth);
        return bandwidth.window().toNanos() / left * bandwidth.capacity();
    }

    void play() {
        long refill = rule.algorithm().bandwidths().stream()
                .mapToLong(SimulatedStarvation::refillNanos)
                .max()
                .orElseThrow();
        long lease = HeldLease.TTL.plus(Settlement.MARGIN).toNanos();
        long begin = timeline.nanoTime() + 2 * lease;
        long end = begin + lease + refill + SLACK;
        for (int i = 0; i < others.size(); i++) {
            goOnAsking(others.get(i), timeline.nanoTime() + i * BETWEEN_REQUESTS / ASKING, end);
        }
        timeline.at(begin, () -> tryAgain(end));
        timeline.runUntil(end + PATIENCE);
        long capacity = rule.algorithm().smallestCapacity();
        if (starving.granted() < capacity) {
            trace.violated(
                    () -> starving + " did not get " + capacity + " of " + key + " while others leased it (L16)");
        }
    }

    private void goOnAsking(SimulatedNode node, long atNanos, long endNanos) {
        if (atNanos < endNanos) {
            timeline.at(atNanos, () -> {
                node.ask(key, List.of(new Request.Take(1)), PATIENCE);
                goOnAsking(node, atNanos + BETWEEN_REQUESTS, endNanos);
            });
        }
    }

    private void tryAgain(long endNanos) {
        if (starving.granted() == 0 && timeline.nanoTime() < endNanos) {
            starving.ask(key, List.of(new Request.Take(rule.algorithm().smallestCapacity())), PATIENCE);
            timeline.after(BETWEEN_TRIES, () -> tryAgain(endNanos));
        }
    }
}
