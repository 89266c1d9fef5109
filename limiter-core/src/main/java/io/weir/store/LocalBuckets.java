package io.weir.store;

import io.weir.algorithm.BatchTransition;
import io.weir.algorithm.Request;
import io.weir.algorithm.Rule;
import io.weir.algorithm.State;
import io.weir.algorithm.Transition;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The buckets of one limit in a {@link LocalStore}.
 *
 * <p>A key that was never charged has no bucket. A bucket is made by the first grant and, once it is full again, retired
 * (its state set to null by compare-and-set) and then removed; whoever meets a retired bucket helps to remove it and
 * starts over. So a charge can never go to a bucket that is already out of the map.
 */
final class LocalBuckets implements Buckets {

    /** How many buckets a newcomer looks at to make room, so that no request pays for a pass over all of them. */
    private static final int LOOKED_AT_FOR_ROOM = 32;

    private final LocalStore store;
    private final String limit;
    private final ConcurrentHashMap<String, Bucket> buckets = new ConcurrentHashMap<>();
    private final ReentrantLock handLock = new ReentrantLock();
    private Iterator<Map.Entry<String, Bucket>> hand = buckets.entrySet().iterator();
    private volatile Rule rule;

    LocalBuckets(LocalStore store, String limit, Rule rule) {
        this.store = store;
        this.limit = limit;
        this.rule = rule;
    }

    @Override
    public Answer take(String key, long permits, long deadlineNanos) {
        store.requireOpen();
        String stored = StoredKey.of(key);
        Rule asked = rule;
        long now = store.clock().nanoTime();
        while (true) {
            Bucket bucket = buckets.get(stored);
            State state = bucket == null ? null : bucket.state;
            if (bucket == null || state == null) {
                return decide(stored, asked, List.of(new Request.Take(permits)), now)
                        .get(0);
            }
            now = notBefore(state, now);
            Transition step = asked.take(state, permits, now);
            if (!step.changed() || bucket.replace(state, step.state())) {
                return Answer.of(step, now, Source.LOCAL);
            }
        }
    }

    @Override
    public CompletableFuture<Answer> takeAsync(String key, long permits, long deadlineNanos) {
        try {
            return CompletableFuture.completedFuture(take(key, permits, deadlineNanos));
        } catch (StoreUnavailableException e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    @Override
    public CompletableFuture<List<Answer>> decide(String key, List<Request> requests, long deadlineNanos) {
        Buckets.requireBatch(requests);
        try {
            store.requireOpen();
            String stored = StoredKey.of(key);
            return CompletableFuture.completedFuture(
                    decide(stored, rule, requests, store.clock().nanoTime()));
        } catch (StoreUnavailableException e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    private List<Answer> decide(String key, Rule asked, List<Request> requests, long firstNow) {
        long now = firstNow;
        while (true) {
            Bucket bucket = buckets.get(key);
            State state = bucket == null ? null : bucket.state;
            if (bucket != null && state != null) {
                now = notBefore(state, now);
                BatchTransition step = asked.decide(state, requests, now);
                if (!step.changed() || bucket.replace(state, step.state())) {
                    return answers(step, now);
                }
                continue;
            }
            if (bucket != null) {
                buckets.remove(key, bucket); // retired under our hands
            }
            List<Answer> founding = found(key, asked, requests, now);
            if (founding != null) {
                return founding;
            }
        }
    }

    /**
     * The instant to decide at: the one that was read first, whatever races are lost since. Only a state that is newer was
     * made while this thread stood still; after a long stall the old instant would pass for a clock that stepped back (I2).
     */
    private long notBefore(State state, long nowNanos) {
        return state.atNanos() <= nowNanos ? nowNanos : store.clock().nanoTime();
    }

    /**
     * Decides for a key without a bucket; null if it has one by now.
     *
     * <p>The instant of a first charge is read while the map keeps others from making or removing a bucket of this key.
     * One that was read before could be older than the last bucket's end, and a full bucket founded at it would earn that
     * time twice.
     */
    private @Nullable List<Answer> found(String key, Rule asked, List<Request> requests, long before) {
        BatchTransition untouched = asked.decide(null, requests, before);
        if (!untouched.changed()) {
            return answers(untouched, before); // at any instant: a key that is absent is full
        }
        requireRoom();
        List<Answer> founding = new ArrayList<>(requests.size());
        buckets.computeIfAbsent(key, absent -> {
            long now = store.clock().nanoTime();
            BatchTransition step = asked.decide(null, requests, now);
            founding.addAll(answers(step, now));
            return new Bucket(step.state());
        });
        return founding.isEmpty() ? null : founding;
    }

    private static List<Answer> answers(BatchTransition step, long now) {
        return step.verdicts().stream()
                .map(verdict -> Answer.of(verdict, step.state(), now, Source.LOCAL))
                .toList();
    }

    @Override
    public synchronized void change(Rule changed) {
        rule = rule.orNewer(changed);
    }

    private void requireRoom() {
        if (buckets.mappingCount() < store.maxKeys() || madeRoom()) {
            return;
        }
        throw new StoreUnavailableException(
                StoreUnavailableException.Reason.OVERLOADED,
                "limit \"" + limit + "\" already counts " + store.maxKeys() + " keys, and none of "
                        + LOOKED_AT_FOR_ROOM + " that were looked at is full again: raise maxKeys, or ask for fewer"
                        + " distinct keys",
                null);
    }

    private boolean madeRoom() {
        handLock.lock();
        try {
            long now = store.clock().nanoTime();
            boolean retired = false;
            for (int i = 0; i < LOOKED_AT_FOR_ROOM; i++) {
                if (!hand.hasNext()) {
                    hand = buckets.entrySet().iterator();
                    if (!hand.hasNext()) {
                        return true;
                    }
                }
                Map.Entry<String, Bucket> entry = hand.next();
                retired |= retireIfFull(entry.getKey(), entry.getValue(), now);
            }
            return retired;
        } finally {
            handLock.unlock();
        }
    }

    /** Drops every bucket that is full by now. */
    void sweep() {
        long now = store.clock().nanoTime();
        buckets.forEach((key, bucket) -> retireIfFull(key, bucket, now));
    }

    private boolean retireIfFull(String key, Bucket bucket, long now) {
        State state = bucket.state;
        boolean retired = state == null || (state.fullAtNanos() <= now && bucket.replace(state, null));
        return retired && buckets.remove(key, bucket);
    }

    /** How many keys have a bucket. */
    long size() {
        return buckets.mappingCount();
    }

    /** The place where one key's state is replaced; null once it is retired. */
    private static final class Bucket {
        private static final VarHandle STATE;

        static {
            try {
                STATE = MethodHandles.lookup().findVarHandle(Bucket.class, "state", State.class);
            } catch (ReflectiveOperationException e) {
                throw new ExceptionInInitializerError(e);
            }
        }

        volatile @Nullable State state;

        Bucket(State state) {
            this.state = state;
        }

        boolean replace(State expected, @Nullable State next) {
            return STATE.compareAndSet(this, expected, next);
        }
    }
}
