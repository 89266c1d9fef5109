package io.weir.quota;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Reads what a step starts from. One statement loads all of it, so that there is one round trip and one instant; so its rows are of several kinds, with
 * columns that mean:
 *
 * <pre>
 * kind            id   n1      n2        n3       n4      n5        t1     t2   t3          s1       s2     s3      s4
 * A account            cap     raised                               now         next expiry
 * P period             spent   reserved                             start  end
 * R reservation   id   amount  settled   charged  spent   reserved  start  end  expires at  state    parts  answer
 * C credit        id   amount  used                                             expires at
 * O operation     key  amount  refunded  0/1      spent   reserved  start  end  created at  request  parts  answer  attempt
 * </pre>
 *
 * {@code spent} and {@code reserved} of a reservation and an operation are those of their period, null if that was cleaned up.
 */
final class LoadedRows {

    static final String COLUMNS = "kind, quota, holder, id, n1, n2, n3, n4, n5, t1, t2, t3, s1, s2, s3, s4";

    private final Map<Spot, Account> accounts = new LinkedHashMap<>();
    private final List<Row> others = new ArrayList<>();
    private @Nullable Instant now;

    /** A row of another kind than account. */
    private record Row(
            char kind,
            Spot spot,
            String id,
            long n1,
            long n2,
            long n3,
            @Nullable Long n4,
            @Nullable Long n5,
            @Nullable Instant t1,
            @Nullable Instant t2,
            @Nullable Instant t3,
            String s1,
            String s2,
            String s3,
            String s4) {

        Window window() {
            if (t1 == null || t2 == null) {
                throw new IllegalStateException("a row of kind " + kind + " without a period");
            }
            return new Window(t1, t2);
        }

        Instant at() {
            if (t3 == null) {
                throw new IllegalStateException("a row of kind " + kind + " without its instant");
            }
            return t3;
        }
    }

    void read(ResultSet rows) throws SQLException {
        while (rows.next()) {
            char kind = rows.getString(1).charAt(0);
            Spot spot = new Spot(rows.getString(2), rows.getString(3));
            if (kind == 'A') {
                Instant at = instant(rows, 10);
                if (at == null) {
                    throw new IllegalStateException("the database told no time");
                }
                now = now == null ? at : now;
                accounts.put(spot, new Account(spot, at, number(rows, 5), rows.getLong(6), instant(rows, 12)));
            } else {
                others.add(new Row(
                        kind,
                        spot,
                        text(rows, 4),
                        rows.getLong(5),
                        rows.getLong(6),
                        rows.getLong(7),
                        number(rows, 8),
                        number(rows, 9),
                        instant(rows, 10),
                        instant(rows, 11),
                        instant(rows, 12),
                        text(rows, 13),
                        text(rows, 14),
                        text(rows, 15),
                        text(rows, 16)));
            }
        }
    }

    /** The time is that of the first account that was read. */
    Loaded loaded() {
        if (now == null) {
            throw new IllegalStateException("no account was loaded");
        }
        for (Row each : others) {
            Account account = accounts.get(each.spot);
            if (account != null) {
                give(account, each);
            }
        }
        return new Loaded(now, accounts);
    }

    private static void give(Account account, Row row) {
        switch (row.kind) {
            case 'P' -> account.loadPeriod(row.window(), row.n1, row.n2);
            case 'C' -> account.loadCredit(row.id, row.n1, row.n2, row.at());
            case 'R' -> {
                loadPeriod(account, row);
                account.loadHeld(new Held(
                        row.id,
                        Held.State.valueOf(row.s1),
                        row.n1,
                        row.n2,
                        row.n3,
                        row.window(),
                        row.at(),
                        Part.decode(row.s2),
                        row.s3.isEmpty() ? null : row.s3));
            }
            case 'O' -> {
                loadPeriod(account, row);
                account.loadOperation(new Operation(
                        row.id,
                        row.s1,
                        row.s4,
                        row.n1,
                        row.n2,
                        row.window(),
                        Part.decode(row.s2),
                        row.s3,
                        row.n3 == 1,
                        row.at()));
            }
            default -> throw new IllegalStateException("a row of kind " + row.kind);
        }
    }

    private static void loadPeriod(Account account, Row row) {
        if (row.n4 != null && row.n5 != null) {
            account.loadPeriod(row.window(), row.n4, row.n5);
        }
    }

    static @Nullable Instant instant(ResultSet rows, int column) throws SQLException {
        OffsetDateTime value = rows.getObject(column, OffsetDateTime.class);
        return value == null ? null : value.toInstant();
    }

    private static @Nullable Long number(ResultSet rows, int column) throws SQLException {
        long value = rows.getLong(column);
        return rows.wasNull() ? null : value;
    }

    private static String text(ResultSet rows, int column) throws SQLException {
        String value = rows.getString(column);
        return value == null ? "" : value;
    }
}
