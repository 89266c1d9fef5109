package io.weir.chaos;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/** Waits in real time: for something, and not for ever. */
final class Waits {

    private static final Duration POLL = Duration.ofMillis(50);

    private Waits() {}

    /**
     * Polls until something is so.
     *
     * @param what to be said if it does not become so
     * @throws IllegalStateException if it is not so after {@code longest}
     */
    static void until(String what, Duration longest, BooleanSupplier isSo) {
        long began = System.nanoTime();
        while (!isSo.getAsBoolean()) {
            if (System.nanoTime() - began > longest.toNanos()) {
                throw new IllegalStateException("not within " + longest + ": " + what);
            }
            pause(POLL);
        }
    }

    /** Lets a fault or a load go on for a while. */
    static void pause(Duration length) {
        try {
            TimeUnit.NANOSECONDS.sleep(length.toNanos());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while waiting", e);
        }
    }
}
