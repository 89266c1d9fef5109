package io.weir.quota;

import java.sql.SQLException;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The database answers, and has no tables of quotas. Not an outage, which a failure policy answers: nothing but their migrations helps, and the message says
 * which. Nothing was moved.
 */
public final class TablesMissingException extends QuotaException {

    private static final long serialVersionUID = 1;

    /** PostgreSQL's, and H2's three. */
    private static final Set<String> STATES = Set.of("42P01", "42S02", "42S03", "42S04");

    private TablesMissingException(SQLException cause, String database) {
        super(
                "The database has no tables of quotas (" + StoredText.escaped("" + cause.getMessage())
                        + "); run the migrations in classpath:io/weir/quota/" + database
                        + ", and see that the DataSource is of the database and the schema that has them",
                cause);
    }

    /** Null if something else is the matter. */
    static @Nullable TablesMissingException in(SQLException exception) {
        for (Throwable each = exception; each != null; each = each.getCause()) {
            if (each instanceof SQLException sql && sql.getSQLState() != null && STATES.contains(sql.getSQLState())) {
                return new TablesMissingException(sql, sql.getSQLState().equals("42P01") ? "postgresql" : "h2");
            }
        }
        return null;
    }
}
