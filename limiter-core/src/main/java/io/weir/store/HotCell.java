package io.weir.store;

import io.weir.algorithm.PackedBucket;
import io.weir.algorithm.Request;
import io.weir.algorithm.State;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/** A cell for a bucket in one {@code long} that threads take from all the time: they take ahead of demand. */
final class HotCell extends PackedCell {

    /*
     * What a hot key costs is the clock, which is read for each grant, and the cache line of the word, for which the threads
     * fight. So each thread has a lane, and takes a lot out of the bucket at once: a lot's grants need neither.
     *
     *                      word (with the number of lots that are out)
     *                     /        |        \
     *      lane:   [ 17 left ] [ closed ] [ 0 left ] ...     a cache line each
     *
     * Lanes are leases inside one JVM and exact for the same reason: refill stops below the capacity by what is out, so
     * that the bucket and its lanes never hold more than the capacity together (I1). And nobody is denied what the bucket
     * would have granted: before a denial, and for everything that is not a take (peeks, batches, a change of the rule),
     * all lanes are emptied into the bucket, and that decides. PackedBucket.lend says when a lot makes no difference.
     *
     * Who may do what:
     *   1. Anybody may take from an open lane that holds enough, by compare-and-set.
     *   2. Only who holds the lock opens and closes lanes, and changes the number of lots in the word. Closing a lane takes
     *      what is left in it, by one atomic swap: a permit is either granted by then, or comes back, and never both.
     *   3. Who closes or refills lanes reads the clock after that, since until then permits were spent; and puts what was
     *      left into the word in the same compare-and-set that counts the lots as returned or replaced. By an earlier
     *      instant a bucket that is full would refill what was spent after it (I1).
     *   4. Nobody denies while the word says that lots are out. Who would have to takes the lock, closes the lanes, and
     *      decides before it lets go. So between 2 and 3, when permits are in the hands of one thread, another one waits.
     *   5. Anybody may take from the word by compare-and-set at any time. It says what is out, so refill stops in time.
     *
     * A take that finds its permits in its lane or in the word never waits. What waits for the lock waits for eight swaps,
     * or until the operating system lets the thread go on that is at them.
     */

    /** How many lanes. Threads are spread over them by their number, which for the threads of a pool is an even spread. */
    static final int LANES = 8;

    /** All that is out is at most this part of the capacity. */
    private static final int MOST_OUT = 64;

    /** A lot of fewer permits would not pay for its clock read and lock. So capacities below 8,192 have no lanes. */
    private static final int SMALLEST_LOT = 16;

    private static final int LARGEST_LOT = 1_024;

    /** From lane to lane, in longs: two cache lines, since processors fetch them in pairs. */
    private static final int STRIDE = 16;

    private static final long CLOSED = -1;

    /** What {@link #take} returns if nothing was taken. */
    private static final long TOO_FEW = -1;

    private static final VarHandle LANE = MethodHandles.arrayElementVarHandle(long[].class);

    private final ReentrantLock lock = new ReentrantLock();

    /** For each lane, {@link #STRIDE} apart, the permits that are left. */
    private final long[] lanes = new long[(LANES + 2) * STRIDE];

    /** Permits that came out of closed lanes and are not in the word yet. For who holds the lock. */
    private long returned;

    /** Whether a lane was filled since {@link #hasCooled} was asked. For who holds the lock. */
    private boolean busy = true;

    HotCell(PackedBucket packed, long word, long latestNanos) {
        super(packed, word, latestNanos);
        Arrays.fill(lanes, CLOSED);
    }

    /** How many permits a lane takes at a time out of a bucket of so much capacity; zero if it may not. */
    static long lotOf(long capacity) {
        long lot = Math.min(LARGEST_LOT, capacity / MOST_OUT / LANES);
        return lot < SMALLEST_LOT ? 0 : lot;
    }

    /** The present thread's lane. */
    @SuppressWarnings("deprecation") // Thread.threadId() is not in JDK 17
    static int lane() {
        return (((int) Thread.currentThread().getId() & (LANES - 1)) + 1) * STRIDE;
    }

    /**
     * Takes permits from a lane.
     *
     * @return what is left in it; negative if it did not hold as many, and nothing was taken
     */
    long take(int lane, long permits) {
        while (true) {
            long left = (long) LANE.getVolatile(lanes, lane);
            if (left < permits) {
                return TOO_FEW;
            }
            if (LANE.compareAndSet(lanes, lane, left, left - permits)) {
                return left - permits;
            }
        }
    }

    /** What is left in a lane, as far as one can tell while others take from it. */
    long left(int lane) {
        return Math.max(0, (long) LANE.getVolatile(lanes, lane));
    }

    /**
     * Fills a lane that does not hold as many permits, if the bucket has enough, and if nobody is busy with lanes just now.
     *
     * @param nowNanos an instant just passed
     */
    void fill(int lane, long permits, NanoClock clock, long nowNanos) {
        long seen = word();
        boolean worthIt = permits <= packed.lot()
                && seen >= 0
                && (PackedBucket.lots(seen) > 0 || packed.lend(seen, true, 0, nowNanos) != PackedBucket.NONE);
        if (!worthIt || !lock.tryLock()) {
            return;
        }
        try {
            if ((long) LANE.getVolatile(lanes, lane) < permits) {
                refill(lane, clock);
            }
        } finally {
            lock.unlock();
        }
    }

    private void refill(int lane, NanoClock clock) {
        long left = (long) LANE.getAndSet(lanes, lane, CLOSED);
        boolean another = left == CLOSED;
        long unspent = Math.max(0, left);
        long now = clock.nanoTime();
        while (true) {
            long before = word();
            long lent =
                    before >= 0 && packed.covers(now) ? packed.lend(before, another, unspent, now) : PackedBucket.NONE;
            if (lent == PackedBucket.NONE) {
                returned += unspent;
                closeLanes(clock);
                return;
            }
            if (replace(before, lent)) {
                LANE.setVolatile(lanes, lane, packed.lot());
                busy = true;
                return;
            }
        }
    }

    /** Whether this cell is more than its key needs: no lane was filled since this was asked before, or none can be. */
    boolean hasCooled(NanoClock clock) {
        lock.lock();
        try {
            boolean cooled = !busy || !packed.covers(clock.nanoTime());
            busy = false;
            return cooled;
        } finally {
            lock.unlock();
        }
    }

    @Override
    @Nullable
    List<Answer> decide(LocalBuckets.Numbers numbers, List<Request> requests, NanoClock clock) {
        lock.lock();
        try {
            return closeLanes(clock) ? super.decide(numbers, requests, clock) : null;
        } finally {
            lock.unlock();
        }
    }

    @Override
    boolean retireIfFull(NanoClock clock) {
        lock.lock();
        try {
            return closeLanes(clock) && super.retireIfFull(clock);
        } finally {
            lock.unlock();
        }
    }

    /** Counts on numbers of any size, since this may be the end of the times that words are good for. */
    @Override
    @Nullable
    State retire(NanoClock clock) {
        lock.lock();
        try {
            emptyLanes();
            long out = PackedBucket.lots(word()) * packed.lot();
            long now = clock.nanoTime(); // before the end: a clock may throw
            State last = super.retire(clock);
            if (last == null || out == 0) {
                return last;
            }
            State settled = packed.rule().advance(last, out, Math.max(now, last.atNanos()));
            return returned == 0
                    ? settled
                    : packed.rule()
                            .giveBack(settled, returned, settled.atNanos())
                            .state();
        } finally {
            lock.unlock();
        }
    }

    /**
     * Empties all lanes into the bucket. Only for who holds the lock.
     *
     * @return whether nothing is out now; otherwise no word can tell how much there is, and this cell has to be retired
     */
    private boolean closeLanes(NanoClock clock) {
        if (word() < 0 || PackedBucket.lots(word()) == 0) {
            return true;
        }
        emptyLanes();
        long now = Math.max(clock.nanoTime(), latestNanos());
        while (packed.covers(now)) {
            long before = word();
            if (replace(before, packed.settle(before, returned, now))) {
                returned = 0;
                return true;
            }
        }
        return false;
    }

    private void emptyLanes() {
        for (int i = 1; i <= LANES; i++) {
            returned += Math.max(0, (long) LANE.getAndSet(lanes, i * STRIDE, CLOSED));
        }
    }
}
