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
}
