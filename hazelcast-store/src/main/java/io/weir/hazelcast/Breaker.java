package io.weir.hazelcast;

import dev.failsafe.CircuitBreaker;
import io.weir.store.OwnerHealth;
import io.weir.store.StoreUnavailableException;
import io.weir.store.StoreUnavailableException.Reason;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Whether one owner answers, judged by nothing but this node's own calls to it: a cut that only one pair of members suffers
 * raises no event of the cluster's.
 *
 * <pre>
 *            {@value #FAILURES} of the last {@value #OF_CALLS} calls failed
 *   closed ----------------------------------------&gt; open: its keys are answered without a call
 *      ^                                               |
 *      +-----------------------------------------------+  a probe was answered in time
 * </pre>
 *
 * <p>It also counts the calls that Hazelcast is working on. Callers leave at their deadlines, but Hazelcast ends a call to a
 * member that hangs only after minutes; a bound for each owner keeps one that hangs from using up the others' room.
 *
 * <p>Thread-safe.
 */
final class Breaker {

    static final int FAILURES = 5;
    static final int OF_CALLS = 10;

    static final int MAX_CALLS_OUT = 2_000;

    /**
     * A call that was given up before it had this long says nothing, since it was not given much of a chance; unless the
     * owner has not answered any other for this long either.
     */
    static final Duration FAIR_CHANCE = Duration.ofMillis(20);

    /** The longest that a probe may take. */
    private static final Duration LONGEST_PROBE = Duration.ofSeconds(1);

    /**
     * Counts. That it turns half open by itself never comes to pass: whether to close again is found out by probes, off the
     * way of any request.
     */
    private final CircuitBreaker<Object> counted = CircuitBreaker.builder()
            .withFailureThreshold(FAILURES, OF_CALLS)
            .withDelay(Duration.ofDays(10_000))
            .build();

    private final AtomicInteger callsOut = new AtomicInteger();

    /** The last answer or, if none was waited for then, the first call after it. */
    private volatile long silentSinceNanos;

    private volatile long closedSinceNanos;

    /** Of the failures since the last success, the one that was given the longest. Rarely lost to a race, which is no harm. */
    private volatile @Nullable Failure worst;

    /** Guarded by this. */
    private boolean retired;

    /** What is answered for this owner's keys while it is open; null while it is closed. */
    private volatile @Nullable Opening opening;

    /**
     * A call that failed.
     *
     * @param why for a person to read, after "the owner"
     * @param key as it is stored
     * @param sentNanos when it was sent
     * @param givenNanos how long it was given; {@link Long#MAX_VALUE} if more would not have helped
     * @param lasting whether it stays so until other members come: one that runs now lacks Weir's classes
     */
    record Failure(String why, String key, long sentNanos, long givenNanos, boolean lasting) {}

    /**
     * One time that it is open: to those who would wait for no longer than others have waited in vain. An owner that is too slow
     * for a limit with a short deadline may well answer one with a long one.
     *
     * @param answer to all who ask meanwhile. It has no stack trace, and can carry nothing of any of them
     * @param worst the failure that was given the longest
     * @param sinceNanos when it opened
     */
    record Opening(StoreUnavailableException answer, Failure worst, long sinceNanos) {

        /** Whether a call that is given so long need not be made. Given a little more, it would hardly fare better. */
        boolean covers(long givenNanos) {
            return givenNanos - givenNanos / 5 <= worst.givenNanos();
        }

        /** How soon a probe has to be answered. */
        long probeNanos() {
            return Math.max(FAIR_CHANCE.toNanos(), Math.min(worst.givenNanos(), LONGEST_PROBE.toNanos()));
        }
    }

    Breaker(long nowNanos) {
        this.silentSinceNanos = nowNanos;
        this.closedSinceNanos = nowNanos;
    }

    /**
     * For a person to read.
     *
     * @param member whose breaker it is
     */
    OwnerHealth health(String member, long nowNanos) {
        Opening present = opening;
        return present == null
                ? new OwnerHealth(
                        member, OwnerHealth.State.REACHABLE, Duration.ofNanos(nowNanos - closedSinceNanos), null)
                : new OwnerHealth(
                        member,
                        OwnerHealth.State.UNREACHABLE,
                        Duration.ofNanos(nowNanos - present.sinceNanos()),
                        "it " + present.worst().why());
    }

    /** Null while it is closed. */
    @Nullable
    Opening opening() {
        return opening;
    }

    /** Counts a call, if there is room; it ends by {@link #answered}, {@link #failed} or {@link #ended}. */
    boolean begin(long nowNanos) {
        int out = callsOut.incrementAndGet();
        if (out > MAX_CALLS_OUT) {
            callsOut.decrementAndGet();
            return false;
        }
        if (out == 1) {
            silentSinceNanos = nowNanos;
        }
        return true;
    }

    /** A call that was counted is over, and says nothing of the owner. */
    void ended() {
        callsOut.decrementAndGet();
    }

    /**
     * A call was answered.
     *
     * @param inTime whether it was by its deadline
     */
    void answered(boolean inTime, long nowNanos) {
        callsOut.decrementAndGet();
        silentSinceNanos = nowNanos;
        if (inTime) {
            counted.recordSuccess();
            worst = null;
        }
    }

    /** A call has ended without an answer, or with none that decides anything. Whether that opened the breaker. */
    boolean failed(Failure failure, long nowNanos) {
        callsOut.decrementAndGet();
        return countFailure(failure, nowNanos);
    }

    /** A call is not waited for any more. Hazelcast goes on with it. Whether that opened the breaker. */
    boolean gaveUp(Failure failure, long nowNanos) {
        long chance = FAIR_CHANCE.toNanos();
        boolean fair = nowNanos - failure.sentNanos() >= chance || nowNanos - silentSinceNanos >= chance;
        return fair && countFailure(failure, nowNanos);
    }

    private synchronized boolean countFailure(Failure failure, long nowNanos) {
        counted.recordFailure();
        Failure before = worst;
        Failure failed = before == null || before.givenNanos() <= failure.givenNanos() ? failure : before;
        worst = failed;
        Opening present = opening;
        boolean covered = present != null && present.worst().givenNanos() >= failed.givenNanos();
        if (retired || counted.isClosed() || covered) {
            return false;
        }
        String message = "the owner of the key " + failed.why() + "; a probe will find out when it answers again";
        Reason reason = failed.lasting() ? Reason.INCOMPATIBLE : Reason.UNREACHABLE;
        StoreUnavailableException answer = StoreUnavailableException.beforeSending(reason, message);
        opening = new Opening(answer, failed, present == null ? nowNanos : present.sinceNanos());
        return present == null;
    }

    /** The owner has left: the breaker closes for good. Whether it was open. */
    synchronized boolean retire(long nowNanos) {
        retired = true;
        return close(nowNanos);
    }

    /** A probe was answered in time. Whether the breaker was open. */
    synchronized boolean close(long nowNanos) {
        boolean wasOpen = opening != null;
        counted.close();
        worst = null;
        closedSinceNanos = nowNanos;
        opening = null;
        return wasOpen;
    }
}
