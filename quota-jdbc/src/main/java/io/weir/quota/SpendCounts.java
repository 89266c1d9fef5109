package io.weir.quota;

import io.weir.quota.QuotaMeters.Outcome;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;

/** Meters that may throw, but not at a request, which is decided by then. Thread-safe. */
final class SpendCounts {

    private static final System.Logger LOG = System.getLogger(QuotaLedger.class.getName());

    private final QuotaMeters meters;
    private final AtomicBoolean spokenOf = new AtomicBoolean();

    SpendCounts(QuotaMeters meters) {
        this.meters = meters;
    }

    QuotaDecision counted(List<Charge> charges, QuotaDecision decision) {
        Outcome outcome = outcome(decision);
        guarded(() -> charges.forEach(each -> meters.decided(each.quota(), outcome)));
        return decision;
    }

    void storeAsked(boolean answered, long nanos) {
        guarded(() -> meters.storeAsked(answered, nanos));
    }

    private static Outcome outcome(QuotaDecision decision) {
        if (decision.source() == QuotaDecision.Source.POLICY) {
            return decision.isGranted() ? Outcome.POLICY_GRANTED : Outcome.POLICY_DENIED;
        }
        return switch (decision.verdict()) {
            case GRANTED -> decision.isReplay() ? Outcome.REPLAYED : Outcome.GRANTED;
            case DENIED -> Outcome.DENIED;
            case NEVER -> Outcome.NEVER;
        };
    }

    private void guarded(Runnable report) {
        try {
            report.run();
        } catch (Throwable e) { // also what is checked: other languages throw it undeclared
            if (spokenOf.compareAndSet(false, true)) {
                LOG.log(
                        System.Logger.Level.ERROR,
                        "The meters of quotas threw at a decision, which stands; they go on being told, and are not"
                                + " spoken of again.",
                        e);
            }
        }
    }
}
