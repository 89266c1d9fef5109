package io.weir.hazelcast;

import java.util.Iterator;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * What was last heard of keys that have no line any more, for as long as their buckets lack something: about one that is
 * full there is nothing to know. Thread-safe.
 *
 * <p>Bounded: when it holds as many as it may, it learns of no other key until some are full again. An entry weighs 130
 * bytes or so, besides its key.
 */
final class LastHeard {

    /** How many keys. */
    static final int MOST = 32_768;

    /** How many one {@link #sweep} looks at. */
    private static final int LOOKED_AT_AT_ONCE = 1_000;

    private final ConcurrentHashMap<String, Balance> byName = new ConcurrentHashMap<>();

    /** For who sweeps. */
    private Iterator<Map.Entry<String, Balance>> hand = byName.entrySet().iterator();

    /**
     * Keeps a balance unless a later one is known: lines of one key may be retired by several threads, in any order.
     *
     * @param balance null if nothing was heard, which ends nothing that was heard before
     */
    void keep(String name, @Nullable Balance balance, long nowNanos) {
        if (balance == null) {
            return;
        }
        byName.compute(name, (same, known) -> {
            if (known != null && known.receivedNanos() - balance.receivedNanos() > 0) {
                return known;
            }
            boolean kept = !isFull(balance, nowNanos) && (known != null || byName.mappingCount() < MOST);
            return kept ? balance : null;
        });
    }

    @Nullable
    Balance of(String name) {
        return byName.get(name);
    }

    /** Forgets some of what is full again. To be called several times a second, from one thread. */
    void sweep(long nowNanos) {
        if (!hand.hasNext()) {
            hand = byName.entrySet().iterator();
        }
        for (int i = 0; i < LOOKED_AT_AT_ONCE && hand.hasNext(); i++) {
            Map.Entry<String, Balance> entry = hand.next();
            if (isFull(entry.getValue(), nowNanos)) {
                byName.remove(entry.getKey(), entry.getValue());
            }
        }
    }

    private static boolean isFull(Balance balance, long nowNanos) {
        return balance.state().fullAtNanos() <= balance.inOwnersTime(nowNanos);
    }

    /** How many keys are known. */
    int size() {
        return byName.size();
    }
}
