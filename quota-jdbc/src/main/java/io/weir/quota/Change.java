package io.weir.quota;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** What a decision has stored: one row each. */
sealed interface Change {

    /** A period's row, the first time something is counted in it. */
    record PeriodAdded(Spot spot, Window window, long spent, long reserved) implements Change {}

    /** By how much a period's row changes, and until when it reaches. */
    record PeriodMoved(Spot spot, Window window, long spent, long reserved) implements Change {}

    /** A credit that was granted. */
    record CreditAdded(Spot spot, String id, long amount, Instant expiresAt) implements Change {}

    /** By how much the used part of a credit changes. */
    record CreditMoved(Spot spot, String id, long used) implements Change {}

    /** A reservation that was made. */
    record HeldAdded(Spot spot, Held held) implements Change {}

    /** A reservation as it is from now on. */
    record HeldChanged(Spot spot, Held held) implements Change {}

    /** A reservation that never was, to anybody's knowledge. */
    record HeldRemoved(Spot spot, String id) implements Change {}

    /** What is remembered under a key from now on. */
    record OperationAdded(Spot spot, Operation operation) implements Change {}

    /** How much of a spend has gone back, in all. */
    record OperationRefunded(Spot spot, String key, long refunded) implements Change {}

    /** An answer that a replay got, too. */
    record OperationConfirmed(Spot spot, String key) implements Change {}

    /** What is not remembered any longer. */
    record OperationRemoved(Spot spot, String key) implements Change {}

    /** There may be more room than a node remembers. */
    record Raised(Spot spot) implements Change {}

    /** A cap of the account's own; null for the quota's. */
    record CapChanged(Spot spot, @Nullable Long cap) implements Change {}

    /**
     * A row of the history: by how much {@code spent} and {@code reserved} changed, of the credit if there is one, otherwise of the period.
     *
     * @param amount of a credit what was granted, of a cap the new one; otherwise 0
     */
    record Movement(
            Spot spot,
            Instant at,
            @Nullable Instant periodStart,
            Kind kind,
            long spent,
            long reserved,
            long amount,
            @Nullable String key,
            @Nullable String reservation,
            @Nullable String credit)
            implements Change {

        enum Kind {
            SPEND,
            RESERVE,
            SETTLE,
            RELEASE,
            EXPIRE,
            EXTEND,
            REFUND,
            CREDIT,
            CAP,
            UNCAP,
            UNDO,
            /** What a row held that was cleaned up, taken out again. */
            CLOSE
        }
    }
}
