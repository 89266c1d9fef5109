package io.weir.quota;

import io.weir.quota.Change.Movement;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Deletes what is old, a batch at a time, and notes in the history what a row that counted something held. */
final class CleanUp {

    private final Retention retention;
    private final Instant now;
    private final @Nullable InstantSource clock;

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

    CleanUp(Retention retention, Instant now, @Nullable InstantSource clock) {
        this.retention = retention;
        this.now = now;
        this.clock = clock;
    }

    /** Deletes a batch, and commits; how many rows there were. */
    long batch(Table table, Connection connection, Dialect dialect) throws SQLException {
        Instant cutoff = now.minus(table == Table.OPERATION ? retention.operations() : retention.periods());
        Map<Spot, List<Object>> ids = new TreeMap<>();
        try (PreparedStatement look = connection.prepareStatement("SELECT quota, holder, " + table.column + " FROM "
                + table.name + " WHERE " + table.old + " FETCH FIRST " + retention.batch() + " ROWS ONLY")) {
            Write.bind(look, 1, cutoff);
            try (ResultSet rows = look.executeQuery()) {
                while (rows.next()) {
                    Instant start = table == Table.PERIOD ? LoadedRows.instant(rows, 3) : null;
                    ids.computeIfAbsent(new Spot(rows.getString(1), rows.getString(2)), spot -> new ArrayList<>())
                            .add(start == null ? rows.getString(3) : start);
                }
            }
        }
        long rows = 0;
        for (Map.Entry<Spot, List<Object>> each : ids.entrySet()) {
            rows += clean(table, each.getKey(), each.getValue(), cutoff, connection, dialect);
        }
        connection.commit();
        return rows;
    }

    /** Under the account's lock, and only what is still old under it. */
    private long clean(Table table, Spot spot, List<Object> ids, Instant cutoff, Connection connection, Dialect dialect)
            throws SQLException {
        Loaded loaded = dialect.lockAndLoad(connection, Lookup.of(spot), clock, null);
        if (table == Table.DUE) {
            for (Account each : loaded.accounts().values()) {
                each.expire();
                dialect.store(connection, each.changes(), false);
            }
            return ids.size();
        }
        String where = " WHERE quota = ? AND holder = ? AND " + table.column + " = ? AND " + table.old;
        List<Change> closed = new ArrayList<>();
        long rows = 0;
        for (Object each : ids) {
            if (table == Table.PERIOD || table == Table.CREDIT) {
                try (PreparedStatement look = connection.prepareStatement(
                        "SELECT 1" + (table == Table.PERIOD ? ", spent" : ", 0") + " FROM " + table.name + where)) {
                    bind(look, spot, each, cutoff);
                    try (ResultSet found = look.executeQuery()) {
                        if (found.next()) {
                            closed.add(close(spot, each, found.getLong(2)));
                        }
                    }
                }
            }
            try (PreparedStatement delete = connection.prepareStatement("DELETE FROM " + table.name + where)) {
                bind(delete, spot, each, cutoff);
                rows += delete.executeUpdate();
            }
        }
        if (!closed.isEmpty()) {
            dialect.store(connection, closed, false);
        }
        return rows;
    }

    private Movement close(Spot spot, Object id, long spent) {
        return id instanceof Instant start
                ? new Movement(spot, now, start, Movement.Kind.CLOSE, -spent, 0, 0, null, null, null)
                : new Movement(spot, now, null, Movement.Kind.CLOSE, 0, 0, 0, null, null, (String) id);
    }

    private static void bind(PreparedStatement statement, Spot spot, Object id, Instant cutoff) throws SQLException {
        Write.bind(statement, 1, spot.quota());
        Write.bind(statement, 2, spot.holder());
        Write.bind(statement, 3, id);
        Write.bind(statement, 4, cutoff);
    }
}
