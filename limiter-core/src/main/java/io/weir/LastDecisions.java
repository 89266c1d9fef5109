package io.weir;

import io.weir.algorithm.Verdict;
import io.weir.store.NanoClock;
import io.weir.store.Source;
import io.weir.store.StoredKey;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReferenceArray;

/** The last decisions of one limit on this node, in a ring that never grows. Thread-safe, without a lock. */
final class LastDecisions {

    /** A decision itself would hold on to its key, which may be of any length. */
    private record Entry(String storedKey, long permits, Verdict verdict, Source source, long atNanos) {}

    private final NanoClock clock;
    private final AtomicReferenceArray<Entry> ring;
    private final AtomicLong next = new AtomicLong();

    /** @param size how many are kept, 1 or more */
    LastDecisions(int size, NanoClock clock) {
        this.ring = new AtomicReferenceArray<>(size);
        this.clock = clock;
    }

    void add(String key, Decision decision) {
        int at = (int) (next.getAndIncrement() % ring.length());
        ring.set(
                at,
                new Entry(
                        StoredKey.of(key),
                        decision.permits(),
                        decision.verdict(),
                        decision.source(),
                        clock.nanoTime()));
    }

    /** Those of one key, oldest first. */
    List<KeyLook.Seen> of(String key) {
        String storedKey = StoredKey.of(key);
        long now = clock.nanoTime();
        long from = next.get();
        List<KeyLook.Seen> found = new ArrayList<>();
        for (int i = 0; i < ring.length(); i++) {
            Entry entry = ring.get((int) ((from + i) % ring.length()));
            if (entry != null && entry.storedKey().equals(storedKey)) {
                found.add(new KeyLook.Seen(
                        entry.permits(),
                        entry.verdict(),
                        entry.source(),
                        Duration.ofNanos(Math.max(0, now - entry.atNanos()))));
            }
        }
        return found;
    }
}
