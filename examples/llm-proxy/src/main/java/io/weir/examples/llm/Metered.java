package io.weir.examples.llm;

import io.weir.quota.QuotaDecision;
import io.weir.quota.QuotaLedger;
import io.weir.quota.QuotaUnavailableException;
import io.weir.quota.Reservation;
import io.weir.store.NanoClock;
import java.time.Duration;
import java.time.Instant;

/**
 * The tokens of one request: put aside before the model is asked, and settled when this is closed, whatever became of the request. For one thread.
 */
final class Metered implements AutoCloseable {

    private static final System.Logger LOG = System.getLogger(Metered.class.getName());
    private static final int TRIES = 3;

    private final QuotaLedger ledger;
    private final Reservation reservation;
    private final Duration hold;
    private final NanoClock clock;
    private Instant expiresAt;
    private long keptNanos;
    private boolean expired;
    private long used;

    /**
     * @param reserved a reservation that was granted
     * @param hold for how long
     */
    Metered(QuotaLedger ledger, QuotaDecision reserved, Duration hold, NanoClock clock) {
        this.ledger = ledger;
        this.reservation =
                reserved.reservation().orElseThrow(); // there is one: the quotas deny while the ledger is away
        this.expiresAt = reserved.expiresAt().orElseThrow();
        this.hold = hold;
        this.clock = clock;
        this.keptNanos = clock.nanoTime();
    }

    /** The model was given tokens, or gave some. */
    void used(long tokens) {
        used += tokens;
    }

    /**
     * Called again and again while the stream lasts: keeps what is put aside for longer once half its time is over. By the time that has passed
     * here and the instants of the ledger, whose clock may be another.
     */
    void keep() {
        long half = hold.toNanos() / 2;
        if (expired || clock.nanoTime() - keptNanos < half) {
            return;
        }
        try {
            QuotaDecision kept = ledger.extend(reservation, expiresAt.plusNanos(half));
            if (kept.isGranted()) {
                expiresAt = kept.expiresAt().orElseThrow();
                keptNanos += half;
            } else {
                // The ledger was away for so long that others may have got it. What is used is charged all the same,
                // into debt if need be.
                expired = true;
            }
        } catch (QuotaUnavailableException e) {
            LOG.log(System.Logger.Level.DEBUG, "The reservation is kept with the next token, or ping.", e);
        }
    }

    /**
     * Charges what was used, and frees the rest. Settling twice charges once, so that it is simply tried again. A process that dies before
     * leaves a reservation that ends by itself.
     */
    @Override
    public void close() {
        for (int tries = 1; ; tries++) {
            try {
                ledger.settle(reservation, used);
                return;
            } catch (QuotaUnavailableException e) {
                if (tries == TRIES) {
                    LOG.log(
                            System.Logger.Level.ERROR,
                            "Reservation " + reservation.key() + " used " + used + " tokens, which the ledger does not"
                                    + " know; settle it once the database is back, which counts after its end as well.",
                            e);
                    return;
                }
            }
        }
    }
}
