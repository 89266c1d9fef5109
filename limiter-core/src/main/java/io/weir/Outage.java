package io.weir;

import io.weir.store.NanoClock;
import io.weir.store.StoreUnavailableException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * What one limit knows of its store being away: says so in the log, and measures for how long the policy answered.
 *
 * <p>An outage begins with the first failure and ends with the first answer after {@link #QUIET} without a failure:
 * while one of several owners is away, answers and failures alternate, and that is one outage and not thousands. Its
 * beginning and its end are a line each in the log, and at most one line in each {@link #LINE_INTERVAL} says that it
 * goes on. An outage that begins within that interval of another's line and is over before it ends is not spoken of,
 * so that flapping cannot flood the log either.
 */
final class Outage {

    static final Duration QUIET = Duration.ofSeconds(1);
    static final Duration LINE_INTERVAL = Duration.ofSeconds(10);

    private static final System.Logger LOG = System.getLogger(Limiter.class.getName());

    private final String limit;
    private final FailurePolicy policy;
    private final NanoClock clock;
    private final Meters.@Nullable OfLimit meters;

    /** Whether the policy has been answering. Read by every decision, so that a healthy limit pays one volatile read. */
    private volatile boolean ongoing;

    private volatile long lastFailureNanos;

    // All below: guarded by this.
    private long sinceNanos;
    private long lastLineNanos;
    private boolean everLogged;
    private boolean spokenOf;
    private long byPolicy;

    Outage(Limit limit, NanoClock clock, Meters.@Nullable OfLimit meters) {
        this.limit = limit.name();
        this.policy = limit.failurePolicy();
        this.clock = clock;
        this.meters = meters;
    }

    /** The store did not answer, and the policy does. */
    synchronized void failed(StoreUnavailableException failure) {
        long now = clock.nanoTime();
        long before = lastFailureNanos;
        lastFailureNanos = now; // first: whoever sees an outage without the lock has to see that it is recent
        if (!ongoing) {
            ongoing = true;
            spokenOf = false;
            sinceNanos = now;
            byPolicy = 0;
            logAtMostOnceAnInterval(now, failure, "cannot reach its store");
        } else {
            if (meters != null) {
                meters.inFallback(Math.max(0, now - before));
            }
            logAtMostOnceAnInterval(now, failure, "still cannot reach its store");
        }
        byPolicy++;
    }

    /** The store answered. */
    void answered() {
        if (ongoing && isQuiet(QUIET)) { // without a lock, since most owners may well be answering
            endIfQuiet();
        }
    }

    /** Whether the policy has been answering lately: not if nobody has asked for a while. */
    boolean ongoing() {
        return ongoing && !isQuiet(LINE_INTERVAL);
    }

    private boolean isQuiet(Duration since) {
        return clock.nanoTime() - lastFailureNanos >= since.toNanos();
    }

    private synchronized void endIfQuiet() {
        if (ongoing && isQuiet(QUIET)) {
            ongoing = false;
            if (spokenOf) {
                logEnd();
            }
        }
    }

    private void logEnd() {
        LOG.log(
                System.Logger.Level.INFO,
                "Limit \"{0}\" is exact again: for {1} ms, {2} answered {3} requests.",
                limit,
                Long.toString(Duration.ofNanos(lastFailureNanos - sinceNanos).toMillis()),
                policy,
                Long.toString(byPolicy));
    }

    private void logAtMostOnceAnInterval(long now, StoreUnavailableException failure, String what) {
        if (everLogged && now - lastLineNanos < LINE_INTERVAL.toNanos()) {
            return;
        }
        everLogged = true;
        spokenOf = true;
        lastLineNanos = now;
        LOG.log(
                System.Logger.Level.WARNING,
                "Limit \"{0}\" {1} ({2}: {3}). {4} answers until it can.",
                limit,
                what,
                failure.reason(),
                failure.getMessage(),
                policy);
    }
}
