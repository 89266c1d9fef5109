package io.weir.quota;

import java.time.Duration;

/**
 * For how long a ledger keeps what it does not need any more.
 *
 * @param operations for how long idempotency keys are known, and spends can be refunded; from 1 minute
 * @param periods for how long after their end periods, reservations and credits are kept; at least as long as {@code operations}
 * @param batch how many rows are looked up at a time; 1 to 10,000
 */
public record Retention(Duration operations, Duration periods, int batch) {

    /** Refuses what would forget a spend's period before the spend, naming it. */
    public Retention {
        if (operations.compareTo(Duration.ofMinutes(1)) < 0) {
            throw new IllegalArgumentException("operations must be at least a minute, and is " + operations);
        }
        if (periods.compareTo(operations) < 0) {
            throw new IllegalArgumentException(
                    "periods must be at least as long as operations, " + operations + ", and is " + periods);
        }
        if (batch < 1 || batch > 10_000) {
            throw new IllegalArgumentException("batch must be 1 to 10000, and is " + batch);
        }
    }

    /** Keys for 30 days, all else for 400 days, in batches of 500. */
    public static Retention standard() {
        return new Retention(Duration.ofDays(30), Duration.ofDays(400), 500);
    }
}
