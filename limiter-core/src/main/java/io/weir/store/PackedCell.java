package io.weir.store;

import io.weir.algorithm.BatchTransition;
import io.weir.algorithm.PackedBucket;
import io.weir.algorithm.Request;
import io.weir.algorithm.State;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A cell for a bucket in one {@code long}. */
sealed class PackedCell extends Cell permits HotCell {

    /*
     * 32 bytes, and no more per key: the word, what it means, and the instant of the last change.
     *
     * A word is a straight line, which can be read at any instant (see PackedBucket). On a clock that does not run
     * backwards the instant is therefore not needed: whoever reads the word first and the clock then decides at an instant
     * no earlier than the word's, and if the word changes meanwhile, the compare-and-set fails. The instant is here for a
     * clock that does step back (I2). It is written after the word, by a plain write, so that it may for a moment be too
     * early; then, and only if the clock steps back at the same time, a bucket seems to hold less than it does.
     */

    /** A word that no bucket has. */
    private static final long RETIRED = Long.MIN_VALUE;

    private static final VarHandle WORD;

    static {
        try {
            WORD = MethodHandles.lookup().findVarHandle(PackedCell.class, "word", long.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    final PackedBucket packed;
    private volatile long word;
    private long latestNanos;

    PackedCell(PackedBucket packed, long word, long latestNanos) {
        this.packed = packed;
        this.word = word;
        this.latestNanos = latestNanos;
    }

    /** The bucket; negative if it is not here any more. To be read before the clock is. */
    final long word() {
        return word;
    }

    /** The instant of the last change, or one a little before that. */
    final long latestNanos() {
        return latestNanos;
    }

    /**
     * Puts one word in the place of another.
     *
     * @param nowNanos the instant of the change
     */
    final boolean replace(long expected, long next, long nowNanos) {
        if (!WORD.compareAndSet(this, expected, next)) {
            return false;
        }
        if (nowNanos > latestNanos) {
            latestNanos = nowNanos;
        }
        return true;
    }

    /** The same for what is no decision, so that the instant of the last change stays what it is. */
    final boolean replace(long expected, long next) {
        return WORD.compareAndSet(this, expected, next);
    }

    /** Ends this cell, and makes one of it from which threads take ahead of demand; itself, if it had ended before. */
    final PackedCell heated() {
        PackedCell hot = new HotCell(packed, RETIRED, latestNanos); // before the end: there may be no memory for it
        long last = (long) WORD.getAndSet(this, RETIRED);
        if (last < 0) {
            return this;
        }
        hot.latestNanos = latestNanos;
        hot.word = last;
        return hot;
    }

    @Override
    @Nullable
    List<Answer> decide(LocalBuckets.Numbers numbers, List<Request> requests, NanoClock clock) {
        while (numbers.packed() == packed) {
            long before = word;
            long latest = latestNanos;
            if (before < 0 || PackedBucket.lots(before) > 0) {
                return null;
            }
            long now = clock.nanoTime();
            BatchTransition step = numbers.rule().decide(packed.state(before, latest), requests, now);
            if (!step.changed()) {
                return LocalBuckets.answers(step, requests, now);
            }
            long after = packed.pack(step.state());
            if (after < 0 || step.state().atNanos() < latest) {
                return null;
            }
            if (replace(before, after, step.state().atNanos())) {
                return LocalBuckets.answers(step, requests, now);
            }
        }
        return null;
    }

    @Override
    @Nullable
    State retire(NanoClock clock) {
        while (true) {
            long before = word;
            if (before < 0) {
                return null;
            }
            State last = packed.state(before, latestNanos);
            if (WORD.compareAndSet(this, before, RETIRED)) {
                return last;
            }
        }
    }

    @Override
    boolean retireIfFull(NanoClock clock) {
        long before = word;
        return before < 0 || (isFull(before, clock.nanoTime()) && WORD.compareAndSet(this, before, RETIRED));
    }

    private boolean isFull(long before, long now) {
        if (packed.covers(now)) {
            return packed.isFull(before, now);
        }
        return PackedBucket.lots(before) == 0
                && packed.state(before, latestNanos).fullAtNanos() <= now;
    }
}
