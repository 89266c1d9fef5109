package io.weir.quota;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;

/** Time as an argument of a test. */
final class SettableClock implements InstantSource {

    private final AtomicReference<Instant> now;

    SettableClock(Instant now) {
        this.now = new AtomicReference<>(now);
    }

    @Override
    public Instant instant() {
        return Objects.requireNonNull(now.get());
    }

    void set(Instant instant) {
        now.set(instant);
    }

    void advance(Duration duration) {
        now.updateAndGet(instant -> instant.plus(duration));
    }
}
