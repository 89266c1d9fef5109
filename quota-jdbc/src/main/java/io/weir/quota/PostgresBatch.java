package io.weir.quota;

import io.weir.quota.Batch.Waiting;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The statement that does plain spends together on PostgreSQL. Its arguments are arrays: one element for each account, or one for each spend, with
 * those of an account next to each other.
 *
 * <p>An account's lock orders this among all that is decided of the account, as it does everything else. The account and its period are read under
 * their locks, as they are by then; an operation that was stored under the same key after the statement began makes all of it fail as a duplicate. As
 * long as the account's version is the one that was known, it has no credit that it had not then; and where nothing is put aside, nothing expires.
 *
 * <p>Rows are found one account at a time, by the index: locks and OFFSET 0 keep what looks for them from being joined, and the period's row is
 * written as a conflict with the one that is there. A plan that was made while the tables were empty, and is kept, would else read all of a table. And it is
 * kept, as what a plan is made for does not depend on the arrays, which are rows of {@code v} first: planning takes longer than the rest.
 */
final class PostgresBatch {

    private static final String NOT_WAITING = sql("NULL", "FOR NO KEY UPDATE SKIP LOCKED");

    /** The setting is of this transaction alone, and made before the first lock. */
    private static final String WAITING = sql("set_config('lock_timeout', CAST(? AS TEXT), TRUE)", "FOR NO KEY UPDATE");

    private PostgresBatch() {}

    private static String sql(String setting, String lock) {
        String account = "quota = k.quota COLLATE \"C\" AND holder = k.holder COLLATE \"C\"";
        return "WITH v AS MATERIALIZED (SELECT " + setting
                + ", CAST(? AS TIMESTAMPTZ) AS now, CAST(? AS TEXT[]) AS quotas,"
                + " CAST(? AS TEXT[]) AS holders, CAST(? AS TIMESTAMPTZ[]) AS starts, CAST(? AS TIMESTAMPTZ[]) AS ends,"
                + " CAST(? AS TEXT[]) AS rests, CAST(? AS BIGINT[]) AS raised, CAST(? AS BIGINT[]) AS caps,"
                + " CAST(? AS BIGINT[]) AS sums, CAST(? AS BIGINT[]) AS firsts, CAST(? AS BIGINT[]) AS lasts,"
                + " CAST(? AS TEXT[]) AS keys, CAST(? AS TEXT[]) AS attempts, CAST(? AS BIGINT[]) AS amounts,"
                + " CAST(? AS BIGINT[]) AS totals, CAST(? AS BIGINT[]) AS accounts),"
                + " a AS MATERIALIZED (SELECT k.*, t.now, COALESCE(l.cap, k.cap) AS most, p.spent AS before,"
                + " (l.raised = k.raised AND k.period_start <= t.now AND t.now < k.period_end AND p.reserved = 0"
                + " AND p.spent <= COALESCE(l.cap, k.cap) - k.sum"
                + " AND NOT EXISTS (SELECT 1 FROM weir_quota_operation WHERE " + account
                + " AND idempotency_key = ANY (v.keys[k.first:k.last]) OFFSET 0)) IS TRUE AS done"
                + " FROM v CROSS JOIN LATERAL unnest(v.quotas, v.holders, v.starts, v.ends, v.rests, v.raised, v.caps,"
                + " v.sums, v.firsts, v.lasts) WITH ORDINALITY AS k (quota, holder, period_start, period_end, rest, raised,"
                + " cap, sum, first, last, number)"
                + " CROSS JOIN LATERAL (SELECT cap, raised FROM weir_quota_account WHERE " + account + " " + lock
                + ") l"
                // One instant for each account, after its lock.
                + " CROSS JOIN LATERAL (SELECT COALESCE(v.now, clock_timestamp()) AS now"
                + " WHERE l.raised IS NOT NULL OFFSET 0) t"
                + " LEFT JOIN LATERAL (SELECT spent, reserved FROM weir_quota_period WHERE " + account
                + " AND period_start = k.period_start AND period_end = k.period_end " + lock + ") p ON TRUE),"
                + " p AS (INSERT INTO weir_quota_period (quota, holder, period_start, period_end, spent, reserved)"
                + " SELECT quota, holder, period_start, period_end, before + sum, 0 FROM a WHERE done"
                + " ON CONFLICT (quota, holder, period_start) DO UPDATE SET spent = excluded.spent),"
                + " r AS MATERIALIZED (SELECT a.quota, a.holder, a.period_start, a.period_end, a.now, r.key, r.attempt,"
                + " r.amount, a.most || ' ' || (a.before + r.total) || a.rest AS answer"
                + " FROM v CROSS JOIN LATERAL unnest(v.keys, v.attempts, v.amounts, v.totals, v.accounts)"
                + " AS r (key, attempt, amount, total, number) JOIN a ON a.number = r.number WHERE a.done),"
                + " l AS (INSERT INTO weir_quota_ledger (at, quota, holder, period_start, kind, spent, reserved, amount,"
                + " idempotency_key) SELECT now, quota, holder, period_start, 'SPEND', amount, 0, 0, key FROM r),"
                // As Step.request and Part.encode write them.
                + " o AS (INSERT INTO weir_quota_operation (quota, holder, idempotency_key, request, attempt, amount,"
                + " period_start, period_end, parts, answer, created_at) SELECT quota, holder, key,"
                + " 'spend ' || amount, attempt, amount, period_start, period_end, amount || chr(10), answer, now FROM r)"
                + " SELECT number, done, most, before FROM a";
    }

    /** Says of each group what came of it. */
    static void run(Connection connection, List<Group> groups, @Nullable Instant now, @Nullable Duration patience)
            throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(patience == null ? NOT_WAITING : WAITING)) {
            int index = 1;
            if (patience != null) {
                statement.setString(index++, "" + PostgresStatements.millis(patience));
            }
            Write.bind(statement, index++, Write.instantOrNull(now));
            bindAccounts(connection, statement, index, groups);
            bindSpends(connection, statement, index + 10, groups);
            try (ResultSet rows = statement.executeQuery()) {
                // Those of which there is no row: locked or, to one who has waited, not there at all.
                groups.forEach(patience == null ? Group::locked : Group::otherwise);
                while (rows.next()) {
                    Group group = groups.get(rows.getInt(1) - 1);
                    if (rows.getBoolean(2)) {
                        group.done(rows.getLong(3), rows.getLong(4));
                    } else {
                        group.otherwise();
                    }
                }
            }
        }
    }

    private static void bindAccounts(Connection connection, PreparedStatement statement, int first, List<Group> groups)
            throws SQLException {
        String[][] texts = new String[5][groups.size()];
        Long[][] numbers = new Long[5][groups.size()];
        long spends = 0;
        for (int i = 0; i < groups.size(); i++) {
            Group group = groups.get(i);
            texts[0][i] = group.spot().quota();
            texts[1][i] = group.spot().holder();
            texts[2][i] = group.window().start().toString();
            texts[3][i] = group.window().end().toString();
            texts[4][i] = Answers.afterSpent(group.window());
            numbers[0][i] = group.raised();
            numbers[1][i] = group.quota().cap();
            numbers[2][i] = group.sum();
            numbers[3][i] = spends + 1;
            spends += group.members().size();
            numbers[4][i] = spends;
        }
        bind(connection, statement, first, "text", texts[0], texts[1]);
        bind(connection, statement, first + 2, "timestamptz", texts[2], texts[3]);
        bind(connection, statement, first + 4, "text", new Object[][] {texts[4]});
        bind(connection, statement, first + 5, "int8", (Object[][]) numbers);
    }

    private static void bindSpends(Connection connection, PreparedStatement statement, int first, List<Group> groups)
            throws SQLException {
        int size = groups.stream().mapToInt(each -> each.members().size()).sum();
        String[][] texts = new String[2][size];
        Long[][] numbers = new Long[3][size];
        int row = 0;
        for (int i = 0; i < groups.size(); i++) {
            long total = 0;
            for (Waiting each : groups.get(i).members()) {
                Step step = each.attempt().step();
                total += each.attempt().charge().amount();
                texts[0][row] = step.key().stored();
                texts[1][row] = step.attempt();
                numbers[0][row] = each.attempt().charge().amount();
                numbers[1][row] = total;
                numbers[2][row] = i + 1L;
                row++;
            }
        }
        bind(connection, statement, first, "text", (Object[][]) texts);
        bind(connection, statement, first + 2, "int8", (Object[][]) numbers);
    }

    private static void bind(
            Connection connection, PreparedStatement statement, int first, String type, Object[]... columns)
            throws SQLException {
        for (int i = 0; i < columns.length; i++) {
            statement.setArray(first + i, connection.createArrayOf(type, columns[i]));
        }
    }
}
