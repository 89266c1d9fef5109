package io.weir;

import io.weir.algorithm.Verdict;
import io.weir.store.NanoClock;
import io.weir.store.StoredKey;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * What is watched of one limit's keys. Thread-safe.
 *
 * <p>Fed by the threads that ask. None of them waits: a decision is passed over if another one is being looked at. One that is
 * not drawn costs a random number of the thread's own, and allocates nothing.
 */
final class WatchedKeys {

    /** A sketch tells of this time and as much again. */
    static final Duration WINDOW = Duration.ofSeconds(30);

    /** So much a decision weighs at most, which keeps what a minute of them weighs together in 63 bits. */
    static final long MOST_WEIGHT = 1L << 40;

    /** How many keys' headroom is remembered: more than a sketch tells apart. */
    private static final int MOST_HEADROOMS = 1_024;

    private final NanoClock clock;
    private final @Nullable Telling<KeyAtCap> telling;

    /** Rated apart, so that a flood of the ones hides nothing of the others. */
    private final Sampling grants = new Sampling();

    private final Sampling denials = new Sampling();

    private final ReentrantLock lock = new ReentrantLock();

    // All guarded by the lock.
    private final KeySketch asked = new KeySketch();
    private final KeySketch denied = new KeySketch();
    private final Map<String, Double> headrooms = new Recent<>(MOST_HEADROOMS);
    private final @Nullable KeysAtCap atCap;
    private long windowSinceNanos;
    private boolean closed;

    /**
     * @param atCap which keys are at their cap; null if nobody wants to be told
     * @param telling who is told of them
     */
    WatchedKeys(NanoClock clock, @Nullable KeysAtCap atCap, @Nullable Telling<KeyAtCap> telling) {
        this.clock = clock;
        this.atCap = atCap;
        this.telling = telling;
        this.windowSinceNanos = clock.nanoTime();
    }

    /** A request for one permit or more was decided. */
    void decided(String key, Decision decision) {
        boolean granted = decision.verdict() == Verdict.GRANTED; // of a shadow, too
        if (!granted && decision.impossible()) {
            return; // no bucket decides that, and how much it is is the client's to choose
        }
        Sampling sampling = granted ? grants : denials;
        int oneIn = sampling.draw();
        if (oneIn > 0) {
            look(key, decision, sampling, oneIn);
        }
    }

    private void look(String key, Decision decision, Sampling sampling, int oneIn) {
        String name = StoredKey.of(key); // outside the lock, since a long one takes its time
        if (!lock.tryLock()) {
            return;
        }
        try {
            if (closed) {
                return;
            }
            sampling.looked();
            long weight = Math.min(decision.permits(), MOST_WEIGHT / oneIn) * oneIn;
            asked.add(name, weight);
            OptionalLong remaining = decision.remaining(); // known by the bucket only, or on its behalf
            if (remaining.isPresent()) {
                headrooms.put(name, (double) remaining.getAsLong() / decision.capacity());
            } else {
                headrooms.remove(name);
            }
            if (decision.verdict() != Verdict.GRANTED) {
                denied.add(name, weight);
                if (atCap != null && remaining.isPresent()) {
                    atCap.denied(name, weight, clock.nanoTime());
                }
            }
        } finally {
            lock.unlock();
        }
    }

    /** Lets time pass. To be called every {@link Upkeep#INTERVAL}, from one thread. */
    void tend() {
        List<KeyAtCap> news;
        lock.lock();
        try {
            long now = clock.nanoTime();
            grants.tend();
            denials.tend();
            rotate(now);
            news = atCap == null ? List.of() : atCap.tend(now);
        } finally {
            lock.unlock();
        }
        if (telling != null) {
            news.forEach(each -> telling.tell(List.of(each.limit(), each.key()), each));
        }
    }

    private void rotate(long now) {
        long windows = (now - windowSinceNanos) / WINDOW.toNanos();
        if (windows > 0) {
            windowSinceNanos = now;
        }
        for (int i = 0; i < Math.min(windows, 2); i++) {
            asked.rotate();
            denied.rotate();
        }
    }

    /** The keys that asked for most, the busiest first. */
    List<BusyKey> busiest(int n) {
        lock.lock();
        try {
            return asked.heaviest(n).stream().map(this::busy).toList();
        } finally {
            lock.unlock();
        }
    }

    private BusyKey busy(KeySketch.Weighed key) {
        Double headroom = headrooms.get(key.key());
        return new BusyKey(
                key.key(),
                key.weight(),
                Math.min(key.weight(), denied.weight(key.key())), // both are estimates
                headroom == null ? OptionalDouble.empty() : OptionalDouble.of(headroom));
    }

    /** How much is left to the busiest key, from 0 to 1; not a number while that is unknown. */
    double headroom() {
        List<BusyKey> busiest = busiest(1);
        return busiest.isEmpty() ? Double.NaN : busiest.get(0).headroom().orElse(Double.NaN);
    }

    /** Forgets all keys, and watches none any more. */
    void close() {
        lock.lock();
        try {
            closed = true;
            for (KeySketch each : List.of(asked, denied)) {
                each.rotate();
                each.rotate();
            }
            headrooms.clear();
            if (atCap != null) {
                atCap.clear();
            }
        } finally {
            lock.unlock();
        }
    }
}
