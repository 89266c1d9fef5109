package io.weir;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Tells a listener of the application's. Thread-safe.
 *
 * <p>The listener has a thread of its own and is told by nobody else, so that it may take its time. What it is too slow for
 * is told once, as it stands by then: of each thing at most the last news waits, and of no more things than there may be.
 *
 * @param <T> what it is told
 */
final class Telling<T> implements AutoCloseable {

    private static final System.Logger LOG = System.getLogger(Limiter.class.getName());

    private static final Duration IDLE = Duration.ofSeconds(10);

    private final String of;
    private final Consumer<T> listener;
    private final Executor thread;
    private final int mostWaiting;

    /** How often in a row the listener has thrown; only the first is logged. For the listener's thread. */
    private long thrown;

    // All guarded by this.
    private final Map<Object, T> waiting = new LinkedHashMap<>();
    private boolean telling;
    private boolean closed;

    /** On a daemon thread that ends while there is nothing to tell. Otherwise as the constructor. */
    static <T> Telling<T> to(String threadName, String of, Consumer<T> listener, int mostWaiting) {
        ThreadPoolExecutor thread = new ThreadPoolExecutor(
                1, 1, IDLE.toNanos(), TimeUnit.NANOSECONDS, new LinkedBlockingQueue<>(), Upkeep.daemon(threadName));
        thread.allowCoreThreadTimeOut(true);
        return new Telling<>(of, listener, thread, mostWaiting);
    }

    /**
     * @param of what the listener is told of, for the log
     * @param thread runs one task at a time
     * @param mostWaiting news of how many things may wait; of more, those that have waited longest are not told
     */
    Telling(String of, Consumer<T> listener, Executor thread, int mostWaiting) {
        this.of = of;
        this.listener = listener;
        this.thread = thread;
        this.mostWaiting = mostWaiting;
    }

    /**
     * Has the listener told.
     *
     * @param about what thing this is news of; it takes the place of other news of it that still wait
     */
    void tell(Object about, T news) {
        synchronized (this) {
            if (closed) {
                return;
            }
            waiting.remove(about); // or it would keep the place of what it replaces, and be the one that goes
            waiting.put(about, news);
            if (waiting.size() > mostWaiting) {
                var eldest = waiting.keySet().iterator();
                eldest.next();
                eldest.remove();
            }
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
                stopTelling(); // there was no thread to be had: the next news tries again
            }
        }
    }

    private void tell() {
        for (T next = next(); next != null; next = next()) {
            try {
                listener.accept(next);
                thrown = 0;
            } catch (Throwable e) { // also what is checked: other languages throw it undeclared
                if (thrown++ == 0) {
                    LOG.log(
                            System.Logger.Level.ERROR,
                            "The listener for " + of + " threw; it goes on being told, and is not spoken of"
                                    + " until it has not thrown.",
                            e);
                }
            }
        }
    }

    private synchronized @Nullable T next() {
        var first = waiting.entrySet().iterator();
        if (!first.hasNext()) {
            telling = false;
            return null;
        }
        T next = first.next().getValue();
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
