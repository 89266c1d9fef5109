package io.weir;

import io.weir.store.NanoClock;
import io.weir.store.StoreUnavailableException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * What one limit knows of its store being away: says so in the log, and counts for how long and how often the policy
 * answered. Thread-safe.
 *
 * <pre>
 *                 a failure
 *        EXACT --------------&gt; DEGRADED
 *              &lt;--------------
 *                 an answer, QUIET after the last failure; or nothing, SILENCE after it
 * </pre>
 *
 * <p>While one of several owners is away, answers and failures alternate, and that is one outage and not thousands. Its
 * beginning and its end are a line each in the log, and at most one line in each {@link #LINE_INTERVAL} says that it
 * goes on. An outage that begins within that interval of another's line and is over before it ends is not spoken of,
 * so that flapping cannot flood the log either.
 */
final class Outage {

    static final Duration QUIET = Duration.ofSeconds(1);
    static final Duration SILENCE = Duration.ofSeconds(10);
    static final Duration LINE_INTERVAL = Duration.ofSeconds(10);

    private static final System.Logger LOG = System.getLogger(Limiter.class.getName());

    private final String limit;
    private final FailurePolicy policy;
    private final NanoClock clock;
    private final Meters.@Nullable OfLimit meters;

    /** Whether no owner has answered since the last failure. Read by every decision: all that a healthy limit pays. */
    private volatile boolean unanswered;

    private volatile boolean degraded;
    private volatile long lastFailureNanos;

    // All below: guarded by this.
    private long sinceNanos;
    private long countedUntilNanos;
    private long fallbackNanos;
    private long unmeteredNanos;
    private @Nullable StoreUnavailableException lastFailure;
    private long byPolicy;
    private long firstFailureNanos;
    private long lastLineNanos;
    private boolean everLogged;
    private boolean spokenOf;

    Outage(Limit limit, NanoClock clock, Meters.@Nullable OfLimit meters) {
        this.limit = limit.name();
        this.policy = limit.failurePolicy();
        this.clock = clock;
        this.meters = meters;
        this.sinceNanos = clock.nanoTime();
    }

    /** The store did not answer, and the policy does. */
    void failed(StoreUnavailableException failure) {
        Line ended;
        Line line;
        synchronized (this) {
            long now = clock.nanoTime();
            ended = pass(now);
            lastFailureNanos = now; // first: whoever sees an outage without the lock has to see that it is recent
            lastFailure = failure;
            String what = "still cannot reach its store";
            if (!degraded) {
                what = "cannot reach its store";
                degraded = true;
                spokenOf = false;
                sinceNanos = now;
                firstFailureNanos = now;
                countedUntilNanos = now;
                byPolicy = 0;
            }
            unanswered = true;
            byPolicy++;
            line = atMostOnceAnInterval(now, failure, what);
        }
        log(ended);
        log(line);
    }

    /** An owner answered, and not this node from what it leased or remembers. */
    void answered() {
        if (unanswered && isQuiet(QUIET)) { // without a lock, since most owners may well be answering
            answeredAfterQuiet();
        }
    }

    private void answeredAfterQuiet() {
        Line line = null;
        synchronized (this) {
            long now = clock.nanoTime();
            if (unanswered && now - lastFailureNanos >= QUIET.toNanos()) {
                line = pass(now);
                unanswered = false;
                if (degraded) {
                    line = end(now, "is exact again");
                }
            }
        }
        log(line);
    }

    /**
     * Lets time pass: an outage that nobody asks about any more ends, too. To be called a few times a second. Only here are
     * meters told, without the lock and on nobody's way, since they are the application's.
     */
    void tend() {
        Line line;
        long nanos;
        synchronized (this) {
            line = pass(clock.nanoTime());
            nanos = unmeteredNanos;
            unmeteredNanos = 0;
        }
        log(line);
        if (meters != null && nanos > 0) {
            meters.inFallback(nanos);
        }
    }

    /** Whether the policy has been answering lately: not if nobody has asked for a while. */
    boolean ongoing() {
        return degraded && !isQuiet(SILENCE);
    }

    /** Whether no owner has answered since the last failure: then nobody knows that they do. */
    boolean isUnanswered() {
        return unanswered;
    }

    LimitHealth health() {
        Line line;
        LimitHealth health;
        synchronized (this) {
            long now = clock.nanoTime();
            line = pass(now);
            StoreUnavailableException failure = degraded ? lastFailure : null;
            health = new LimitHealth(
                    limit,
                    degraded ? LimitHealth.State.DEGRADED : LimitHealth.State.EXACT,
                    Duration.ofNanos(now - sinceNanos),
                    policy,
                    failure == null ? null : failure.reason(),
                    failure == null ? null : failure.getMessage(),
                    degraded ? byPolicy : 0,
                    Duration.ofNanos(fallbackNanos));
        }
        log(line);
        return health;
    }

    private boolean isQuiet(Duration since) {
        return clock.nanoTime() - lastFailureNanos >= since.toNanos();
    }

    /** Counts the time up to now, or to the end of an outage that has become silent. */
    private @Nullable Line pass(long now) {
        if (!degraded) {
            return null;
        }
        long silent = lastFailureNanos + SILENCE.toNanos();
        if (now >= silent) {
            return end(silent, "counts as exact again, since nobody has asked in vain for a while");
        }
        count(now);
        return null;
    }

    private @Nullable Line end(long now, String how) {
        count(now);
        degraded = false;
        sinceNanos = now;
        if (!spokenOf) {
            return null;
        }
        return new Line(
                System.Logger.Level.INFO,
                "Limit \"" + limit + "\" " + how + ": for "
                        + Duration.ofNanos(lastFailureNanos - firstFailureNanos).toMillis() + " ms, " + policy
                        + " answered " + byPolicy + " requests.");
    }

    private void count(long now) {
        long nanos = now - countedUntilNanos;
        if (nanos <= 0) {
            return;
        }
        countedUntilNanos = now;
        fallbackNanos += nanos;
        unmeteredNanos += nanos;
    }

    private @Nullable Line atMostOnceAnInterval(long now, StoreUnavailableException failure, String what) {
        if (everLogged && now - lastLineNanos < LINE_INTERVAL.toNanos()) {
            return null;
        }
        everLogged = true;
        spokenOf = true;
        lastLineNanos = now;
        return new Line(
                System.Logger.Level.WARNING,
                "Limit \"" + limit + "\" " + what + " (" + failure.reason() + ": " + failure.getMessage() + "). "
                        + policy + " answers until it can.");
    }

    /** Something to be logged once nobody's lock is held: a log may be slow. */
    private record Line(System.Logger.Level level, String text) {}

    private static void log(@Nullable Line line) {
        if (line != null) {
            LOG.log(line.level(), line.text());
        }
    }
}
