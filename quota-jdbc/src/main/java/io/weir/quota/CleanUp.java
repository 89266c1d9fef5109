package io.weir.quota;

import io.weir.quota.Change.Movement;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Deletes what is old, a batch at a time, and notes in the history what a row that counted something held. */
final class CleanUp {

    private final Retention retention;
    private final Instant now;
    private final @Nullable InstantSource clock;
    private final Duration patience;

    /** In the order in which they are cleaned: a spend before its period. */
    enum Table {
        /** Not deleted, but marked: nobody may have asked for the account since. */
        DUE("weir_quota_reservation", "id", "state = 'OPEN' AND expires_at < ?"),
        OPERATION("weir_quota_operation", "idempotency_key", "created_at < ?"),
        RESERVATION("weir_quota_reservation", "id", "state <> 'OPEN' AND expires_at < ?"),
        CREDIT("weir_quota_credit", "id", "expires_at < ?"),
        PERIOD("weir_quota_period", "period_start", "reserved = 0 AND period_end < ?");

        private final String name;
        private final String column;
        private final String old;

        Table(String name, String column, String old) {
            this.name = name;
            this.column = column;
            this.old = old;
        }
    }

    /** @param patience how long to wait for the lock of an account */
    CleanUp(Retention retention, Instant now, @Nullable InstantSource clock, Duration patience) {
        this.patience = patience;
        this.retention = retention;
        this.now = now;
        this.clock = clock;
    }

    /** What is old of a table, by account: a batch of it. */
    Map<Spot, List<Object>> look(Table table, Connection connection) throws SQLException {
        Map<Spot, List<Object>> ids = new TreeMap<>();
        try (PreparedStatement look = connection.prepareStatement("SELECT quota, holder, " + table.column + " FROM "
                + table.name + " WHERE " + table.old + " FETCH FIRST " + retention.batch() + " ROWS ONLY")) {
            Write.bind(look, 1, cutoff(table));
            try (ResultSet rows = look.executeQuery()) {
                while (rows.next()) {
                    Instant start = table == Table.PERIOD ? LoadedRows.instant(rows, 3) : null;
                    ids.computeIfAbsent(new Spot(rows.getString(1), rows.getString(2)), spot -> new ArrayList<>())
                            .add(start == null ? rows.getString(3) : start);
                }
            }
        }
        return ids;
    }

    /** Deletes what is old of one account, under its lock and only what is still old under it, and commits: nobody else waits. How many rows there were. */
    long clean(Table table, Spot spot, List<Object> ids, Connection connection, Dialect dialect) throws SQLException {
        Loaded loaded = dialect.lockAndLoad(connection, Lookup.of(spot), clock, patience);
        long rows;
        if (table == Table.DUE) {
            for (Account each : loaded.accounts().values()) {
                each.expire();
                dialect.store(connection, each.changes(), false);
            }
            rows = ids.size();
        } else {
            List<Change> closed = closed(table, spot, ids, connection);
            try (PreparedStatement delete =
                    connection.prepareStatement("DELETE FROM " + table.name + where(table, ids.size()))) {
                bind(delete, table, spot, ids);
                rows = delete.executeUpdate();
            }
            dialect.store(connection, closed, false);
        }
        connection.commit();
        return rows;
    }

    /** What the history has to say of rows that counted something. */
    private List<Change> closed(Table table, Spot spot, List<Object> ids, Connection connection) throws SQLException {
        List<Change> closed = new ArrayList<>();
        if (table != Table.PERIOD && table != Table.CREDIT) {
            return closed;
        }
        try (PreparedStatement look = connection.prepareStatement("SELECT " + table.column
                + (table == Table.PERIOD ? ", spent" : ", 0") + " FROM " + table.name + where(table, ids.size()))) {
            bind(look, table, spot, ids);
            try (ResultSet found = look.executeQuery()) {
                while (found.next()) {
                    Instant start = table == Table.PERIOD ? LoadedRows.instant(found, 1) : null;
                    closed.add(close(spot, start == null ? found.getString(1) : start, found.getLong(2)));
                }
            }
        }
        return closed;
    }

    private Instant cutoff(Table table) {
        return now.minus(table == Table.OPERATION ? retention.operations() : retention.periods());
    }

    private static String where(Table table, int ids) {
        return " WHERE quota = ? AND holder = ? AND " + table.old + " AND " + table.column + " IN ("
                + String.join(", ", Collections.nCopies(ids, "?")) + ")";
    }

    private void bind(PreparedStatement statement, Table table, Spot spot, List<Object> ids) throws SQLException {
        Write.bind(statement, 1, spot.quota());
        Write.bind(statement, 2, spot.holder());
        Write.bind(statement, 3, cutoff(table));
        int index = 4;
        for (Object each : ids) {
            Write.bind(statement, index++, each);
        }
    }

    private Movement close(Spot spot, Object id, long spent) {
        return id instanceof Instant start
                ? new Movement(spot, now, start, Movement.Kind.CLOSE, -spent, 0, 0, null, null, null)
                : new Movement(spot, now, null, Movement.Kind.CLOSE, 0, 0, 0, null, null, (String) id);
    }
}
