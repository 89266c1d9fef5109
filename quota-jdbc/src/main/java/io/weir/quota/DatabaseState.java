package io.weir.quota;

import io.weir.quota.LedgerHealth.State;
import io.weir.store.NanoClock;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** How the last steps found the database, and since when. Thread-safe. */
final class DatabaseState {

    private record Found(
            State state, long sinceNanos, @Nullable String why) {}

    private final NanoClock nanoClock;
    private volatile Found found;

    DatabaseState(NanoClock nanoClock) {
        this.nanoClock = nanoClock;
        this.found = new Found(State.EXACT, nanoClock.nanoTime(), null);
    }

    /** Whether that is news. What lasts keeps its beginning, and the reason that it began with. */
    boolean is(State state, @Nullable String why) {
        return found.state() != state && becomes(state, why);
    }

    private synchronized boolean becomes(State state, @Nullable String why) {
        if (found.state() == state) {
            return false;
        }
        found = new Found(state, nanoClock.nanoTime(), why);
        return true;
    }

    LedgerHealth health() {
        Found now = found;
        return new LedgerHealth(now.state(), Duration.ofNanos(nanoClock.nanoTime() - now.sinceNanos()), now.why());
    }
}
