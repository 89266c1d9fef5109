package io.weir.bench;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.LocalDate;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import javax.sql.DataSource;

/**
 * The same work as a spend of Weir's by hand: a row for the idempotency key, a conditional update, a row of history, and one
 * transaction around them. Without credit, reservations, caps of single keys, and retries.
 */
final class HandWrittenSpends implements Spends {

    static final String TABLES =
            "CREATE TABLE bench_budget (holder TEXT, period_start TIMESTAMPTZ, spent BIGINT NOT NULL,"
                    + " cap BIGINT NOT NULL, PRIMARY KEY (holder, period_start)) WITH (fillfactor = 70);"
                    + " CREATE TABLE bench_spend (holder TEXT, key TEXT, amount BIGINT NOT NULL, at TIMESTAMPTZ NOT NULL,"
                    + " PRIMARY KEY (holder, key));"
                    + " CREATE TABLE bench_history (id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY, at TIMESTAMPTZ NOT NULL,"
                    + " holder TEXT NOT NULL, period_start TIMESTAMPTZ NOT NULL, amount BIGINT NOT NULL, key TEXT NOT NULL)";

    private static final String REMEMBER =
            "INSERT INTO bench_spend (holder, key, amount, at) VALUES (?, ?, 1, now()) ON CONFLICT DO NOTHING";
    private static final String SPEND =
            "UPDATE bench_budget SET spent = spent + 1 WHERE holder = ? AND period_start = ? AND spent + 1 <= cap";
    private static final String RECORD =
            "INSERT INTO bench_history (at, holder, period_start, amount, key) VALUES (now(), ?, ?, 1, ?)";

    private final DataSource pool;
    private final OffsetDateTime period =
            LocalDate.now(ZoneOffset.UTC).withDayOfMonth(1).atStartOfDay().atOffset(ZoneOffset.UTC);

    /** @param keys whose budgets are there before anybody spends */
    HandWrittenSpends(DataSource pool, Iterable<String> keys, long cap) throws SQLException {
        this.pool = pool;
        try (Connection connection = pool.getConnection();
                PreparedStatement budget =
                        connection.prepareStatement("INSERT INTO bench_budget VALUES (?, ?, 0, ?)")) {
            for (String key : keys) {
                budget.setString(1, key);
                budget.setObject(2, period);
                budget.setLong(3, cap);
                budget.addBatch();
            }
            budget.executeBatch();
        }
    }

    @Override
    public boolean spend(String key, String idempotencyKey) {
        try (Connection connection = pool.getConnection()) {
            connection.setAutoCommit(false);
            try {
                boolean spent = run(connection, REMEMBER, key, idempotencyKey)
                        && run(connection, SPEND, key, period)
                        && run(connection, RECORD, key, period, idempotencyKey);
                if (spent) {
                    connection.commit();
                } else {
                    connection.rollback();
                }
                return spent;
            } finally {
                connection.setAutoCommit(true);
            }
        } catch (SQLException e) {
            throw new IllegalStateException("a spend by hand failed", e);
        }
    }

    private static boolean run(Connection connection, String sql, Object... arguments) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            for (int i = 0; i < arguments.length; i++) {
                statement.setObject(i + 1, arguments[i]);
            }
            return statement.executeUpdate() == 1;
        }
    }

    @Override
    public void close() {}
}
