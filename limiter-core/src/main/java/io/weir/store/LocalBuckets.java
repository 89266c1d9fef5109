package io.weir.store;

import io.weir.algorithm.BatchTransition;
import io.weir.algorithm.PackedBucket;
import io.weir.algorithm.Request;
import io.weir.algorithm.Rule;
import io.weir.algorithm.State;
import io.weir.algorithm.Verdict;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The buckets of one limit in a {@link LocalStore}: where a key's {@linkplain Cell cell} is made, found and dropped.
 *
 * <p>A key that was never charged has no bucket. A bucket is made by the first grant and, once it is full again, its
 * cell is retired and then removed; whoever meets a retired cell starts over under the map's lock for the
 * key. So a charge can never go to a bucket that is already out of the map.
 */
final class LocalBuckets implements Buckets {

    /** How many buckets a newcomer looks at to make room, so that no request pays for a pass over all of them. */
    private static final int LOOKED_AT_FOR_ROOM = 32;

    /**
     * A key is hot if a grant comes so soon after the one before. That is looked at once in a lot or two, so that two
     * requests that happen to come together do not make a key hot, but a million in a second do. Nor do requests for more
     * than a lot, which no lane could serve.
     */
    private static final long HOT_NANOS = 1_000;

    private final LocalStore store;
    private final NanoClock clock;
    private final String limit;
    private final ConcurrentHashMap<String, Cell> cells = new ConcurrentHashMap<>();
    private final ReentrantLock handLock = new ReentrantLock();
    private Iterator<Map.Entry<String, Cell>> hand = cells.entrySet().iterator();
    private final Leasing leasing;
    private volatile Numbers numbers;

    /** Of keys that have a rule of their own. Such a key is never kept in a word, so that the fast path does not meet it. */
    private final ConcurrentHashMap<String, Numbers> numbersOfKeys = new ConcurrentHashMap<>();

    LocalBuckets(LocalStore store, String limit, Rule rule, Leasing leasing) {
        this.store = store;
        this.clock = store.clock();
        this.limit = limit;
        this.leasing = leasing;
        this.numbers = Numbers.of(rule, leasing, clock.nanoTime());
    }

    /**
     * What is in force.
     *
     * @param packed the same as {@code rule} for buckets that fit a word, or null if they do not
     */
    record Numbers(Rule rule, @Nullable PackedBucket packed) {

        static Numbers of(Rule rule, Leasing leasing, long nowNanos) {
            long capacity = rule.algorithm().bandwidths().get(0).capacity();
            long lot = leasing == Leasing.NEVER ? 0 : HotCell.lotOf(capacity);
            return new Numbers(rule, PackedBucket.of(rule, lot, nowNanos).orElse(null));
        }

        boolean covers(long instantNanos) {
            return packed == null || packed.covers(instantNanos);
        }
    }

    @Override
    public Answer take(String key, long permits, long deadlineNanos) {
        return take(key, permits, deadlineNanos, (sameKey, samePermits, answer) -> answer);
    }

    /*
     * The hot path: one look-up, one clock read, one compare-and-set, and not an object; of a hot key, not even the clock.
     * What was decided goes down to the receiver as numbers rather than up to the caller as an answer. The compiler could do
     * without an answer only where it compiles all of this into its caller, and whether it does depends on the order in
     * which it comes across them.
     */
    @Override
    public <R> R take(String key, long permits, long deadlineNanos, Receiver<R> receiver) {
        store.requireOpen();
        String stored = StoredKey.of(key);
        PackedBucket packed = numbers.packed();
        Cell cell = cells.get(stored);
        if (cell instanceof HotCell hot && hot.packed == packed && permits > 0) {
            // The bucket is read first. A lane that is open later was lent by it; and it may be gone, or have got back
            // what is left in the lane, by the time that this thread has taken from there.
            long word = hot.word();
            long latest = hot.latestNanos();
            if (word >= 0 && PackedBucket.lots(word) > 0) {
                long left = hot.take(HotCell.lane(), permits);
                if (left >= 0) {
                    long held = hot.word() == word
                            ? left
                            : 0; // what the lane was refilled with since is in the old word too
                    return receiver.answered(key, permits, Verdict.GRANTED, packed, word, latest, held);
                }
            }
        }
        if (packed != null
                && cell instanceof PackedCell one
                && one.packed == packed
                && permits > 0
                && permits <= packed.capacity()) {
            while (true) {
                long word = one.word();
                long latest = one.latestNanos();
                long now = clock.nanoTime();
                if (word < 0 || now < latest || !packed.covers(now)) {
                    break;
                }
                long taken = packed.take(word, permits, now);
                if (taken == PackedBucket.NONE) {
                    if (PackedBucket.lots(word) > 0) {
                        break;
                    }
                    return receiver.answered(key, permits, Verdict.DENIED, packed, word, now, 0);
                }
                if (one.replace(word, taken, now)) {
                    long held = takeAhead(stored, one, permits, word, taken, latest, now);
                    return receiver.answered(key, permits, Verdict.GRANTED, packed, taken, now, held);
                }
            }
        }
        return receiver.answered(key, permits, takeSlowly(cell, stored, permits));
    }

    /**
     * Has a key that is hot lend to the threads that take from it.
     *
     * @return what this thread's lane held at the time of the take, as far as one can tell
     */
    private long takeAhead(
            String key, PackedCell cell, long permits, long before, long after, long latestNanos, long nowNanos) {
        if (cell instanceof HotCell hot) {
            int lane = HotCell.lane();
            long held = PackedBucket.lots(after) == 0 ? 0 : hot.left(lane);
            held = hot.word() == after ? held : 0;
            hot.fill(lane, permits, clock, nowNanos);
            return held;
        }
        boolean soon = nowNanos - latestNanos < HOT_NANOS && permits <= cell.packed.lot();
        if (soon && cell.packed.passedMark(before, after)) {
            cells.computeIfPresent(key, (same, present) -> present == cell ? cell.heated() : present);
        }
        return 0;
    }

    private Answer takeSlowly(@Nullable Cell cell, String key, long permits) {
        Answer answer = cell instanceof StateCell one ? one.take(numbersOf(key), permits, clock) : null;
        return answer != null
                ? answer
                : decide(key, List.of(new Request.Take(permits))).get(0);
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
            long now = clock.nanoTime();
            BatchTransition untouched = numbersOf(key).rule().decide(null, requests, now);
            if (!untouched.changed()) {
                return answers(untouched, requests, now); // at any instant: a key that is absent is full
            }
            requireRoom();
        } else {
            List<Answer> answers = cell.decide(numbersOf(key), requests, clock);
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
        List<Throwable> thrown = new ArrayList<>(1);
        cells.compute(key, (same, cell) -> {
            State before = cell == null ? null : cell.retire(clock);
            try {
                long now = clock.nanoTime();
                BatchTransition step = numbersOf(same).rule().decide(before, requests, now);
                answers.addAll(answers(step, requests, now));
                State after = step.changed() ? step.state() : before;
                return after == null ? null : cellOf(after, now);
            } catch (RuntimeException | Error e) {
                thrown.add(e); // a clock may throw. Without a cell the key would pass for full
                return before == null ? null : new StateCell(before);
            }
        });
        for (Throwable e : thrown) {
            if (e instanceof Error error) {
                throw error;
            }
            throw (RuntimeException) e;
        }
        return answers;
    }

    /** A new cell, by numbers for words of now: a state may be of long ago, and would drag all other keys along. */
    private Cell cellOf(State state, long nowNanos) {
        PackedBucket packed = around(nowNanos).packed();
        long word = packed == null ? PackedBucket.NONE : packed.pack(state);
        return packed == null || word < 0 ? new StateCell(state) : new PackedCell(packed, word, state.atNanos());
    }

    /** The numbers in force, made anew if they are for words of other times. */
    private Numbers around(long nowNanos) {
        Numbers present = numbers;
        return present.covers(nowNanos) ? present : renew(nowNanos);
    }

    private synchronized Numbers renew(long nowNanos) {
        if (!numbers.covers(nowNanos)) {
            numbers = Numbers.of(numbers.rule(), leasing, nowNanos);
        }
        return numbers;
    }

    static List<Answer> answers(BatchTransition step, List<Request> requests, long now) {
        return Answer.of(step.verdicts(), requests, step.state(), now, Source.LOCAL);
    }

    @Override
    @SuppressWarnings("FutureReturnValueIgnored") // it is done by then, unless the store is closed
    public Trial reserve(String key, long permits, long longestWaitNanos, long deadlineNanos) {
        return Trial.of(
                decide(key, List.of(new Request.Reserve(permits, longestWaitNanos)), deadlineNanos)
                        .thenApply(answers -> answers.get(0)),
                granted -> decide(key, List.of(new Request.Cancel(permits, granted.usableAtNanos())), deadlineNanos));
    }

    @Override
    public synchronized void change(Rule changed) {
        Rule next = numbers.rule().orNewer(changed);
        if (!next.equals(numbers.rule())) {
            numbers = Numbers.of(next, leasing, clock.nanoTime());
        }
    }

    /**
     * First the rule, and then the cell: one that is made meanwhile is made by the rule, or is there to be taken out of its word.
     */
    @Override
    public void override(String storedKey, @Nullable Rule rule) {
        if (rule == null) {
            numbersOfKeys.remove(storedKey);
            return;
        }
        numbersOfKeys.merge(
                storedKey,
                new Numbers(rule, null),
                (present, next) -> new Numbers(present.rule().orNewer(next.rule()), null));
        if (storedKey.length() <= StoredKey.MAX_LITERAL_LENGTH) {
            cells.computeIfPresent(storedKey, (same, cell) -> unpacked(cell));
        } else { // it may be kept under another form: a look at all of them, for a key that hardly anybody has
            cells.forEach((key, cell) -> {
                if (StoredKey.wellFormedOf(key).equals(storedKey)) {
                    cells.computeIfPresent(key, (same, present) -> unpacked(present));
                }
            });
        }
    }

    private Numbers numbersOf(String stored) {
        if (numbersOfKeys.isEmpty()) {
            return numbers;
        }
        Numbers own = numbersOfKeys.get(StoredKey.wellFormedOf(stored));
        Numbers all = numbers;
        // One that is older was said of a definition that is in force no more: in a store that outlives who was built
        // on it.
        return own == null || own.rule().version() < all.rule().version() ? all : own;
    }

    /**
     * Asked for once the store is closed, to go on without it. A word cannot say the same twice, so that it makes way for
     * the state that it stands for.
     */
    @Override
    public Optional<LastKnown> lastKnown(String key) {
        Cell cell = cells.computeIfPresent(
                StoredKey.of(key), (same, present) -> present instanceof StateCell ? present : unpacked(present));
        State state = cell instanceof StateCell one ? one.state() : null;
        return state == null
                ? Optional.empty()
                : Optional.of(new LastKnown(state, Math.max(0, clock.nanoTime() - state.atNanos())));
    }

    private @Nullable Cell unpacked(Cell cell) {
        State last = cell.retire(clock);
        return last == null ? null : new StateCell(last);
    }

    private void requireRoom() {
        if (cells.mappingCount() < store.maxKeys() || madeRoom()) {
            return;
        }
        throw StoreUnavailableException.beforeSending(
                StoreUnavailableException.Reason.OVERLOADED,
                "limit \"" + limit + "\" already counts " + store.maxKeys() + " keys, and none of "
                        + LOOKED_AT_FOR_ROOM + " that were looked at is full again: raise maxKeys, or ask for fewer"
                        + " distinct keys");
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

    /** Drops every bucket that is full by now, and has keys cool that are not hot any more. */
    void sweep() {
        cells.forEach((key, cell) -> {
            if (!removeIfFull(key, cell) && cell instanceof HotCell hot && hot.hasCooled(clock)) {
                cool(key, hot);
            }
        });
    }

    private void cool(String key, HotCell hot) {
        cells.computeIfPresent(key, (same, present) -> {
            if (present != hot) {
                return present;
            }
            long now = clock.nanoTime();
            State last = hot.retire(clock);
            return last == null ? null : cellOf(last, now);
        });
    }

    private boolean removeIfFull(String key, Cell cell) {
        return cell.retireIfFull(clock) && cells.remove(key, cell);
    }

    /** Whether threads may take ahead of demand from a key's bucket. */
    boolean isHot(String key) {
        return cells.get(StoredKey.of(key)) instanceof HotCell;
    }

    /** How many keys have a bucket. */
    long size() {
        return cells.mappingCount();
    }
}
