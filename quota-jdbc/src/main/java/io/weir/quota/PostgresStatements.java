package io.weir.quota;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * PostgreSQL. Several statements are prepared as one, which its driver sends together: so locking and loading are one round trip, with
 * {@code BEGIN} before them, and storing is another one, with {@code COMMIT} after it. Statements that follow the lock see what was committed
 * before it was had, as each takes a snapshot of its own. With a clock of the caller's, which is read between locking and loading, there is one round trip more.
 */
final class PostgresStatements implements Dialect {

    private static final String INSERT = "INSERT INTO weir_quota_account (quota, holder) VALUES ";
    private static final String TIME = "CAST(? AS TIMESTAMP WITH TIME ZONE)";

    /** What is the same for steps of one shape; at most {@value Step#MAX_CHARGES} times sixteen. */
    private final Map<Shape, String> loads = new ConcurrentHashMap<>();

    /**
     * What a load depends on.
     *
     * @param ofReservation whether one is looked for by its key
     * @param ofKey whether an operation is
     * @param ofSpend whether another one is
     * @param ownClock whether the time is an argument
     */
    private record Shape(int accounts, boolean ofReservation, boolean ofKey, boolean ofSpend, boolean ownClock) {}

    @Override
    public Loaded lockAndLoad(
            Connection connection, Lookup lookup, @Nullable InstantSource clock, @Nullable Duration own)
            throws SQLException {
        List<Spot> spots = lookup.spots();
        List<Object> arguments = new ArrayList<>();
        StringBuilder sql = new StringBuilder();
        if (own != null) {
            // Of this transaction alone, and sent along: asking what they are would be a round trip.
            sql.append("SET TRANSACTION ISOLATION LEVEL READ COMMITTED; SET LOCAL lock_timeout = ")
                    .append(millis(own))
                    .append("; ");
        }
        sql.append(INSERT)
                .append(String.join(", ", Collections.nCopies(spots.size(), "(?, ?)")))
                .append(" ON CONFLICT DO NOTHING; SELECT 1 FROM weir_quota_account WHERE ")
                .append(String.join(" OR ", Collections.nCopies(spots.size(), "(quota = ? AND holder = ?)")))
                .append(" ORDER BY quota, holder FOR UPDATE");
        add(arguments, spots);
        add(arguments, spots);
        LoadedRows rows = new LoadedRows();
        if (clock == null) {
            sql.append("; ").append(load(lookup, null, arguments));
            run(connection, sql.toString(), arguments, rows);
        } else {
            run(connection, sql.toString(), arguments, null);
            List<Object> loadArguments = new ArrayList<>();
            String load = load(lookup, Micros.truncate(clock.instant()), loadArguments);
            run(connection, load, loadArguments, rows);
        }
        return rows.loaded();
    }

    @Override
    public boolean combines() {
        return true;
    }

    @Override
    public void spendTogether(
            Connection connection, List<Group> groups, @Nullable InstantSource clock, @Nullable Duration patience)
            throws SQLException {
        Instant now = clock == null ? null : Micros.truncate(clock.instant());
        if (groups.size() == 1 && groups.get(0).members().size() == 1) {
            PostgresSpend.run(connection, groups.get(0), now, patience);
        } else {
            PostgresBatch.run(connection, groups, now, patience);
        }
    }

    @Override
    public Loaded load(Connection connection, Charge charge, @Nullable InstantSource clock) throws SQLException {
        List<Object> arguments = new ArrayList<>();
        Instant now = clock == null ? null : Micros.truncate(clock.instant());
        String sql = load(Lookup.of(charge, now == null ? ProbableTime.of(null) : now), now, arguments);
        LoadedRows rows = new LoadedRows();
        run(connection, sql, arguments, rows);
        return rows.loaded();
    }

    @Override
    public Instant now(Connection connection, @Nullable InstantSource clock) throws SQLException {
        if (clock != null) {
            return Micros.truncate(clock.instant());
        }
        try (Statement statement = connection.createStatement();
                ResultSet time = statement.executeQuery("SELECT clock_timestamp()")) {
            time.next();
            return time.getObject(1, OffsetDateTime.class).toInstant();
        }
    }

    @Override
    public boolean isolatesByItself() {
        return true;
    }

    @Override
    public void store(Connection connection, List<Change> changes, boolean commit) throws SQLException {
        StringBuilder sql = new StringBuilder();
        List<Write> writes = changes.stream().map(Write::of).toList();
        writes.forEach(each -> sql.append(each.sql()).append("; "));
        sql.append(commit ? "COMMIT" : "");
        try (PreparedStatement statement = connection.prepareStatement(sql.toString())) {
            int index = 1;
            for (Write each : writes) {
                index = each.bind(statement, index);
            }
            statement.execute();
        }
    }

    /** As {@code lock_timeout} takes it. */
    static long millis(Duration own) {
        return Math.max(1, Math.min(own.toMillis(), Integer.MAX_VALUE));
    }

    private String load(Lookup lookup, @Nullable Instant now, List<Object> arguments) {
        for (int i = 0; i < lookup.spots().size(); i++) {
            add(arguments, lookup.spots().get(i), lookup.starts().get(i));
        }
        for (Object each : Arrays.asList(now, lookup.reservation(), lookup.operation(), lookup.spend())) {
            if (each != null) {
                arguments.add(each);
            }
        }
        Shape shape = new Shape(
                lookup.spots().size(),
                lookup.reservation() != null,
                lookup.operation() != null,
                lookup.spend() != null,
                now != null);
        return loads.computeIfAbsent(shape, PostgresStatements::load);
    }

    /** See {@link LoadedRows}. Accounts that are not there, to a load that locked none, come with nothing but the time. */
    private static String load(Shape shape) {
        String keys = String.join(
                ", ",
                Collections.nCopies(
                        shape.accounts,
                        "(CAST(? AS TEXT) COLLATE \"C\", CAST(? AS TEXT) COLLATE \"C\", " + TIME + ")"));
        StringBuilder sql = new StringBuilder("WITH k (quota, holder, started) AS (VALUES " + keys
                + "), t AS MATERIALIZED (SELECT " + (shape.ownClock ? TIME : "clock_timestamp()") + " AS now) ");
        sql.append("SELECT 'A' AS kind, k.quota, k.holder, NULL AS id, a.cap AS n1, a.raised AS n2, NULL::BIGINT AS n3,"
                + " NULL::BIGINT AS n4, NULL::BIGINT AS n5, t.now AS t1, NULL::TIMESTAMPTZ AS t2,"
                + " (SELECT min(r.expires_at) FROM weir_quota_reservation r WHERE r.quota = k.quota"
                + " AND r.holder = k.holder AND r.state = 'OPEN' AND r.expires_at > t.now) AS t3,"
                + " NULL AS s1, NULL AS s2, NULL AS s3, NULL AS s4"
                + " FROM t CROSS JOIN k LEFT" + each("weir_quota_account", "a", ""));
        sql.append(" UNION ALL SELECT 'P', p.quota, p.holder, NULL, p.spent, p.reserved, NULL, NULL, NULL,"
                + " p.period_start, p.period_end, NULL, NULL, NULL, NULL, NULL"
                + " FROM t CROSS JOIN k"
                + each("weir_quota_period", "p", " AND (p.period_end > t.now OR p.period_start = k.started)"));
        sql.append(" UNION ALL SELECT 'C', c.quota, c.holder, c.id, c.amount, c.used, NULL, NULL, NULL,"
                + " NULL, NULL, c.expires_at, NULL, NULL, NULL, NULL"
                + " FROM t CROSS JOIN k" + each("weir_quota_credit", "c", " AND c.expires_at > t.now"));
        sql.append(reservations("r.state = 'OPEN' AND r.expires_at <= t.now"));
        if (shape.ofReservation) {
            sql.append(reservations("r.id = ?"));
        }
        for (boolean each : List.of(shape.ofKey, shape.ofSpend)) {
            if (each) {
                sql.append(" UNION ALL SELECT 'O', o.quota, o.holder, o.idempotency_key, o.amount, o.refunded,"
                        + " CASE WHEN o.confirmed THEN 1 ELSE 0 END, p.spent, p.reserved,"
                        + " o.period_start, o.period_end, o.created_at, o.request, o.parts, o.answer, o.attempt"
                        + " FROM k" + each("weir_quota_operation", "o", " AND o.idempotency_key = ?")
                        + " LEFT" + each("weir_quota_period", "p", " AND p.period_start = o.period_start"));
            }
        }
        return sql.toString();
    }

    /**
     * Joins the rows of each account. One account at a time, by the index, which OFFSET 0 makes sure of: a plan that was made while the
     * tables were empty, and is kept, would else read all of a table.
     */
    private static String each(String table, String as, String which) {
        return " JOIN LATERAL (SELECT * FROM " + table + " " + as + " WHERE " + as + ".quota = k.quota AND " + as
                + ".holder = k.holder" + which + " OFFSET 0) " + as + " ON TRUE";
    }

    private static String reservations(String which) {
        return " UNION ALL SELECT 'R', r.quota, r.holder, r.id, r.amount, r.settled, r.charged, p.spent, p.reserved,"
                + " r.period_start, r.period_end, r.expires_at, r.state, r.parts, r.answer, NULL"
                + " FROM t CROSS JOIN k" + each("weir_quota_reservation", "r", " AND " + which)
                + " LEFT" + each("weir_quota_period", "p", " AND p.period_start = r.period_start");
    }

    private static void add(List<Object> arguments, List<Spot> spots) {
        spots.forEach(each -> add(arguments, each));
    }

    private static void add(List<Object> arguments, Object... more) {
        for (Object each : more) {
            if (each instanceof Spot spot) {
                arguments.add(spot.quota());
                arguments.add(spot.holder());
            } else {
                arguments.add(each);
            }
        }
    }

    /** Runs all of {@code sql} in one round trip; the last of its results that has columns is read. */
    private static void run(Connection connection, String sql, List<Object> arguments, @Nullable LoadedRows rows)
            throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            int index = 1;
            for (Object each : arguments) {
                Write.bind(statement, index++, each);
            }
            boolean hasRows = statement.execute();
            while (hasRows || statement.getUpdateCount() != -1) {
                if (hasRows && rows != null) {
                    try (ResultSet result = statement.getResultSet()) {
                        if (result.getMetaData().getColumnCount() > 1) {
                            rows.read(result);
                        }
                    }
                }
                hasRows = statement.getMoreResults();
            }
        }
    }
}
