package io.weir.store;

import java.time.Duration;
import java.util.Collection;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * The {@linkplain Directive directives} that all nodes of a store go by: one table, small and bounded, of which each node has a
 * copy. Thread-safe.
 *
 * <p>Reading is from memory and asks nobody. A node that cannot reach the table goes on with what it knows.
 */
public interface Directives {

    /** As many directives as a table holds, those included that were withdrawn and are remembered. */
    int MOST = 10_000;

    /** As many of them as may be definitions: each is a limit on every node, with meters of its own. */
    int MOST_DEFINITIONS = 1_000;

    /** As many of them as may be penalties: half, so that no attack with many keys takes the room that operators need. */
    int MOST_PENALTIES = MOST / 2;

    /** For how long at least it is remembered that a directive was withdrawn. */
    Duration REMEMBERED = Duration.ofHours(24);

    /** What became of a directive that was published. */
    enum Outcome {
        /** It is in force, or was already. */
        ACCEPTED,
        /** There is one of the same id with the same or a higher version, which stays. */
        CONFLICT,
        /**
         * There are {@link #MOST} directives, {@link #MOST_DEFINITIONS} definitions or {@link #MOST_PENALTIES} penalties, none of which
         * can go.
         */
        FULL
    }

    /** Is told of directives. */
    @FunctionalInterface
    interface Listener {
        /**
         * Of one that is new, or changed, or withdrawn. Not told of blocks that end.
         *
         * @param directive as it is now
         * @return false to be told nothing more
         */
        boolean changed(Directive directive);

        /**
         * What was said of a thing is not remembered any more: a withdrawal that is old.
         *
         * @param id of which nothing is known now
         */
        default void forgotten(Directive.Id id) {}
    }

    /**
     * Puts a directive into the table, if its version is above that of the one with its id. The same one again changes
     * nothing.
     *
     * @return completes once the table has it and this node knows of it; exceptionally, with a
     *     {@link StoreUnavailableException}, if that could not be had within seconds. It may be in the table then: publish it again to know
     */
    CompletableFuture<Outcome> publish(Directive directive);

    /** The one with an id, as this node knows it; also if it was withdrawn or has ended. */
    Optional<Directive> find(Directive.Id id);

    /** All that this node knows of, also those that were withdrawn or have ended; in no order. */
    Collection<Directive> all();

    /**
     * Has {@code listener} told of all directives there are, before this returns, and then of each change. Changes are told by one thread at
     * a time, in their order, and never by one that the store needs for its answers.
     */
    void listen(Listener listener);

    /** The time by which directives are set and end, in milliseconds since 1970, as well as this node knows it. */
    long nowMillis();

    /** For how long this node has not heard of the table; zero if it is up to date. */
    Duration behind();

    /** A table of this JVM alone. */
    static Directives local() {
        return local(NanoClock.wall());
    }

    /**
     * A table of this JVM alone.
     *
     * @param clock nanoseconds since 1970
     */
    static Directives local(NanoClock clock) {
        return new LocalDirectives(clock);
    }
}
