package io.weir.hazelcast;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.time.Duration;

/**
 * What this node holds of a key: permits that the owner has taken from the bucket for it, and until when they may be spent.
 *
 * <p>Any thread spends, without a lock: it reads the clock, finds that the lease lives, and takes permits by compare-and-set.
 * It does not matter if it is held up in between. Permits that are still there have not been counted out by anybody, and a
 * grant happens at the instant at which the clock was read; one that finds the lease changed starts over.
 *
 * <p>Everything else is done by the line, which guards it.
 */
final class HeldLease {

    /** For how long permits may be spent, counted from the sending of the call that brought them (L5). */
    static final Duration TTL = Duration.ofMillis(500);

    private static final VarHandle HELD;

    static {
        try {
            HELD = MethodHandles.lookup().findVarHandle(HeldLease.class, "held", long.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    /** Falls as it is spent; raised by the line only. */
    private volatile long held;

    private volatile long expiryNanos = Long.MIN_VALUE;

    /** What was held when it was last looked at; guarded by the line. What it has fallen by since was spent. */
    private long mark;

    private long spent;

    /** How often the line has looked at what is held, to tell the owner or because the owner told. */
    private volatile int looks;

    /**
     * Spends permits.
     *
     * @param permits more than zero
     * @param nowNanos read by this thread, after it was asked for them
     * @return whether they were there
     */
    boolean spend(long permits, long nowNanos) {
        long have = held;
        while (have >= permits && nowNanos < expiryNanos) {
            if (HELD.compareAndSet(this, have, have - permits)) {
                return true;
            }
            have = held;
        }
        return false;
    }

    long held() {
        return held;
    }

    /** To be read before permits are spent that may be {@linkplain #putBack put back}. */
    int looks() {
        return looks;
    }

    /**
     * Undoes a spending. For the line only.
     *
     * @param looksBefore {@link #looks} before it
     * @return false if it is too late: the owner may know that they were spent, or the lease has ended
     */
    boolean putBack(long permits, int looksBefore, long nowNanos) {
        if (looks != looksBefore || nowNanos >= expiryNanos) {
            return false;
        }
        long have;
        do {
            have = held;
        } while (!HELD.compareAndSet(this, have, have + permits));
        return true;
    }

    long expiryNanos() {
        return expiryNanos;
    }

    /** What is held as of now, to be told to the owner: what is spent from here on is not in it (L1). */
    long report() {
        long now = held;
        note(now, now);
        return now;
    }

    /** Takes all that is held away from those who spend. */
    long drain() {
        long had = (long) HELD.getAndSet(this, 0L);
        note(had, 0);
        return had;
    }

    /**
     * Applies the owner's answer: what was lost goes before what was lent comes, and the expiry moves last, so that nothing
     * that was lost is ever spent under the new one (L5).
     *
     * @param sentNanos when the report was sent
     * @return how many permits were lost that had not been spent meanwhile
     */
    long apply(LeaseReport report, LeaseAnswer answer, long sentNanos) {
        long lost = report.kept() - answer.accepted();
        long have;
        long next;
        do {
            have = held;
            next = Math.max(0, have - lost) + answer.lent();
        } while (!HELD.compareAndSet(this, have, next));
        note(have, next);
        if (answer.extended()) {
            expiryNanos = Math.max(expiryNanos, sentNanos + report.ttlNanos());
        }
        return Math.min(have, lost);
    }

    @SuppressWarnings("NonAtomicVolatileUpdate") // the line guards it
    private void note(long found, long left) {
        spent += mark - found;
        mark = left;
        looks++;
    }

    /** How many permits were spent since this was asked last. */
    long takeSpent() {
        report();
        long taken = spent;
        spent = 0;
        return taken;
    }
}
