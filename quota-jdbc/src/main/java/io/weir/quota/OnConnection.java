package io.weir.quota;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Steps within the caller's transaction: it is not ended, and nothing of the connection is changed. */
final class OnConnection implements QuotaOperations {

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
    public QuotaDecision spend(IdempotencyKey key, List<Charge> charges) {
        return counts.counted(charges, run(Step.of(Step.Kind.SPEND, key, charges)));
    }

    @Override
    public QuotaDecision reserve(IdempotencyKey key, Duration ttl, List<Charge> charges) {
        return counts.counted(charges, run(Step.reserve(key, ttl, charges)));
    }

    @Override
    public QuotaDecision settle(Reservation reservation, List<Charge> actual) {
        return run(Step.settle(reservation, actual));
    }

    @Override
    public QuotaDecision release(Reservation reservation) {
        return run(Step.of(Step.Kind.RELEASE, reservation.key(), reservation.charges()));
    }

    @Override
    public QuotaDecision extend(Reservation reservation, Instant expiresAt) {
        return run(Step.until(Step.Kind.EXTEND, reservation.key(), reservation.charges(), expiresAt));
    }

    @Override
    public QuotaDecision refund(IdempotencyKey key, IdempotencyKey spend, List<Charge> amounts) {
        return run(Step.refund(key, spend, amounts));
    }

    @Override
    public Balance peek(Quota quota, String key) {
        Charge charge = new Charge(quota, key, 0);
        return sql(() -> peek(dialect, connection, charge, clock));
    }

    @Override
    public QuotaDecision grantCredit(IdempotencyKey grant, Charge amount, Instant expiresAt) {
        return run(Step.until(Step.Kind.CREDIT, grant, List.of(amount), expiresAt));
    }

    @Override
    public QuotaDecision setCap(IdempotencyKey change, Quota quota, String key, long cap) {
        return run(Step.of(Step.Kind.SET_CAP, change, List.of(new Charge(quota, key, Amounts.check("cap", cap)))));
    }

    @Override
    public QuotaDecision removeCap(IdempotencyKey change, Quota quota, String key) {
        return run(Step.of(Step.Kind.REMOVE_CAP, change, List.of(new Charge(quota, key, 0))));
    }

    private QuotaDecision run(Step step) {
        return sql(() -> {
            if (connection.getAutoCommit()) {
                throw new IllegalStateException("the connection commits each statement by itself (auto-commit),"
                        + " so that spend and effect could not commit together; begin a transaction");
            }
            Decided decided = Decider.decide(step, dialect.lockAndLoad(connection, Lookup.of(step), clock, null));
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
