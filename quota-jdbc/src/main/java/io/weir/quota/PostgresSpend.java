package io.weir.quota;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What {@link PostgresBatch} does, for a single spend: two thirds of the work for the server, as there are no arrays to be joined. */
final class PostgresSpend {

    private static final String TIME = "CAST(? AS TIMESTAMP WITH TIME ZONE)";
    private static final String IS = " = CAST(? AS TEXT) COLLATE \"C\"";

    private static final String NOT_WAITING = sql("", "", "FOR NO KEY UPDATE SKIP LOCKED");
    private static final String WAITING = sql(
            "s AS MATERIALIZED (SELECT set_config('lock_timeout', CAST(? AS TEXT), TRUE) AS known), ",
            " AND (SELECT known FROM s) IS NOT NULL",
            "FOR NO KEY UPDATE");

    private PostgresSpend() {}

    private static String sql(String setting, String set, String lock) {
        return "WITH " + setting + "a AS MATERIALIZED (SELECT cap, raised FROM weir_quota_account WHERE quota" + IS
                + " AND holder" + IS + set + " " + lock + "),"
                // The instant is after the lock, since there is none without a row of it.
                + " t AS MATERIALIZED (SELECT COALESCE(" + TIME + ", clock_timestamp()) AS now FROM a OFFSET 0),"
                + " p AS (UPDATE weir_quota_period p SET spent = p.spent + CAST(? AS BIGINT) FROM a, t"
                + " WHERE p.quota" + IS + " AND p.holder" + IS + " AND p.period_start = " + TIME
                + " AND p.period_start <= t.now AND t.now < p.period_end AND p.period_end = " + TIME
                + " AND a.raised = CAST(? AS BIGINT) AND p.reserved = 0"
                + " AND p.spent <= COALESCE(a.cap, CAST(? AS BIGINT)) - CAST(? AS BIGINT)"
                + " AND NOT EXISTS (SELECT 1 FROM weir_quota_operation WHERE quota" + IS + " AND holder" + IS
                + " AND idempotency_key" + IS + " OFFSET 0)"
                + " RETURNING COALESCE(a.cap, CAST(? AS BIGINT)) AS cap, p.spent, t.now),"
                + " l AS (INSERT INTO weir_quota_ledger (at, quota, holder, period_start, kind, spent, reserved, amount,"
                + " idempotency_key) SELECT p.now, CAST(? AS TEXT), CAST(? AS TEXT), " + TIME
                + ", 'SPEND', CAST(? AS BIGINT), 0, 0, CAST(? AS TEXT) FROM p),"
                + " o AS (INSERT INTO weir_quota_operation (quota, holder, idempotency_key, request, attempt, amount,"
                + " period_start, period_end, parts, answer, created_at) SELECT CAST(? AS TEXT), CAST(? AS TEXT),"
                + " CAST(? AS TEXT), CAST(? AS TEXT), CAST(? AS TEXT), CAST(? AS BIGINT), " + TIME + ", " + TIME
                + ", CAST(? AS TEXT), p.cap || ' ' || p.spent || CAST(? AS TEXT), p.now FROM p)"
                + " SELECT p.cap, p.spent FROM a LEFT JOIN p ON TRUE";
    }

    /** Says what came of the group's only member. */
    static void run(Connection connection, Group group, @Nullable Instant now, @Nullable Duration patience)
            throws SQLException {
        List<Object> arguments = new ArrayList<>(40);
        if (patience != null) {
            arguments.add("" + PostgresStatements.millis(patience));
        }
        Step step = group.members().get(0).attempt().step();
        Spot spot = group.spot();
        String quota = spot.quota();
        String holder = spot.holder();
        String key = step.key().stored();
        Long amount = group.sum();
        Long cap = group.quota().cap();
        Instant start = group.window().start();
        Instant end = group.window().end();
        add(arguments, quota, holder, Write.instantOrNull(now));
        add(arguments, amount, quota, holder, start, end, group.raised(), cap, amount, quota, holder, key, cap);
        add(arguments, quota, holder, start, amount, key);
        String request = step.request(step.charges().get(0));
        add(arguments, quota, holder, key, request, step.attempt(), amount, start, end);
        group.otherwise();
        add(arguments, Part.encode(List.of(new Part(null, amount))), Answers.afterSpent(group.window()));
        try (PreparedStatement statement = connection.prepareStatement(patience == null ? NOT_WAITING : WAITING)) {
            int index = 1;
            for (Object each : arguments) {
                Write.bind(statement, index++, each);
            }
            try (ResultSet row = statement.executeQuery()) {
                if (!row.next()) { // locked or, to one who has waited, not there at all
                    if (patience == null) {
                        group.locked();
                    }
                } else if (row.getObject(1) != null) {
                    group.done(row.getLong(1), row.getLong(2) - amount);
                }
            }
        }
    }

    private static void add(List<Object> arguments, Object... more) {
        arguments.addAll(Arrays.asList(more));
    }
}
