package io.weir.guard;

import io.weir.Meters;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.IntSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Turns work away while this node has too much of it: by how much is in flight, by how long a queue of the application's is, or by
 * both. All work counts alike; there are no priorities.
 *
 * <pre>{@code
 * LoadShedder shedder = LoadShedder.named("http").inFlight(200).queue(executor.getQueue()::size, 1000).build();
 *
 * try (Slot slot = shedder.tryEnter()) {
 *     if (slot.entered()) { ... }
 * }
 * }</pre>
 *
 * <p>It counts on this node alone. Thread-safe; never waits; what it turns away costs no object.
 */
public final class LoadShedder {

    private static final System.Logger LOG = System.getLogger(LoadShedder.class.getName());

    private final String name;
    private final Places places;
    private final Slot.Home home;
    private final @Nullable IntSupplier queued;
    private final int mostQueued;
    private final Duration retryAfter;
    private final AtomicBoolean spokenOf = new AtomicBoolean();

    /** Held, since a registry may hold what it reads weakly. */
    private final @Nullable Meters meters;

    private LoadShedder(Builder builder) {
        this.name = builder.name;
        this.places = new Places(builder.inFlight);
        this.home = key -> places.leave();
        this.queued = builder.queued;
        this.mostQueued = builder.mostQueued;
        this.retryAfter = builder.retryAfter;
        this.meters = builder.meters;
        if (meters != null) {
            meters.guard(name, places::taken, places::refused);
        }
    }

    /**
     * Begins a load shedder.
     *
     * @param name 1 to 64 of {@code A-Z a-z 0-9 . _ -}: it appears in metrics
     * @throws IllegalArgumentException if the name is not one
     */
    public static Builder named(String name) {
        return new Builder(name);
    }

    /** Lets a piece of work in, or not. What was let in counts as in flight until its slot is closed. */
    public Slot tryEnter() {
        return isQueueTooLong() || !places.enter() ? places.refuse() : Slot.in(home, "");
    }

    private boolean isQueueTooLong() {
        if (queued == null) {
            return false;
        }
        try {
            return queued.getAsInt() > mostQueued;
        } catch (RuntimeException e) { // a gauge that is broken must not turn everybody away
            if (spokenOf.compareAndSet(false, true)) {
                LOG.log(
                        System.Logger.Level.ERROR,
                        "The queue of load shedder \"" + name
                                + "\" could not be read, and counts as short; this is not said" + " again.",
                        e);
            }
            return false;
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

    /** How much is in flight now. */
    public int inFlight() {
        return places.taken();
    }

    /** How much has been turned away since it was made. */
    public long shed() {
        return places.refused();
    }

    @Override
    public String toString() {
        return "LoadShedder[" + name + ", " + inFlight() + " of " + places.most() + " in flight]";
    }

    /** Collects what a {@link LoadShedder} goes by. Not thread-safe. */
    public static final class Builder {
        private final String name;
        private int inFlight = Integer.MAX_VALUE;
        private @Nullable IntSupplier queued;
        private int mostQueued;
        private Duration retryAfter = Places.RETRY_AFTER;
        private @Nullable Meters meters;

        private Builder(String name) {
            this.name = Places.requireName(name);
        }

        /**
         * How much may be in flight at once; as much as there is if not called.
         *
         * @param most 1 or more
         * @throws IllegalArgumentException if it is less than 1
         */
        public Builder inFlight(int most) {
            this.inFlight = Places.requirePositive("inFlight", name, most);
            return this;
        }

        /**
         * How long a queue may be; work is turned away while it is longer.
         *
         * @param depth read for each piece of work, on the thread that brings it: it must be fast and thread-safe. If it throws,
         *     the queue counts as short, which is logged once
         * @param most zero or more
         * @throws IllegalArgumentException if {@code most} is negative
         */
        public Builder queue(IntSupplier depth, int most) {
            if (most < 0) {
                throw new IllegalArgumentException(
                        "queue of guard \"" + name + "\" must be allowed zero or more but " + most + " is given");
            }
            this.queued = Objects.requireNonNull(depth, "depth");
            this.mostQueued = most;
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

        /**
         * The load shedder.
         *
         * @throws IllegalArgumentException if neither {@link #inFlight} nor {@link #queue} was called: it would never shed
         */
        public LoadShedder build() {
            if (inFlight == Integer.MAX_VALUE && queued == null) {
                throw new IllegalArgumentException(
                        "load shedder \"" + name
                                + "\" has nothing to go by: say how much may be in flight with .inFlight(n), or queued with .queue(..)");
            }
            return new LoadShedder(this);
        }
    }
}
