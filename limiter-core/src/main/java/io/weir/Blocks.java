package io.weir;

import io.weir.store.StoredKey;
import java.time.Duration;
import java.util.concurrent.ConcurrentHashMap;

/** Keys that are denied for a while. Thread-safe; asked on the way of every request, and costs next to nothing while there are none. */
final class Blocks {

    private static final Duration TENDING_INTERVAL = Duration.ofSeconds(1);

    private final ConcurrentHashMap<String, Long> endsNanos = new ConcurrentHashMap<>();
    private long tendedNanos; // touched by who tends

    /**
     * Blocks a key, whatever was said of it before.
     *
     * @param storedKey as {@link StoredKey#wellFormed} has it
     * @param endNanos until when
     */
    void block(String storedKey, long endNanos) {
        endsNanos.put(storedKey, endNanos);
    }

    void unblock(String storedKey) {
        endsNanos.remove(storedKey);
    }

    boolean isEmpty() {
        return endsNanos.isEmpty();
    }

    /** For how long a key is still blocked; zero if it is not. */
    long leftNanos(String storedKey, long nowNanos) {
        Long end = endsNanos.get(storedKey);
        return end == null ? 0 : Math.max(0, end - nowNanos);
    }

    /** Drops those that are over; not more often than makes sense. For one thread. */
    void tend(long nowNanos) {
        if (!endsNanos.isEmpty() && nowNanos - tendedNanos >= TENDING_INTERVAL.toNanos()) {
            tendedNanos = nowNanos;
            endsNanos.values().removeIf(end -> end - nowNanos <= 0);
        }
    }
}
