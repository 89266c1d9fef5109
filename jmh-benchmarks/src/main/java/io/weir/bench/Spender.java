package io.weir.bench;

import java.sql.SQLException;
import java.util.List;
import javax.sql.DataSource;

/** Who spends of a budget in a database, exactly and once for each idempotency key. */
public enum Spender {
    /** What a careful team writes by itself. */
    HAND_WRITTEN("hand-written SQL") {
        @Override
        Spends begin(DataSource pool, int threads, List<String> keys) throws SQLException {
            return new HandWrittenSpends(pool, keys, CAP);
        }
    },
    /** A {@link io.weir.quota.QuotaLedger}. */
    WEIR("Weir") {
        @Override
        Spends begin(DataSource pool, int threads, List<String> keys) {
            return new WeirSpends(pool, threads, CAP);
        }
    };

    /** More than anybody spends here. */
    private static final long CAP = 1_000_000_000_000L;

    private final String text;

    Spender(String text) {
        this.text = text;
    }

    String text() {
        return text;
    }

    /** Spends from now on; to be closed. */
    abstract Spends begin(DataSource pool, int threads, List<String> keys) throws SQLException;
}
