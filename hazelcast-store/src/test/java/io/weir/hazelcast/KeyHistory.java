package io.weir.hazelcast;

import io.weir.algorithm.Bandwidth;
import io.weir.algorithm.Rule;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/**
 * What became of one key: which calls were executed, what was granted, and what happened that allows for more.
 *
 * <p>I1 is asked of instants, and each grant has one inside of its call's span: what the owner granted counts when the
 * processor decided it; what a node granted from a lease counts when the node answered, since it was debited before, so
 * that at every instant what is available and what is lent are together no more than the capacity; what was given back
 * counts when the owner took it. If the instants chosen keep the bound, the callers cannot tell that it was not kept.
 */
final class KeyHistory {

    private record Executed(UUID node, long number, long version) {}

    private record Moved(long permits, long atNanos, long order) {}

    private record Ruled(Rule rule, long sinceOrder, long lent) {}

    private final List<Executed> executed = new ArrayList<>();
    private final List<Moved> moved = new ArrayList<>();
    private final List<Ruled> ruled = new ArrayList<>();
    private long losses;
    private long returned;
    private long steppedNanos;

    /** Notes that a call was executed, and says what is wrong with that. */
    Optional<String> execute(SimulatedWire.Said call, long version) {
        for (Executed each : executed) {
            if (each.node().equals(call.node()) && each.number() >= call.number()) {
                return Optional.of(
                        each.number() == call.number()
                                ? "was executed twice"
                                : "was executed after the later call " + each.number());
            }
        }
        executed.removeIf(each -> each.node().equals(call.node()) && each.number() < call.number() - 50);
        executed.add(new Executed(call.node(), call.number(), version));
        return Optional.empty();
    }

    /** What came after a write has not happened. */
    void rollBack(long version, boolean lossy) {
        executed.removeIf(each -> each.version() > version);
        losses += lossy ? 1 : 0;
    }

    /** A node has given back what was lent to it. */
    void returned(long permits) {
        returned += permits;
    }

    void clockStepped(long nanos) {
        steppedNanos += Math.abs(nanos);
    }

    /**
     * A bucket was written under a rule.
     *
     * @param lent what was out at that moment: a lowered limit may still see all of it spent
     */
    void ruledBy(Rule rule, long order, long lent) {
        if (ruled.isEmpty() || !ruled.get(ruled.size() - 1).rule().equals(rule)) {
            ruled.add(new Ruled(rule, order, lent));
        }
    }

    /**
     * Permits were granted or, if they are negative, given back.
     *
     * @param order of this among all decisions on all keys, which is also that of their instants
     */
    void granted(long permits, long atNanos, long order) {
        moved.add(new Moved(permits, atNanos, order));
    }

    /** Checks I1 for one bandwidth: over all time, and under each rule alone. */
    Optional<String> check(List<Rule> rules, int bandwidth) {
        moved.sort(Comparator.comparingLong(Moved::order));
        Optional<String> problem = check(
                widest(rules, bandwidth),
                bandwidth,
                (worthOfReturned(rules, bandwidth) - 1) * returned,
                worthOfReturned(rules, bandwidth),
                Long.MIN_VALUE,
                Long.MAX_VALUE);
        for (int i = 0; ruled.size() > 1 && i < ruled.size() && problem.isEmpty(); i++) {
            long until = i + 1 < ruled.size() ? ruled.get(i + 1).sinceOrder() : Long.MAX_VALUE;
            Bandwidth alone = ruled.get(i).rule().algorithm().bandwidths().get(bandwidth);
            long more = Math.max(0, ruled.get(i).lent() - alone.capacity());
            problem = check(alone, bandwidth, more, 1, ruled.get(i).sinceOrder(), until);
        }
        return problem;
    }

    private Optional<String> check(
            Bandwidth bandwidth, int index, long more, long worthOfReturned, long fromOrder, long untilOrder) {
        Bound bound = new Bound(bandwidth, more + losses * bandwidth.capacity(), steppedNanos);
        for (Moved each : moved) {
            if (each.order() >= fromOrder && each.order() < untilOrder) {
                long permits = each.permits() < 0 ? worthOfReturned * each.permits() : each.permits();
                Optional<String> problem = bound.take(permits, each.atNanos());
                if (problem.isPresent()) {
                    return problem.map(text -> "bandwidth " + index + ": " + text);
                }
            }
        }
        return Optional.empty();
    }

    /**
     * What no order of rules exceeds. A change carries over the part that is left, so that a bucket may be refilled under
     * the rule that fills it soonest and emptied under the one with the largest capacity.
     */
    private static Bandwidth widest(List<Rule> rules, int index) {
        List<Bandwidth> all = all(rules, index);
        long capacity = all.stream().mapToLong(Bandwidth::capacity).max().orElseThrow();
        Duration period = all.get(0).period();
        long refill = all.stream()
                .mapToLong(each -> (capacity * each.refill() + each.capacity() - 1) / each.capacity())
                .max()
                .orElseThrow();
        return Bandwidth.of(capacity, refill, period);
    }

    /** What is given back under a small capacity is a larger part of it, and is more under a larger one. */
    private static long worthOfReturned(List<Rule> rules, int index) {
        List<Bandwidth> all = all(rules, index);
        long most = all.stream().mapToLong(Bandwidth::capacity).max().orElseThrow();
        long least = all.stream().mapToLong(Bandwidth::capacity).min().orElseThrow();
        return (most + least - 1) / least;
    }

    private static List<Bandwidth> all(List<Rule> rules, int index) {
        return rules.stream()
                .map(rule -> rule.algorithm().bandwidths().get(index))
                .toList();
    }
}
