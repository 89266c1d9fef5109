package io.weir.guard;

import io.weir.Meters;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Lets at most so many calls of one kind run at once <em>on this node</em>: n nodes let n times as many run. For all of them together,
 * and if need be for each key.
 *
 * <pre>{@code
 * NodeConcurrencyGuard reports = NodeConcurrencyGuard.named("reports", 20).perKey(2).build();
 *
 * try (Slot slot = reports.tryEnter(tenant)) {
 *     if (slot.entered()) { ... }
 * }
 *
 * CompletionStage<Report> report = reports.callAsync(tenant, () -> service.report(tenant));
 * }</pre>
 *
 * <p>It keeps the keys of calls that run, and no others, and so no more keys than calls may run and threads may ask. Thread-safe; never
 * waits.
 */
public final class NodeConcurrencyGuard {

    private static final String NO_KEY = "";

    private final String name;
    private final Places places;
    private final Slot.Home home = this::leave;
    private final int perKey;
    private final Duration retryAfter;

    /** How many calls run for each key; without a key that has none, and empty if keys are not told apart. */
    private final ConcurrentHashMap<String, Integer> running = new ConcurrentHashMap<>();

    /** Held, since a registry may hold what it reads weakly. */
    private final @Nullable Meters meters;

    private NodeConcurrencyGuard(Builder builder) {
        this.name = builder.name;
        this.places = new Places(builder.calls);
        this.perKey = builder.perKey;
        this.retryAfter = builder.retryAfter;
        this.meters = builder.meters;
        if (meters != null) {
            meters.guard(name, places::taken, places::refused);
        }
    }

    /**
     * Begins a guard.
     *
     * @param name 1 to 64 of {@code A-Z a-z 0-9 . _ -}: it appears in metrics
     * @param calls how many may run at once on this node, 1 or more
     * @throws IllegalArgumentException if either is out of range
     */
    public static Builder named(String name, int calls) {
        return new Builder(name, calls);
    }

    /** {@link #tryEnter(String)} for a guard that does not tell keys apart; in another, for the empty key. */
    public Slot tryEnter() {
        return tryEnter(NO_KEY);
    }

    /**
     * Lets a call in, or not. It counts as running until its slot is closed.
     *
     * @param key who calls; of no account unless there is a bound {@linkplain Builder#perKey for each key}
     */
    public Slot tryEnter(String key) {
        Objects.requireNonNull(key, "key must not be null: choose what a call without a key counts as");
        // The key first: a flood of one key then never takes a place, not even for a moment, that another key could
        // have.
        if (!enterKey(key)) {
            return places.refuse();
        }
        if (!places.enter()) {
            leaveKey(key);
            return places.refuse();
        }
        return Slot.in(home, key);
    }

    /**
     * Calls {@code work} if there is room for it.
     *
     * @throws NodeBusyException if there is none
     * @throws Exception what {@code work} throws
     */
    public <T extends @Nullable Object> T call(String key, Callable<T> work) throws Exception {
        try (Slot slot = tryEnter(key)) {
            if (!slot.entered()) {
                throw new NodeBusyException(name, retryAfter);
            }
            return work.call();
        }
    }

    /**
     * Calls {@code work} if there is room for it. It counts as running until the stage that it gives completes, whatever becomes of the
     * one that is returned here.
     *
     * @return as what {@code work} gives; failed with a {@link NodeBusyException} if there is no room
     */
    public <T extends @Nullable Object> CompletionStage<T> callAsync(
            String key, Supplier<? extends CompletionStage<T>> work) {
        Slot slot = tryEnter(key);
        if (!slot.entered()) {
            return CompletableFuture.failedFuture(new NodeBusyException(name, retryAfter));
        }
        boolean begun = false;
        try {
            // Not a stage that depends on the work's: one that its caller cancels would not hear of the work's end.
            CompletableFuture<T> returned = new CompletableFuture<>();
            work.get().whenComplete((result, failure) -> {
                slot.close(); // first: who was told that it is done may call again at once
                if (failure == null) {
                    returned.complete(result);
                } else {
                    returned.completeExceptionally(failure);
                }
            });
            begun = true;
            return returned;
        } finally {
            if (!begun) { // it threw instead, which its caller hears of
                slot.close();
            }
        }
    }

    private void leave(String key) {
        places.leave();
        leaveKey(key);
    }

    private boolean enterKey(String key) {
        if (perKey == places.most()) {
            return true;
        }
        while (true) {
            Integer now = running.get(key);
            if (now == null) {
                if (running.putIfAbsent(key, 1) == null) {
                    return true;
                }
            } else if (now >= perKey) {
                return false;
            } else if (running.replace(key, now, now + 1)) {
                return true;
            }
        }
    }

    private void leaveKey(String key) {
        if (perKey < places.most()) {
            running.computeIfPresent(key, (same, now) -> now == 1 ? null : now - 1);
        }
    }

    /** What it is called. */
    public String name() {
        return name;
    }

    /** After how long those that are turned away should come back. */
    public Duration retryAfter() {
        return retryAfter;
    }

    /** How many calls run now. */
    public int inFlight() {
        return places.taken();
    }

    /** How many calls were turned away since it was made. */
    public long shed() {
        return places.refused();
    }

    /** For tests: how many keys are kept. */
    int keys() {
        return running.size();
    }

    @Override
    public String toString() {
        return "NodeConcurrencyGuard[" + name + ", " + inFlight() + " of " + places.most() + " run]";
    }

    /** Collects what a {@link NodeConcurrencyGuard} goes by. Not thread-safe. */
    public static final class Builder {
        private final String name;
        private final int calls;
        private int perKey;
        private Duration retryAfter = Places.RETRY_AFTER;
        private @Nullable Meters meters;

        private Builder(String name, int calls) {
            this.name = Places.requireName(name);
            this.calls = Places.requirePositive("calls", name, calls);
            this.perKey = calls;
        }

        /**
         * How many calls may run at once for each key; as many as for all together if not called.
         *
         * @param most 1 or more, and no more than for all together
         * @throws IllegalArgumentException if it is out of range
         */
        public Builder perKey(int most) {
            this.perKey = Places.requirePositive("perKey", name, most);
            if (most > calls) {
                throw new IllegalArgumentException("perKey of guard \"" + name + "\" must be at most " + calls
                        + ", as many as may run for all keys together, but is " + most);
            }
            return this;
        }

        /**
         * After how long those that are turned away should come back; 5 seconds if not called.
         *
         * @param value more than zero, at most a day
         * @throws IllegalArgumentException if it is out of range
         */
        public Builder retryAfter(Duration value) {
            this.retryAfter = Places.requireRetryAfter(name, value);
            return this;
        }

        /** Reports to {@code value}, by {@link Meters#guard}; nothing is metered if not called. */
        public Builder meters(Meters value) {
            this.meters = Objects.requireNonNull(value, "meters");
            return this;
        }

        /** The guard. */
        public NodeConcurrencyGuard build() {
            return new NodeConcurrencyGuard(this);
        }
    }
}
