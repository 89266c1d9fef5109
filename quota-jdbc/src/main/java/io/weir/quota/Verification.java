package io.weir.quota;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/** Recomputes what is stored from the history. Each comparison is one statement, and so of one moment. */
final class Verification {

    private static final String PERIODS = "SELECT quota, holder, CAST(period_start AS VARCHAR),"
            + " SUM(spent), SUM(reserved), SUM(spent_then), SUM(reserved_then) FROM ("
            + "SELECT quota, holder, period_start, spent, reserved, 0 AS spent_then, 0 AS reserved_then"
            + " FROM weir_quota_period UNION ALL SELECT quota, holder, period_start, 0, 0, spent, reserved"
            + " FROM weir_quota_ledger WHERE credit IS NULL AND period_start IS NOT NULL) AS both_sides"
            + " GROUP BY quota, holder, period_start"
            + " HAVING SUM(spent) <> SUM(spent_then) OR SUM(reserved) <> SUM(reserved_then)";

    /** What is held and charged; one that is not there holds nothing. */
    private static final String RESERVATIONS = "SELECT quota, holder, id, SUM(held), SUM(charged), SUM(held_then),"
            + " SUM(charged_then) FROM (SELECT quota, holder, id, CASE WHEN state = 'OPEN' THEN amount ELSE 0 END AS held,"
            + " charged, 0 AS held_then, 0 AS charged_then, 1 AS is_there FROM weir_quota_reservation"
            + " UNION ALL SELECT quota, holder, reservation, 0, 0, reserved, spent, 0 FROM weir_quota_ledger"
            + " WHERE reservation IS NOT NULL) AS both_sides GROUP BY quota, holder, id"
            + " HAVING SUM(held) <> SUM(held_then) OR (SUM(is_there) > 0 AND SUM(charged) <> SUM(charged_then))";

    /** Of those that were not cleaned up. */
    private static final String CREDITS = "SELECT quota, holder, id, SUM(amount), SUM(used), SUM(amount_then),"
            + " SUM(used_then) FROM (SELECT quota, holder, id, amount, used, 0 AS amount_then, 0 AS used_then, 0 AS closed"
            + " FROM weir_quota_credit UNION ALL SELECT quota, holder, credit, 0, 0, amount, spent + reserved,"
            + " CASE WHEN kind = 'CLOSE' THEN 1 ELSE 0 END FROM weir_quota_ledger WHERE credit IS NOT NULL) AS both_sides"
            + " GROUP BY quota, holder, id"
            + " HAVING SUM(closed) = 0 AND (SUM(amount) <> SUM(amount_then) OR SUM(used) <> SUM(used_then))";

    private Verification() {}

    static List<Difference> differences(Connection connection) throws SQLException {
        List<Difference> differences = new ArrayList<>();
        compare(connection, PERIODS, "period", "spent %s, reserved %s", differences);
        compare(connection, RESERVATIONS, "reservation", "held %s, charged %s", differences);
        compare(connection, CREDITS, "credit", "granted %s, used %s", differences);
        return List.copyOf(differences);
    }

    private static void compare(
            Connection connection, String sql, String table, String numbers, List<Difference> differences)
            throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql);
                ResultSet rows = statement.executeQuery()) {
            while (rows.next()) {
                differences.add(new Difference(
                        table + " " + rows.getString(3) + " of quota " + rows.getString(1) + " for key \""
                                + rows.getString(2) + "\"",
                        numbers.formatted(rows.getString(4), rows.getString(5)),
                        numbers.formatted(rows.getString(6), rows.getString(7))));
            }
        }
    }
}
