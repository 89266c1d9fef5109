package io.weir.quota;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What databases say in different words. Within a transaction that the caller has begun and will end, unless it says otherwise. */
interface Dialect {

    /** Of a database that has one. */
    static Dialect of(Connection connection) throws SQLException {
        String product = connection.getMetaData().getDatabaseProductName();
        return switch (product) {
            case "PostgreSQL" -> new PostgresStatements();
            case "H2" -> new H2Statements();
            default ->
                throw new IllegalArgumentException(
                        "quotas are kept in PostgreSQL or H2, and this DataSource is of " + product);
        };
    }

    /**
     * Locks accounts, those that are not there created before, in an order that all steps have in common; and then reads the time and, at
     * that instant, what is looked for.
     *
     * @param clock the time; null for the database's
     * @param own null in the caller's transaction; otherwise for how long to wait for the locks, in a transaction that is read committed
     */
    Loaded lockAndLoad(Connection connection, Lookup lookup, @Nullable InstantSource clock, @Nullable Duration own)
            throws SQLException;

    /** Whether {@link #spendTogether} is worth its while: not where a statement costs no round trip. */
    default boolean combines() {
        return false;
    }

    /**
     * Does plain spends in one statement, which is its own transaction: those of each group, if there is nothing out of the ordinary about any of
     * them. Says of each group what came of it.
     *
     * @param patience for how long to wait for the groups' accounts; null for not at all
     */
    default void spendTogether(
            Connection connection, List<Group> groups, @Nullable InstantSource clock, @Nullable Duration patience)
            throws SQLException {
        throw new UnsupportedOperationException("it does not combine");
    }

    /** What a balance needs, without a lock. */
    Loaded load(Connection connection, Charge charge, @Nullable InstantSource clock) throws SQLException;

    /** The time: of {@code clock} or, if that is null, of the database. */
    Instant now(Connection connection, @Nullable InstantSource clock) throws SQLException;

    /** Whether a transaction that is locked in is read committed by the statements here, and without a round trip. */
    boolean isolatesByItself();

    /** Stores {@code changes} and, if {@code commit}, commits. */
    void store(Connection connection, List<Change> changes, boolean commit) throws SQLException;
}
