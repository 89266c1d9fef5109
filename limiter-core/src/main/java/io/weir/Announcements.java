package io.weir;

import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Tells a listener of each limit whose state has changed. Thread-safe.
 *
 * <p>The listener has a thread of its own and is told by nobody else, so that it may take its time. What it is too slow for
 * is told once, as it stands by then: at most one change of each limit waits.
 */
final class Announcements implements AutoCloseable {

    private static final System.Logger LOG = System.getLogger(Limiter.class.getName());

    private static final Duration IDLE = Duration.ofSeconds(10);

    private final Consumer<LimitHealth> listener;
    private final Executor thread;

    /** How many changes in a row the listener has thrown at; only the first is logged. For the listener's thread. */
    private long thrown;

    // All guarded by this.
    private final Map<String, LimitHealth.State> seen = new HashMap<>();
    private final Map<String, LimitHealth> waiting = new LinkedHashMap<>();
    private boolean telling;
    private boolean closed;

    /** On a daemon thread that ends while there is nothing to tell. */
    static Announcements to(Consumer<LimitHealth> listener) {
        ThreadPoolExecutor thread = new ThreadPoolExecutor(
                1,
                1,
                IDLE.toNanos(),
                TimeUnit.NANOSECONDS,
                new LinkedBlockingQueue<>(),
                Upkeep.daemon("weir-listener"));
        thread.allowCoreThreadTimeOut(true);
        return new Announcements(listener, thread);
    }

    /** @param thread runs one task at a time */
    Announcements(Consumer<LimitHealth> listener, Executor thread) {
        this.listener = listener;
        this.thread = thread;
    }

    /** Looks at a limit, and has the listener told if its state is another than before; every limit is exact at first. */
    void look(LimitHealth health) {
        synchronized (this) {
            LimitHealth.State before = seen.put(health.limit(), health.state());
            if (closed || health.state() == (before == null ? LimitHealth.State.EXACT : before)) {
                return;
            }
            waiting.put(health.limit(), health);
            if (telling) {
                return;
            }
            telling = true;
        }
        boolean begun = false;
        try {
            thread.execute(this::tell);
            begun = true;
        } finally {
            if (!begun) {
                stopTelling(); // there was no thread to be had: the next change tries again
            }
        }
    }

    private void tell() {
        for (LimitHealth next = next(); next != null; next = next()) {
            try {
                listener.accept(next);
                thrown = 0;
            } catch (Throwable e) { // also what is checked: other languages throw it undeclared
                if (thrown++ == 0) {
                    LOG.log(
                            System.Logger.Level.ERROR,
                            "The listener for changes of limits threw; it goes on being told, and is not spoken of"
                                    + " until it has not thrown.",
                            e);
                }
            }
        }
    }

    private synchronized @Nullable LimitHealth next() {
        var first = waiting.entrySet().iterator();
        if (!first.hasNext()) {
            telling = false;
            return null;
        }
        LimitHealth next = first.next().getValue();
        first.remove();
        return next;
    }

    private synchronized void stopTelling() {
        telling = false;
    }

    /** Tells nothing more, except what is being told. */
    @Override
    public synchronized void close() {
        closed = true;
        waiting.clear();
    }
}
