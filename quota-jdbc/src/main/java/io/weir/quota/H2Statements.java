package io.weir.quota;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * H2, which usually runs within the application: a statement costs no round trip, so that there is one for each account and purpose.
 */
final class H2Statements implements Dialect {

    private static final int DUPLICATE_KEY = 23505;

    private static final String OF_ACCOUNT = " WHERE quota = ?1 AND holder = ?2";

    /** The first 48 bits of a UUID of version 7 are the time in milliseconds: H2's other clocks stand still within a transaction. */
    private static final String TIME = "SELECT CAST(RANDOM_UUID(7) AS VARCHAR)";

    /** See {@link LoadedRows}. Arguments: quota, holder, now, the keys of a reservation, an operation and a spend, or none, and a start. */
    private static final String LOAD =
            "SELECT 'A' AS kind, CAST(?1 AS VARCHAR) AS quota, CAST(?2 AS VARCHAR) AS holder,"
                    + " CAST(NULL AS VARCHAR) AS id, a.cap AS n1, a.raised AS n2, CAST(NULL AS BIGINT) AS n3,"
                    + " CAST(NULL AS BIGINT) AS n4, CAST(NULL AS BIGINT) AS n5, CAST(?3 AS TIMESTAMP(6) WITH TIME ZONE) AS t1,"
                    + " CAST(NULL AS TIMESTAMP(6) WITH TIME ZONE) AS t2,"
                    + " (SELECT min(r.expires_at) FROM weir_quota_reservation r WHERE r.quota = ?1 AND r.holder = ?2"
                    + " AND r.state = 'OPEN' AND r.expires_at > ?3) AS t3, CAST(NULL AS VARCHAR) AS s1,"
                    + " CAST(NULL AS VARCHAR) AS s2, CAST(NULL AS VARCHAR) AS s3, CAST(NULL AS VARCHAR) AS s4"
                    + " FROM (VALUES (1)) AS one LEFT JOIN weir_quota_account a ON a.quota = ?1 AND a.holder = ?2"
                    + " UNION ALL SELECT 'P', p.quota, p.holder, NULL, p.spent, p.reserved, NULL, NULL, NULL, p.period_start,"
                    + " p.period_end, NULL, NULL, NULL, NULL, NULL FROM weir_quota_period p"
                    + " WHERE p.quota = ?1 AND p.holder = ?2 AND (p.period_end > ?3 OR p.period_start = ?7)"
                    + " UNION ALL SELECT 'C', c.quota, c.holder, c.id, c.amount, c.used, NULL, NULL, NULL, NULL, NULL,"
                    + " c.expires_at, NULL, NULL, NULL, NULL FROM weir_quota_credit c"
                    + " WHERE c.quota = ?1 AND c.holder = ?2 AND c.expires_at > ?3"
                    + " UNION ALL SELECT 'R', r.quota, r.holder, r.id, r.amount, r.settled, r.charged, p.spent, p.reserved,"
                    + " r.period_start, r.period_end, r.expires_at, r.state, r.parts, r.answer, NULL"
                    + " FROM weir_quota_reservation r LEFT JOIN weir_quota_period p ON p.quota = r.quota"
                    + " AND p.holder = r.holder AND p.period_start = r.period_start WHERE r.quota = ?1 AND r.holder = ?2"
                    + " AND ((r.state = 'OPEN' AND r.expires_at <= ?3) OR r.id = ?4)"
                    + " UNION ALL SELECT 'O', o.quota, o.holder, o.idempotency_key, o.amount, o.refunded,"
                    + " CASE WHEN o.confirmed THEN 1 ELSE 0 END, p.spent, p.reserved, o.period_start, o.period_end,"
                    + " o.created_at, o.request, o.parts, o.answer, o.attempt FROM weir_quota_operation o"
                    + " LEFT JOIN weir_quota_period p ON p.quota = o.quota AND p.holder = o.holder"
                    + " AND p.period_start = o.period_start WHERE o.quota = ?1 AND o.holder = ?2"
                    + " AND o.idempotency_key IN (?5, ?6)";

    @Override
    public Loaded lockAndLoad(
            Connection connection, Lookup lookup, @Nullable InstantSource clock, @Nullable Duration own)
            throws SQLException {
        List<Spot> spots = lookup.spots();
        // All are there before the first is locked: so nobody waits for a new one while holding an old one.
        for (Spot each : spots) {
            if (!isThere(connection, each)) {
                create(connection, each);
            }
        }
        for (Spot each : spots) {
            try (PreparedStatement lock =
                    prepared(connection, "SELECT 1 FROM weir_quota_account" + OF_ACCOUNT + " FOR UPDATE", each)) {
                lock.executeQuery().close();
            }
        }
        Instant now = now(connection, clock);
        LoadedRows rows = new LoadedRows();
        for (int i = 0; i < spots.size(); i++) {
            load(connection, lookup, i, now, rows);
        }
        return rows.loaded();
    }

    @Override
    public Loaded load(Connection connection, Charge charge, @Nullable InstantSource clock) throws SQLException {
        LoadedRows rows = new LoadedRows();
        Instant now = now(connection, clock);
        load(connection, Lookup.of(charge, now), 0, now, rows);
        return rows.loaded();
    }

    @Override
    public void store(Connection connection, List<Change> changes, boolean commit) throws SQLException {
        for (Change each : changes) {
            Write write = Write.of(each);
            try (PreparedStatement statement = connection.prepareStatement(write.sql())) {
                write.bind(statement, 1);
                statement.executeUpdate();
            }
        }
        if (commit) {
            connection.commit();
        }
    }

    private static boolean isThere(Connection connection, Spot spot) throws SQLException {
        try (PreparedStatement look = prepared(connection, "SELECT 1 FROM weir_quota_account" + OF_ACCOUNT, spot);
                ResultSet found = look.executeQuery()) {
            return found.next();
        }
    }

    private static void create(Connection connection, Spot spot) throws SQLException {
        try (PreparedStatement insert =
                prepared(connection, "INSERT INTO weir_quota_account (quota, holder) VALUES (?1, ?2)", spot)) {
            insert.executeUpdate();
        } catch (SQLException e) {
            if (e.getErrorCode() != DUPLICATE_KEY) {
                throw e;
            } // otherwise somebody else created it meanwhile, which H2 goes on after
        }
    }

    private static void load(Connection connection, Lookup lookup, int account, Instant now, LoadedRows rows)
            throws SQLException {
        try (PreparedStatement load = prepared(connection, LOAD, lookup.spots().get(account))) {
            Write.bind(load, 3, now);
            Write.bind(load, 4, orNone(lookup.reservation()));
            Write.bind(load, 5, orNone(lookup.operation()));
            Write.bind(load, 6, orNone(lookup.spend()));
            Write.bind(load, 7, lookup.starts().get(account));
            try (ResultSet result = load.executeQuery()) {
                rows.read(result);
            }
        }
    }

    @Override
    public boolean isolatesByItself() {
        return false;
    }

    @Override
    public Instant now(Connection connection, @Nullable InstantSource clock) throws SQLException {
        if (clock != null) {
            return Micros.truncate(clock.instant());
        }
        try (Statement statement = connection.createStatement();
                ResultSet time = statement.executeQuery(TIME)) {
            time.next();
            String uuid = time.getString(1).replace("-", "");
            return Instant.ofEpochMilli(Long.parseLong(uuid, 0, 12, 16));
        }
    }

    /** A key that no other is, since keys are never escaped like this. */
    private static String orNone(@Nullable String key) {
        return key == null ? "%" : key;
    }

    private static PreparedStatement prepared(Connection connection, String sql, Spot spot) throws SQLException {
        PreparedStatement statement = connection.prepareStatement(sql);
        statement.setString(1, spot.quota());
        statement.setString(2, spot.holder());
        return statement;
    }
}
