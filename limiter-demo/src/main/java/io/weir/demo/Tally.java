package io.weir.demo;

import io.weir.store.contract.Grant;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.List;

/** What came back from each member, and when. Instants are the launcher's, in nanoseconds. Thread-safe. */
final class Tally {

    /** A demo can run for days. The newest grants are enough to judge: any span of a history has to keep the bound. */
    private static final int MAX_GRANTS = 200_000;

    private final List<Counts> counts = new ArrayList<>(Collections.nCopies(Settings.MEMBERS, Counts.NONE));
    private final Deque<Grant> grants = new ArrayDeque<>();
    private long firstStartNanos;
    private long lastEndNanos;

    /**
     * Adds one request.
     *
     * @param member from 1 on
     */
    synchronized void add(int member, Outcome outcome, long startNanos, long endNanos) {
        boolean first = Counts.sum(counts).asked() == 0;
        firstStartNanos = first ? startNanos : Math.min(firstStartNanos, startNanos);
        lastEndNanos = first ? endNanos : Math.max(lastEndNanos, endNanos);
        counts.set(member - 1, counts.get(member - 1).plus(outcome));
        if (outcome == Outcome.GRANTED) {
            if (grants.size() == MAX_GRANTS) {
                grants.remove();
            }
            grants.add(new Grant(startNanos, endNanos, 1));
        }
    }

    /** The counts of each member so far. */
    synchronized List<Counts> counts() {
        return List.copyOf(counts);
    }

    /** The newest grants. */
    synchronized List<Grant> grants() {
        return List.copyOf(grants);
    }

    /** From the first request to the last answer. */
    synchronized Duration span() {
        return Duration.ofNanos(lastEndNanos - firstStartNanos);
    }
}
