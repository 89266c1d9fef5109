package io.weir;

import io.weir.algorithm.Verdict;
import io.weir.store.LeaseCounts;
import io.weir.store.Source;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.DoubleSupplier;
import java.util.function.Supplier;

/**
 * Meters that may throw, but not at a request: it has been decided by then, and its permits are taken. Thread-safe.
 *
 * <p>Where nobody waits for a decision they throw as they like: at the start to who builds limits, and from then on to the
 * {@link Upkeep}, which has a guard of its own.
 */
final class GuardedMeters implements Meters.OfLimit {

    private static final System.Logger LOG = System.getLogger(Limiter.class.getName());

    private final String limit;
    private final Meters.OfLimit meters;
    private final AtomicBoolean spokenOf = new AtomicBoolean();

    GuardedMeters(String limit, Meters.OfLimit meters) {
        this.limit = limit;
        this.meters = meters;
    }

    @Override
    public void decided(Verdict verdict, Source source) {
        try {
            meters.decided(verdict, source);
        } catch (Throwable e) { // also what is checked: other languages throw it undeclared
            threw(e);
        }
    }

    @Override
    public void storeAsked(boolean answered, long nanos) {
        try {
            meters.storeAsked(answered, nanos);
        } catch (Throwable e) {
            threw(e);
        }
    }

    @Override
    public void missed() {
        try {
            meters.missed();
        } catch (Throwable e) {
            threw(e);
        }
    }

    @Override
    public void punished() {
        try {
            meters.punished();
        } catch (Throwable e) {
            threw(e);
        }
    }

    @Override
    public void strikeMissed() {
        try {
            meters.strikeMissed();
        } catch (Throwable e) {
            threw(e);
        }
    }

    private void threw(Throwable e) {
        if (spokenOf.compareAndSet(false, true)) {
            LOG.log(
                    System.Logger.Level.ERROR,
                    "The meters of limit \"" + limit
                            + "\" threw at a decision, which stands; they go on being told, and are not"
                            + " spoken of again.",
                    e);
        }
    }

    @Override
    public void inFallback(long nanos) {
        meters.inFallback(nanos);
    }

    @Override
    public void leases(Supplier<LeaseCounts> counts) {
        meters.leases(counts);
    }

    @Override
    public void headroom(DoubleSupplier left) {
        meters.headroom(left);
    }
}
