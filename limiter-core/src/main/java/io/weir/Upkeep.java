package io.weir;

import io.weir.store.Store;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * What has to be done for limits without anybody asking: outages end, owners are charged, listeners and meters are told.
 *
 * <p>It has a daemon thread of its own, so that nothing of this is done on the way of a request or on a thread of the
 * store's. The limiters are held weakly: if they are forgotten unclosed, so is this.
 */
final class Upkeep implements AutoCloseable {

    static final Duration INTERVAL = Duration.ofMillis(250);

    private static final System.Logger LOG = System.getLogger(Limiter.class.getName());

    private final List<WeakReference<Limiter>> limiters;
    private final Store store;
    private final @Nullable Meters meters;
    private final @Nullable Announcements announcements;
    private @Nullable ScheduledExecutorService thread;

    /** Whether the last round failed, which is logged once. */
    private boolean failing;

    Upkeep(Collection<Limiter> limiters, Store store, @Nullable Meters meters, @Nullable Announcements announcements) {
        this.limiters = limiters.stream().map(WeakReference::new).toList();
        this.store = store;
        this.meters = meters;
        this.announcements = announcements;
    }

    /** A daemon of its own name for each thing that Weir does in the background. */
    static ThreadFactory daemon(String name) {
        return task -> {
            Thread thread = new Thread(task, name);
            thread.setDaemon(true);
            return thread;
        };
    }

    /** From now on, this runs by itself. */
    @SuppressWarnings("FutureReturnValueIgnored") // a round says itself what went wrong
    void start() {
        ScheduledExecutorService started = Executors.newSingleThreadScheduledExecutor(daemon("weir-upkeep"));
        thread = started;
        started.scheduleWithFixedDelay(
                () -> {
                    if (!run()) {
                        started.shutdown();
                    }
                },
                INTERVAL.toNanos(),
                INTERVAL.toNanos(),
                TimeUnit.NANOSECONDS);
    }

    /** One round; false if there is nothing left to look after. */
    boolean run() {
        Throwable problem = null;
        boolean any = false;
        for (WeakReference<Limiter> each : limiters) {
            Limiter limiter = each.get();
            if (limiter != null) {
                any = true;
                problem = orElse(problem, attempt(() -> tend(limiter)));
            }
        }
        if (meters != null && any) {
            problem = orElse(problem, attempt(() -> meters.owners(store.owners())));
        }
        if (problem != null && !failing) {
            LOG.log(System.Logger.Level.ERROR, "Limits could not be looked after; it is tried again.", problem);
        }
        failing = problem != null;
        return any;
    }

    private void tend(Limiter limiter) {
        limiter.tend();
        if (announcements != null) {
            announcements.look(limiter.health());
        }
    }

    /** What a task threw, be it a bug, meters or a store: the others, and the next round, come all the same. */
    private static @Nullable Throwable attempt(Runnable task) {
        try {
            task.run();
            return null;
        } catch (RuntimeException | Error e) {
            return e;
        }
    }

    private static @Nullable Throwable orElse(@Nullable Throwable first, @Nullable Throwable other) {
        return first != null ? first : other;
    }

    @Override
    public void close() {
        if (announcements != null) {
            announcements.close();
        }
        if (thread != null) {
            thread.shutdown(); // no interrupt: it may be in the middle of a call of the store's
        }
    }
}
