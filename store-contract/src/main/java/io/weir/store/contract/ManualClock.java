package io.weir.store.contract;

import io.weir.store.NanoClock;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A clock that stands still until a test moves it: by a nanosecond, ahead by years, or back. Thread-safe.
 *
 * <p>It starts at an instant in 2027, counted from 1970 like the wall clocks that cluster stores go by.
 */
public final class ManualClock implements NanoClock {

    private final AtomicLong nowNanos = new AtomicLong(Duration.ofHours(500_000).toNanos());

    /** A clock at its start. */
    public ManualClock() {}

    @Override
    public long nanoTime() {
        return nowNanos.get();
    }

    /**
     * Moves this clock.
     *
     * @param by how far; negative moves it back
     * @throws ArithmeticException if the instant would not fit a long; the clock is not moved then
     */
    public void move(Duration by) {
        nowNanos.accumulateAndGet(by.toNanos(), Math::addExact);
    }
}
