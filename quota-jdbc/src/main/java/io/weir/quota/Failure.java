package io.weir.quota;

import java.sql.SQLException;
import java.sql.SQLRecoverableException;
import java.sql.SQLTransientConnectionException;
import java.util.Set;

/** What can be done about an exception of the database. */
enum Failure {
    /** Another transaction was in the way: the same again may work. */
    RETRYABLE,
    /** The connection is gone, or there is none: another one may work. */
    CONNECTION,
    /** A mistake, such as tables that are not there. */
    FATAL;

    /** H2's lock timeout, concurrent update and deadlock. */
    private static final Set<Integer> H2_RETRYABLE = Set.of(50200, 90131, 40001);

    static Failure of(SQLException exception) {
        for (Throwable each = exception; each != null; each = each.getCause()) {
            if (each instanceof SQLException sql) {
                String state = sql.getSQLState() == null ? "" : sql.getSQLState();
                if (state.startsWith("40") || state.equals("23505") || state.equals("55P03")) {
                    return RETRYABLE;
                }
                if (H2_RETRYABLE.contains(sql.getErrorCode())) {
                    return RETRYABLE;
                }
                if (state.startsWith("08")
                        || state.startsWith("57P")
                        || state.startsWith("53")
                        || sql instanceof SQLTransientConnectionException
                        || sql instanceof SQLRecoverableException) {
                    return CONNECTION;
                }
            }
        }
        return FATAL;
    }
}
