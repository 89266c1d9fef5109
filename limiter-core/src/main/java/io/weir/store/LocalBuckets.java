package io.weir.store;

import io.weir.algorithm.BatchTransition;
import io.weir.algorithm.PackedBucket;
import io.weir.algorithm.Request;
import io.weir.algorithm.Rule;
import io.weir.algorithm.State;
import io.weir.algorithm.Transition;
import io.weir.algorithm.Verdict;
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
 * <p>A key that was never charged has no bucket. A bucket is made by the first grant and, once it is full again, its
 * {@linkplain Cell cell} is retired and then removed; whoever meets a retired cell starts over under the map's lock for the
 * key. So a charge can never go to a bucket that is already out of the map.
 */
final class LocalBuckets implements Buckets {

    /** How many buckets a newcomer looks at to make room, so that no request pays for a pass over all of them. */
    private static final int LOOKED_AT_FOR_ROOM = 32;

    private final LocalStore store;
    private final String limit;
    private final ConcurrentHashMap<String, Cell> cells = new ConcurrentHashMap<>();
    private final ReentrantLock handLock = new ReentrantLock();
    private Iterator<Map.Entry<String, Cell>> hand = cells.entrySet().iterator();
    private volatile Numbers numbers;

    LocalBuckets(LocalStore store, String limit, Rule rule) {
        this.store = store;
        this.limit = limit;
        this.numbers = Numbers.of(rule, store.clock().nanoTime());
    }

    /**
     * What is in force.
     *
     * @param packed the same as {@code rule} for buckets that fit a word, or null if they do not
     */
    record Numbers(Rule rule, @Nullable PackedBucket packed) {

        static Numbers of(Rule rule, long nowNanos) {
            return new Numbers(rule, PackedBucket.of(rule, 0, nowNanos).orElse(null));
        }
    }

    @Override
    public Answer take(String key, long permits, long deadlineNanos) {
        return take(key, permits, deadlineNanos, (sameKey, samePermits, answer) -> answer);
    }

    /*
     * The hot path: one look-up, one clock read, one compare-and-set, and not an object. What was decided goes down to the
     * receiver as numbers rather than up to the caller as an answer. The compiler could do without an answer only where it
     * compiles all of this into its caller, and whether it does depends on the order in which it comes across them.
     */
    @Override
    public <R> R take(String key, long permits, long deadlineNanos, Receiver<R> receiver) {
        store.requireOpen();
        String stored = StoredKey.of(key);
        PackedBucket packed = numbers.packed();
        Cell cell = cells.get(stored);
        while (packed != null
                && cell instanceof PackedCell one
                && one.packed == packed
                && permits > 0
                && permits <= packed.capacity()) {
            long word = one.word();
            long latest = one.latestNanos();
            long now = store.clock().nanoTime();
            if (word < 0 || now < latest || !packed.covers(now)) {
                break;
            }
            long taken = packed.take(word, permits, now);
            if (taken == PackedBucket.NONE) {
                return receiver.answered(key, permits, Verdict.DENIED, packed, word, now, false);
            }
            if (one.replace(word, taken, now)) {
                return receiver.answered(key, permits, Verdict.GRANTED, packed, taken, now, false);
            }
        }
        return receiver.answered(key, permits, takeSlowly(cell, stored, permits));
    }

    private Answer takeSlowly(@Nullable Cell cell, String key, long permits) {
        if (cell instanceof StateCell one) {
            Rule asked = numbers.rule();
            long now = store.clock().nanoTime();
            State state = one.state();
            while (state != null) {
                now = StateCell.notBefore(state, now, store.clock());
                Transition step = asked.take(state, permits, now);
                if (!step.changed()) {
                    return Answer.of(step, now, Source.LOCAL);
                }
                if (!step.state().rule().equals(state.rule())) {
                    break;
                }
                if (one.replace(state, step.state())) {
                    return Answer.of(step, now, Source.LOCAL);
                }
                state = one.state();
            }
        }
        return decide(key, List.of(new Request.Take(permits))).get(0);
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
            return CompletableFuture.completedFuture(decide(StoredKey.of(key), requests));
        } catch (StoreUnavailableException e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    private List<Answer> decide(String key, List<Request> requests) {
        Cell cell = cells.get(key);
        if (cell == null) {
            long now = store.clock().nanoTime();
            BatchTransition untouched = numbers.rule().decide(null, requests, now);
            if (!untouched.changed()) {
                return answers(untouched, now); // at any instant: a key that is absent is full
            }
            requireRoom();
        } else {
            List<Answer> answers = cell.decide(numbers, requests, store.clock());
            if (answers != null) {
                return answers;
            }
        }
        return decideAlone(key, requests);
    }

    /**
     * Decides while the map keeps others from making or removing the key's cell, and puts the bucket into a new one. For
     * what no compare-and-set in a cell can do: a first charge, other numbers, a clock that was set back.
     *
     * <p>The instant is read then and not before. An earlier one could be older than the end of the last bucket, and a full
     * bucket founded at it would earn that time twice.
     */
    private List<Answer> decideAlone(String key, List<Request> requests) {
        List<Answer> answers = new ArrayList<>(requests.size());
        cells.compute(key, (same, cell) -> {
            State before = cell == null ? null : cell.retire(store.clock());
            long now = store.clock().nanoTime();
            BatchTransition step = numbers.rule().decide(before, requests, now);
            answers.addAll(answers(step, now));
            State after = step.changed() ? step.state() : before;
            return after == null ? null : cellOf(after);
        });
        return answers;
    }

    private Cell cellOf(State state) {
        PackedBucket packed = around(state.atNanos()).packed();
        long word = packed == null ? PackedBucket.NONE : packed.pack(state);
        return packed == null || word < 0 ? new StateCell(state) : new PackedCell(packed, word, state.atNanos());
    }

    /** The numbers in force, made anew if they are for words of other times. */
    private Numbers around(long nowNanos) {
        Numbers present = numbers;
        return present.packed() == null || present.packed().covers(nowNanos) ? present : renew(nowNanos);
    }

    private synchronized Numbers renew(long nowNanos) {
        numbers = Numbers.of(numbers.rule(), nowNanos);
        return numbers;
    }

    static List<Answer> answers(BatchTransition step, long now) {
        return step.verdicts().stream()
                .map(verdict -> Answer.of(verdict, step.state(), now, Source.LOCAL))
                .toList();
    }

    @Override
    public synchronized void change(Rule changed) {
        Rule next = numbers.rule().orNewer(changed);
        if (!next.equals(numbers.rule())) {
            numbers = Numbers.of(next, store.clock().nanoTime());
        }
    }

    private void requireRoom() {
        if (cells.mappingCount() < store.maxKeys() || madeRoom()) {
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
            boolean retired = false;
            for (int i = 0; i < LOOKED_AT_FOR_ROOM; i++) {
                if (!hand.hasNext()) {
                    hand = cells.entrySet().iterator();
                    if (!hand.hasNext()) {
                        return true;
                    }
                }
                Map.Entry<String, Cell> entry = hand.next();
                retired |= removeIfFull(entry.getKey(), entry.getValue());
            }
            return retired;
        } finally {
            handLock.unlock();
        }
    }

    /** Drops every bucket that is full by now. */
    void sweep() {
        cells.forEach(this::removeIfFull);
    }

    private boolean removeIfFull(String key, Cell cell) {
        return cell.retireIfFull(store.clock()) && cells.remove(key, cell);
    }

    /** How many keys have a bucket. */
    long size() {
        return cells.mappingCount();
    }
}
