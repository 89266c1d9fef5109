package io.weir.hazelcast;

import io.weir.store.NanoClock;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Locale;
import java.util.function.Supplier;

/** What happened last in a simulation, in words; and the first thing that should not have happened. */
final class Trace {

    private static final int KEPT = Integer.getInteger("weir.simulation.trace", 120);

    private final NanoClock clock;
    private final boolean on;
    private final Deque<String> lines = new ArrayDeque<>();
    private String violation = "";

    /**
     * @param clock the true time
     * @param on whether to remember: texts cost more than what they are about
     */
    Trace(NanoClock clock, boolean on) {
        this.clock = clock;
        this.on = on;
    }

    void add(Supplier<String> what) {
        if (on && violation.isEmpty()) {
            if (lines.size() == KEPT) {
                lines.removeFirst();
            }
            lines.addLast(line(what.get()));
        }
    }

    /** Notes a violation. Only the first counts: what comes after may be its consequence. */
    void violated(Supplier<String> what) {
        if (violation.isEmpty()) {
            add(() -> "VIOLATION " + what.get());
            violation = line(what.get());
        }
    }

    boolean isViolated() {
        return !violation.isEmpty();
    }

    /** Empty if there is none. */
    String violation() {
        return violation;
    }

    String lines() {
        return String.join("\n", lines);
    }

    private String line(String what) {
        return String.format(Locale.ROOT, "%14.6f ms  %s", clock.nanoTime() / 1e6, what);
    }
}
