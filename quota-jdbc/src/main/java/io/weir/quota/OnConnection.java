package io.weir.quota;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Steps within the caller's transaction: it is not ended, and nothing of the connection is changed. */
final class OnConnection extends Stepping {

    private final Connection connection;
    private final Dialect dialect;
    private final @Nullable InstantSource clock;
    private final SpendCounts counts;

    OnConnection(Connection connection, Dialect dialect, @Nullable InstantSource clock, SpendCounts counts) {
        this.connection = connection;
        this.dialect = dialect;
        this.clock = clock;
        this.counts = counts;
    }

    @Override
    QuotaDecision take(Step step) {
        return counts.counted(step.charges(), certain(step));
    }

    @Override
    public Balance peek(Quota quota, String key) {
        Charge charge = new Charge(quota, key, 0);
        return sql(() -> peek(dialect, connection, charge, clock));
    }

    @Override
    QuotaDecision certain(Step step) {
        return sql(() -> {
            if (connection.getAutoCommit()) {
                throw new IllegalStateException("the connection commits each statement by itself (auto-commit),"
                        + " so that spend and effect could not commit together; begin a transaction");
            }
            Instant about = ProbableTime.of(clock);
            Decided decided =
                    Decider.decide(step, dialect.lockAndLoad(connection, Lookup.of(step, about), clock, null));
            if (!decided.changes().isEmpty()) {
                dialect.store(connection, decided.changes(), false);
            }
            return decided.answer();
        });
    }

    static Balance peek(Dialect dialect, Connection connection, Charge charge, @Nullable InstantSource clock)
            throws SQLException {
        Loaded loaded = dialect.load(connection, charge, clock);
        Account account = loaded.account(charge);
        account.expire();
        return account.balance(charge, charge.quota().period().windowAt(loaded.now()), 0);
    }

    private static <T> T sql(Sql<T> work) {
        try {
            return Objects.requireNonNull(work.run());
        } catch (SQLException e) {
            TablesMissingException missing = TablesMissingException.in(e);
            if (missing != null) {
                throw missing;
            }
            throw Failure.of(e) == Failure.RETRYABLE
                    ? new RetryableQuotaException(e)
                    : new QuotaUnavailableException(
                            "the database failed: " + StoredText.escaped("" + e.getMessage()), e);
        }
    }

    private interface Sql<T> {
        T run() throws SQLException;
    }
}
