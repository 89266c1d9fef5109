package io.weir.quota;

import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * How a ledger stands on this node, as its last steps found the database: it is not asked for this. Immutable.
 *
 * @param state whether the database decides
 * @param lasting since when, as the time that has passed
 * @param why what was the matter; null while the database decides
 */
public record LedgerHealth(
        State state, Duration lasting, @Nullable String why) {

    /** Whether the database decides. */
    public enum State {
        /** It does. */
        EXACT,
        /** It failed, or did not answer by the deadline: failure policies answer. */
        DEGRADED,
        /** It has no tables, and steps fail with {@link TablesMissingException}. */
        TABLES_MISSING
    }

    /** Refuses null. */
    public LedgerHealth {
        Objects.requireNonNull(state, "state");
        Objects.requireNonNull(lasting, "lasting");
    }
}
