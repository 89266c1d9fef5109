package io.weir;

import io.weir.store.Store;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * What has to be done for limits without anybody asking: outages end, owners are charged, listeners and meters are told,
 * and keys that were watched are forgotten.
 *
 * <p>It has a daemon thread of its own, so that nothing of this is done on the way of a request or on a thread of the
 * store's. The limiters are held weakly: if they are forgotten unclosed, so is this, unless the listener, the meters or
 * the store refer to them, which are held as long as this thread lives.
 */
final class Upkeep implements AutoCloseable {

    static final Duration INTERVAL = Duration.ofMillis(250);

    private static final System.Logger LOG = System.getLogger(Limiter.class.getName());

    private final List<WeakReference<Limiter>> limiters;
    private final Store store;
    private final @Nullable Meters meters;
    private final @Nullable Announcements announcements;
    private final @Nullable Telling<KeyAtCap> atCap;
    private @Nullable ScheduledExecutorService thread;

    /** What went wrong in the last round, which is logged once as long as it goes on. For who runs the rounds. */
    private Set<String> problems = Set.of();

    /** Guarded by this, as is the telling of owners: none is told after the end. */
    private boolean closed;

    /**
     * @param announcements looks at limits' states; null if nobody wants to know of them
     * @param atCap whom limits tell of their keys; null if nobody wants to know of them
     */
    Upkeep(
            Collection<Limiter> limiters,
            Store store,
            @Nullable Meters meters,
            @Nullable Announcements announcements,
            @Nullable Telling<KeyAtCap> atCap) {
        this.limiters = new CopyOnWriteArrayList<>();
        limiters.forEach(this::add);
        this.store = store;
        this.meters = meters;
        this.announcements = announcements;
        this.atCap = atCap;
    }

    /** Looks after another limiter, too. */
    void add(Limiter limiter) {
        limiters.removeIf(each -> each.refersTo(null));
        limiters.add(new WeakReference<>(limiter));
    }

    /** All that somebody still refers to. */
    List<Limiter> limiters() {
        return limiters.stream()
                .map(WeakReference::get)
                .filter(Objects::nonNull)
                .toList();
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
                        close();
                    }
                },
                INTERVAL.toNanos(),
                INTERVAL.toNanos(),
                TimeUnit.NANOSECONDS);
    }

    /** One round; false if there is nothing left to look after. */
    boolean run() {
        Set<String> before = problems;
        Set<String> now = new HashSet<>();
        boolean any = false;
        for (WeakReference<Limiter> each : limiters) {
            Limiter limiter = each.get();
            if (limiter != null) {
                any = true;
                attempt(() -> tend(limiter), before, now);
                attempt(limiter::tendKeys, before, now);
            }
        }
        if (any) {
            attempt(this::tellOwners, before, now);
        }
        problems = now;
        return any;
    }

    private void tend(Limiter limiter) {
        limiter.tend();
        if (announcements != null) {
            announcements.look(limiter.health());
        }
    }

    private synchronized void tellOwners() {
        if (meters != null && !closed) {
            meters.owners(store.owners());
        }
    }

    /**
     * Whatever a task throws, be it a bug, meters or a store, and also what is checked, since other languages throw that
     * undeclared: the others, and the next round, come all the same.
     */
    private static void attempt(Runnable task, Set<String> before, Set<String> now) {
        try {
            task.run();
        } catch (Throwable e) {
            String problem = e.toString();
            if (now.add(problem) && !before.contains(problem)) {
                LOG.log(System.Logger.Level.ERROR, "Limits could not be looked after; it is tried again.", e);
            }
        }
    }

    /** Looks after nothing more, except what is being looked after, and has meters let go of the owners. */
    @Override
    public void close() {
        attempt(this::forgetOwners, Set.of(), new HashSet<>());
        if (announcements != null) {
            announcements.close();
        }
        if (atCap != null) {
            atCap.close();
        }
        limiters.forEach(Upkeep::forgetKeys);
        if (thread != null) {
            thread.shutdown(); // no interrupt: it may be in the middle of a call of the store's
        }
    }

    private static void forgetKeys(WeakReference<Limiter> each) {
        Limiter limiter = each.get();
        if (limiter != null) {
            limiter.forgetKeys();
        }
    }

    private synchronized void forgetOwners() {
        if (meters != null && !closed) {
            closed = true;
            meters.owners(List.of());
        }
    }
}
