package io.weir;

import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.function.Consumer;

/**
 * Tells a listener of each limit whose state has changed. Thread-safe.
 *
 * <p>What the listener is too slow for is told once, as it stands by then: at most one change of each limit waits.
 */
final class Announcements implements AutoCloseable {

    private static final String OF = "changes of limits";

    /** Of every limit: there are only so many. */
    private static final int MOST_WAITING = Integer.MAX_VALUE;

    private final Telling<LimitHealth> telling;

    /** Guarded by this. */
    private final Map<String, LimitHealth.State> seen = new HashMap<>();

    /** On a daemon thread that ends while there is nothing to tell. */
    static Announcements to(Consumer<LimitHealth> listener) {
        return new Announcements(Telling.to("weir-listener", OF, listener, MOST_WAITING));
    }

    /** @param thread runs one task at a time */
    Announcements(Consumer<LimitHealth> listener, Executor thread) {
        this(new Telling<>(OF, listener, thread, MOST_WAITING));
    }

    private Announcements(Telling<LimitHealth> telling) {
        this.telling = telling;
    }

    /** Looks at a limit, and has the listener told if its state is another than before; every limit is exact at first. */
    synchronized void look(LimitHealth health) {
        LimitHealth.State before = seen.put(health.limit(), health.state());
        if (health.state() != (before == null ? LimitHealth.State.EXACT : before)) {
            telling.tell(health.limit(), health);
        }
    }

    /** Tells nothing more, except what is being told. */
    @Override
    public void close() {
        telling.close();
    }
}
