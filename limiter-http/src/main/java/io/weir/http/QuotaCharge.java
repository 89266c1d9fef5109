package io.weir.http;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What a request has taken of its quotas. A handler finds it {@linkplain IncomingRequest#keep kept} with the request under {@link HttpLimits#QUOTA}, and
 * says there what an estimate has come to:
 *
 * <pre>{@code
 * QuotaCharge charge = (QuotaCharge) request.getAttribute(HttpLimits.QUOTA);
 * charge.settle(tokensUsed);
 * }</pre>
 *
 * <p>If it says nothing, the end of the request decides, {@linkplain #end as told there}. A handler that works on after its client is gone, and
 * has costs, settles when it is told of that, and not later. Thread-safe; what keeps the quotas may make each call wait, so call none on an event loop.
 */
public final class QuotaCharge {

    private static final System.Logger LOG = System.getLogger(QuotaCharge.class.getName());

    private final QuotaRequest request;
    private final QuotaAnswer.Granted granted;
    private final boolean refundedOnFailure;

    /** Whether it may be given back: not if the same request then goes through again for nothing. */
    private final boolean releasable;

    /** What the handler said it cost; null until it did. */
    private @Nullable Long actual;

    private boolean releasing;
    private boolean done;

    QuotaCharge(QuotaRequest request, QuotaAnswer.Granted granted, QuotaUse use) {
        this.request = Objects.requireNonNull(request, "request");
        this.granted = Objects.requireNonNull(granted, "granted");
        this.refundedOnFailure = use.isRefundedOnFailure();
        this.releasable = !use.hearsIdempotencyKeys();
    }

    /** What was asked for. */
    public QuotaRequest request() {
        return request;
    }

    /**
     * Whether nothing was taken for this request, since the same one took it before: the client repeats itself, and a handler that does the work again
     * does it for nothing.
     */
    public boolean isReplay() {
        return granted.replay();
    }

    /**
     * Ends an estimate with what it has really cost, more or less. What keeps the quotas may throw; the end of the request then tries once more.
     *
     * @param cost of each quota, in its smallest unit; from 0
     * @throws IllegalStateException if this is no estimate, or has ended
     * @throws IllegalArgumentException if the cost is negative
     */
    public synchronized void settle(long cost) {
        if (cost < 0) {
            throw new IllegalArgumentException("cost must be 0 or more but is " + cost);
        }
        if (!request.estimate()) {
            throw new IllegalStateException("the amount of quota " + request.quotas()
                    + " is spent, and no estimate: make its route's .estimated()");
        }
        begin("settled");
        if (releasing || (actual != null && actual != cost)) {
            throw new IllegalStateException(
                    (releasing ? "released" : "settled with " + actual) + " before, and now settled with " + cost);
        }
        actual = cost;
        granted.hold().settle(cost);
        done = true;
    }

    /**
     * Gives all of it back, as if the request had not been made.
     *
     * @throws IllegalStateException if it has ended, or if the route hears {@linkplain QuotaUse#idempotencyKeys idempotency keys}: the same request would then
     *     be done again for nothing
     */
    public synchronized void release() {
        if (!releasable) {
            throw new IllegalStateException("what the request took of quota " + request.quotas()
                    + " cannot be released, since its route hears idempotency keys");
        }
        begin("released");
        if (actual != null) {
            throw new IllegalStateException("settled with " + actual + " before, and now released");
        }
        releasing = true;
        granted.hold().release();
        done = true;
    }

    private void begin(String what) {
        if (done) {
            throw new IllegalStateException("what the request took of quota " + request.quotas()
                    + " has ended, and cannot be " + what + " any more");
        }
    }

    /**
     * Says that the request is over, for whoever serves requests without the filter. Does nothing if the handler has settled or released. Otherwise an estimate is
     * settled as it is if the request went well, and released if it failed; a spend stays, unless its route is {@link
     * QuotaUse#refundedOnFailure}. Never throws: what fails here is logged, and an estimate then ends with the time it was put aside for.
     *
     * @param failed whether the handler threw, answered with a status from 500, ran out of time, or lost its client
     */
    public synchronized void end(boolean failed) {
        if (done) {
            return;
        }
        done = true;
        try {
            if (actual != null) {
                granted.hold().settle(actual);
            } else if (releasing || (failed && (request.estimate() || refundedOnFailure))) {
                granted.hold().release();
            } else if (request.estimate()) {
                granted.hold().settle(request.amount());
            }
        } catch (RuntimeException e) {
            LOG.log(
                    System.Logger.Level.WARNING,
                    "What a request took of quota " + request.quotas()
                            + " could not be ended: an estimate comes back when its time is over, and a spend stays.",
                    e);
        }
    }
}
