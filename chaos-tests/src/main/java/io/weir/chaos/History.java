package io.weir.chaos;

import io.weir.store.Source;
import io.weir.store.contract.Grant;
import io.weir.store.contract.HistoryChecker;
import io.weir.store.contract.HistoryVerdict;
import io.weir.store.contract.HistoryVerdict.Excess;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * Grants of one limit, and whatever its failure policy answered, by all processes, as they are reported. Thread-safe.
 *
 * <p>What a policy grants without counting is no grant of the limit: nothing is promised of it.
 */
final class History {

    private final List<Outcome> outcomes = new ArrayList<>();

    synchronized void add(Outcome outcome) {
        outcomes.add(outcome);
    }

    /** In the order in which they were reported. */
    synchronized List<Outcome> outcomes() {
        return List.copyOf(outcomes);
    }

    List<Grant> grants() {
        return counted().stream().map(Outcome::grant).toList();
    }

    long permits() {
        return counted().stream().mapToLong(Outcome::permits).sum();
    }

    /** Of one key. */
    long permits(String key) {
        return counted().stream()
                .filter(each -> each.key().equals(key))
                .mapToLong(Outcome::permits)
                .sum();
    }

    /** When the failure policy answered last, by {@link System#nanoTime}; long ago if it never did. */
    synchronized long lastOutage() {
        for (int i = outcomes.size() - 1; i >= 0; i--) {
            if (outcomes.get(i).isByPolicy()) {
                return outcomes.get(i).endNanos();
            }
        }
        return Long.MIN_VALUE;
    }

    /** The longest time in which nothing was granted, between the first grant and the last. */
    Duration stall() {
        long[] ends = counted().stream().mapToLong(Outcome::endNanos).sorted().toArray();
        long longest = 0;
        for (int i = 1; i < ends.length; i++) {
            longest = Math.max(longest, ends[i] - ends[i - 1]);
        }
        return Duration.ofNanos(longest);
    }

    /** Holds each key's grants against a bound: the worst of all keys. */
    HistoryVerdict judge(HistoryChecker bound) {
        Map<String, List<Grant>> byKey = counted().stream()
                .collect(Collectors.groupingBy(Outcome::key, Collectors.mapping(Outcome::grant, Collectors.toList())));
        return byKey.values().stream()
                .map(bound::check)
                .max(Comparator.<HistoryVerdict>comparingLong(History::excess).thenComparing(HistoryVerdict::permits))
                .orElseGet(() -> bound.check(List.of()));
    }

    /** The same, and prints a line of it. */
    HistoryVerdict judge(String name, HistoryChecker bound) {
        HistoryVerdict verdict = judge(bound);
        System.out.printf(
                "%s: bound %s, granted %d, excess %d, stall %d ms%n",
                name, bound, verdict.permits(), excess(verdict), stall().toMillis());
        return verdict;
    }

    static long excess(HistoryVerdict verdict) {
        return verdict.greatestExcess().map(Excess::permits).orElse(0L);
    }

    private List<Outcome> counted() {
        return outcomes().stream()
                .filter(each -> each.granted() && each.source() != Source.POLICY)
                .toList();
    }
}
