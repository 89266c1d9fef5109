package io.weir.spring;

import io.weir.quota.QuotaException;
import io.weir.quota.QuotaLedger;
import io.weir.quota.Retention;
import java.time.Duration;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;

/** Has the ledger delete what is old, every now and then, on a thread of its own. Nodes that do so at the same time do no harm. */
final class QuotaCleanUp implements AutoCloseable {

    private static final System.Logger LOG = System.getLogger(QuotaCleanUp.class.getName());

    private final QuotaLedger ledger;
    private final Retention retention;
    private final ScheduledExecutorService thread = Executors.newSingleThreadScheduledExecutor(task -> {
        Thread made = new Thread(task, "weir-quota-clean-up");
        made.setDaemon(true);
        return made;
    });

    QuotaCleanUp(QuotaLedger ledger, Retention retention) {
        this.ledger = ledger;
        this.retention = retention;
    }

    /** From now on, first at some time within {@code every}, so that nodes that start together do not clean together; never if it is zero. */
    QuotaCleanUp schedule(Duration every) {
        if (every.isNegative()) {
            throw new IllegalArgumentException("clean-up-every must be 0 or more but is " + every);
        }
        if (!every.isZero()) {
            long millis = Math.max(1, every.toMillis());
            var unused = thread.scheduleWithFixedDelay( // ends with the application; run() lets nothing escape
                    this::run, ThreadLocalRandom.current().nextLong(millis), millis, TimeUnit.MILLISECONDS);
        }
        return this;
    }

    void run() {
        try {
            long rows = ledger.cleanUp(retention);
            LOG.log(
                    rows == 0 ? System.Logger.Level.DEBUG : System.Logger.Level.INFO,
                    "Deleted {0} old rows of quotas.",
                    rows);
        } catch (QuotaException e) {
            LOG.log(
                    System.Logger.Level.WARNING,
                    "Old rows of quotas could not be deleted; it is tried again next time.",
                    e);
        } catch (RuntimeException e) {
            LOG.log(System.Logger.Level.ERROR, "A bug in the clean-up of quotas; it goes on next time.", e);
        }
    }

    @Override
    public void close() {
        thread.shutdownNow();
    }
}
