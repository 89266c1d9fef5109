package io.weir.store;

import io.weir.algorithm.Rule;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.Map;
import java.util.OptionalInt;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;

/**
 * Buckets in the memory of this JVM, decided by compare-and-set on a monotonic clock.
 *
 * <p>For a limit that one process enforces alone, for tests, and for a node's share while a cluster cannot be reached.
 *
 * <p>Keys are bounded per limit. A bucket that is full again says no more than no bucket, and is swept away within a few
 * seconds; no other is ever dropped. So a flood of new keys cannot reset a drained one: when the bound is reached and
 * none of a few buckets that are looked at can be dropped, a new key is answered with {@link StoreUnavailableException.Reason#OVERLOADED}.
 *
 * <p>A key weighs about 70 bytes besides its own string as long as it is remembered, if its limit has one bandwidth of
 * ordinary numbers; 100 if the numbers are so large that they do not fit a {@code long}, and 130 if there are two bandwidths.
 * Under another algorithm than the token bucket it is about 150, and in a {@link io.weir.algorithm.SlidingLog} 16 more for each
 * instant that counts. What the map of keys has grown to at most, 8 bytes a key or so, it keeps.
 *
 * <p>A key that is asked for more than about a million times a second is hot: its threads take permits out of the bucket
 * ahead of demand and grant from those, without a look at the clock and without getting into each other's way. All that is
 * out is at most a 64th of the capacity, and nothing is, if the capacity is less than 8,192 or the limit is
 * {@linkplain Leasing#NEVER exact}. A hot key weighs about 1,400 bytes, until it has not been hot for a few seconds. What is
 * out comes back before anything is denied, by every peek, refund and change of the limit,
 * and within a few seconds anyway. So no request is granted that the bucket alone would not have granted; and none denied,
 * unless the bucket has become full since permits went out and they came back later than that: then it lacks as many as
 * were spent meanwhile. The balance that comes with a decision is {@linkplain Answer#stale() a moment old} while any are out.
 *
 * <p>Assumes a clock that does not run backwards. Guarantees, for any number of threads: decisions on a key are
 * linearizable; on a key that has a bucket, a {@code take} takes no lock, unless permits that threads took ahead have to come
 * back for it; nothing ever waits for anything but memory and short critical sections, so that deadlines do not matter here.
 */
public final class LocalStore implements Store {

    /** How many keys of one limit are kept at once, unless the store was built with another number. */
    public static final int DEFAULT_MAX_KEYS = 1_000_000;

    private static final Duration SWEEP_INTERVAL = Duration.ofSeconds(2);

    private final NanoClock clock;
    private final int maxKeys;
    private final Map<String, LocalBuckets> buckets = new ConcurrentHashMap<>();
    private final ScheduledFuture<?> sweeping;
    private final Directives directives = Directives.local();
    private volatile boolean closed;

    private LocalStore(NanoClock clock, int maxKeys) {
        if (maxKeys < 1) {
            throw new IllegalArgumentException("maxKeys must be at least 1 but is " + maxKeys);
        }
        this.clock = clock;
        this.maxKeys = maxKeys;
        this.sweeping = Sweeper.schedule(this);
    }

    /** A store on the monotonic clock, for up to {@value #DEFAULT_MAX_KEYS} keys of each limit. */
    public static LocalStore create() {
        return new LocalStore(NanoClock.monotonic(), DEFAULT_MAX_KEYS);
    }

    /**
     * A store for another number of keys, or on another clock.
     *
     * @param clock what decisions are made by; must not run backwards
     * @param maxKeys how many keys of one limit are kept at once, at least 1
     * @throws IllegalArgumentException if {@code maxKeys} is less than 1
     */
    public static LocalStore create(NanoClock clock, int maxKeys) {
        return new LocalStore(clock, maxKeys);
    }

    @Override
    public Buckets buckets(String limit, Rule rule, Leasing leasing) {
        LocalBuckets found = buckets.computeIfAbsent(limit, name -> new LocalBuckets(this, name, rule, leasing));
        found.change(rule);
        return found;
    }

    /** One: nobody shares the buckets of a JVM. */
    @Override
    public OptionalInt nodes() {
        return OptionalInt.of(1);
    }

    /** Those of this JVM: every {@code Weir} over this store goes by them. */
    @Override
    public Directives directives() {
        return directives;
    }

    @Override
    public void close() {
        closed = true;
        sweeping.cancel(false);
    }

    /** Drops every bucket that is full by now. */
    void sweep() {
        buckets.values().forEach(LocalBuckets::sweep);
    }

    NanoClock clock() {
        return clock;
    }

    int maxKeys() {
        return maxKeys;
    }

    void requireOpen() {
        if (closed) {
            throw StoreUnavailableException.beforeSending(
                    StoreUnavailableException.Reason.CLOSED, "the local store is closed");
        }
    }

    /** One daemon thread for all local stores of the JVM; a store that was forgotten unclosed is let go. */
    private static final class Sweeper {
        private static final ScheduledExecutorService THREAD = Executors.newSingleThreadScheduledExecutor(task -> {
            Thread thread = new Thread(task, "weir-local-sweeper");
            thread.setDaemon(true);
            return thread;
        });

        static ScheduledFuture<?> schedule(LocalStore store) {
            WeakReference<LocalStore> reference = new WeakReference<>(store);
            return THREAD.scheduleWithFixedDelay(
                    () -> {
                        LocalStore alive = reference.get();
                        if (alive == null) {
                            throw new CancellationException("store was collected");
                        }
                        alive.sweep();
                    },
                    SWEEP_INTERVAL.toNanos(),
                    SWEEP_INTERVAL.toNanos(),
                    TimeUnit.NANOSECONDS);
        }
    }
}
