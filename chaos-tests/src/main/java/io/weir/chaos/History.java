package io.weir.chaos;

import io.weir.store.contract.Grant;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Grants of one key, by all processes, as they are reported. Thread-safe. */
final class History {

    private final List<Grant> grants = new ArrayList<>();

    synchronized void add(Grant grant) {
        grants.add(grant);
    }

    /** In the order in which they were reported. */
    synchronized List<Grant> grants() {
        return List.copyOf(grants);
    }

    long permits() {
        return grants().stream().mapToLong(Grant::permits).sum();
    }

    /** The longest time in which nothing was granted, between the first grant and the last. */
    Duration stall() {
        long[] ends = grants().stream().mapToLong(Grant::endNanos).sorted().toArray();
        long longest = 0;
        for (int i = 1; i < ends.length; i++) {
            longest = Math.max(longest, ends[i] - ends[i - 1]);
        }
        return Duration.ofNanos(longest);
    }
}
