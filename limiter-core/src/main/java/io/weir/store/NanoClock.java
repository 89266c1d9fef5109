package io.weir.store;

/** A source of instants, in nanoseconds on a time line of its own. */
@FunctionalInterface
public interface NanoClock {

    /** The instant now. Instants of different clocks have nothing to do with one another. */
    long nanoTime();

    /** A clock that starts near zero and that no change of the system's date moves. */
    static NanoClock monotonic() {
        long origin = System.nanoTime();
        return () -> System.nanoTime() - origin;
    }

    /**
     * This machine's date: nanoseconds since 1970, in steps of a millisecond, that somebody may set back. For what people set and
     * read, never for a decision.
     */
    static NanoClock wall() {
        return () -> System.currentTimeMillis() * 1_000_000;
    }
}
