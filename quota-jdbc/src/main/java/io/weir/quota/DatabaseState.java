package io.weir.quota;

import io.weir.quota.LedgerHealth.State;
import io.weir.store.NanoClock;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** How the last steps found the database, and since when. Thread-safe. */
final class DatabaseState {

    private record Found(
            State state, long sinceNanos, @Nullable String why) {}

    private final NanoClock nanoClock;
    private final AtomicReference<Found> found;

    DatabaseState(NanoClock nanoClock) {
        this.nanoClock = nanoClock;
        this.found = new AtomicReference<>(new Found(State.EXACT, nanoClock.nanoTime(), null));
    }

    /** Whether that is news. What lasts keeps its beginning, and the reason that it began with. */
    boolean is(State state, @Nullable String why) {
        Found before = Objects.requireNonNull(found.get());
        return before.state() != state && found.compareAndSet(before, new Found(state, nanoClock.nanoTime(), why));
    }

    LedgerHealth health() {
        Found now = Objects.requireNonNull(found.get());
        return new LedgerHealth(now.state(), Duration.ofNanos(nanoClock.nanoTime() - now.sinceNanos()), now.why());
    }
}
