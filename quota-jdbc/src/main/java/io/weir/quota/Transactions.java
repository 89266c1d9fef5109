package io.weir.quota;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Predicate;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** Runs work in transactions of the ledger's own, again where another one was in the way. Connections go back as they came. Thread-safe. */
final class Transactions {

    private static final int MAX_TRIES = 8;
    private static final long FIRST_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(2);

    private final DataSource dataSource;
    private final @Nullable InstantSource clock;
    private final Duration patience;
    private final PlainSpend plain = new PlainSpend();
    private volatile @Nullable Dialect dialect;

    /** @param patience how long to wait for a lock; a connection that is silent for much longer is given up */
    Transactions(DataSource dataSource, @Nullable InstantSource clock, Duration patience) {
        this.dataSource = dataSource;
        this.clock = clock;
        this.patience = patience;
    }

    /** Work within a transaction that is neither committed nor rolled back by it, unless it says so. */
    interface Work<T> {
        @Nullable
        T run(Connection connection, Dialect dialect) throws SQLException;
    }

    /** How the step may be done together with others; null if it cannot, or is likely not to. */
    PlainSpend.@Nullable Attempt attempt(Step step) {
        Dialect known = dialect;
        return known == null || !known.combines() ? null : plain.attempt(step, clock);
    }

    /** The step's outcome; null if its caller left before anything was written. */
    @Nullable
    Decided decide(Step step, Gate gate) throws SQLException {
        AtomicReference<Instant> about = new AtomicReference<>(ProbableTime.of(clock));
        return retried(gate, (connection, known) -> {
            Loaded loaded = known.lockAndLoad(
                    connection, Lookup.of(step, Objects.requireNonNull(about.get())), clock, patience);
            about.set(loaded.now()); // if this is tried again, it looks for the period that it really is in
            Decided decided = Decider.decide(step, loaded);
            if (!decided.changes().isEmpty()) {
                if (!gate.mayWrite()) {
                    return null;
                }
                known.store(connection, decided.changes(), true);
            }
            plain.learn(step, loaded, decided);
            return decided;
        });
    }

    /**
     * Does in one transaction what can be, of those whose callers are still there once there is a connection. Never again by itself: where it is
     * not known what came of it, each step finds out when it is decided.
     *
     * @param waits whether to wait for the locks of accounts
     */
    void spendTogether(Batch batch, boolean waits) throws SQLException {
        once(true, silenceMillis(), (connection, known) -> {
            List<Group> groups = batch.begin();
            if (!groups.isEmpty()) {
                known.spendTogether(connection, groups, clock, waits ? patience : null);
            }
            return null;
        });
        batch.groups().forEach(plain::learn);
    }

    /** Runs {@code work}, and again if another transaction was in the way or the connection broke, unless the caller has left. */
    <T> @Nullable T retried(Gate gate, Work<T> work) throws SQLException {
        return repeated(silenceMillis(), e -> Failure.of(e) != Failure.FATAL && !gate.isLeft(), work);
    }

    /** Runs {@code work} that nobody waits for with a deadline, however long it takes; and again if another transaction was in the way. */
    <T> @Nullable T patiently(Work<T> work) throws SQLException {
        return repeated(null, e -> Failure.of(e) == Failure.RETRYABLE, work);
    }

    private <T> @Nullable T repeated(@Nullable Integer silenceMillis, Predicate<SQLException> mayWork, Work<T> work)
            throws SQLException {
        for (int tries = 1; ; tries++) {
            try {
                return once(false, silenceMillis, work);
            } catch (SQLException e) {
                if (tries == MAX_TRIES || !mayWork.test(e)) {
                    throw e;
                }
            }
            LockSupport.parkNanos(FIRST_PAUSE_NANOS << tries);
        }
    }

    /**
     * @param committing whether each statement is to commit by itself
     * @param silenceMillis after how long without an answer the connection is given up; null for what it has by itself
     */
    private <T> @Nullable T once(boolean committing, @Nullable Integer silenceMillis, Work<T> work)
            throws SQLException {
        try (Connection connection = dataSource.getConnection()) {
            Dialect known = dialect(connection);
            boolean found = connection.getAutoCommit();
            int timeout = connection.getNetworkTimeout();
            Integer isolation = known.isolatesByItself() ? null : connection.getTransactionIsolation();
            if (found != committing) {
                connection.setAutoCommit(committing);
            }
            if (isolation != null && isolation != Connection.TRANSACTION_READ_COMMITTED) {
                connection.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
            }
            if (silenceMillis != null) {
                connection.setNetworkTimeout(Runnable::run, silenceMillis);
            }
            T result;
            try {
                result = work.run(connection, known);
            } catch (Throwable e) {
                try {
                    restore(connection, found, timeout, isolation);
                } catch (SQLException broken) {
                    e.addSuppressed(broken);
                }
                throw e;
            }
            restore(connection, found, timeout, isolation);
            return result;
        }
    }

    /** After so long without an answer, a connection is given up. */
    private int silenceMillis() {
        return Math.toIntExact(2 * patience.toMillis() + 1_000);
    }

    /** Rolls back what was not committed, first of all: switching auto-commit on would commit it. */
    private static void restore(Connection connection, boolean committing, int timeout, @Nullable Integer isolation)
            throws SQLException {
        boolean now = connection.getAutoCommit();
        if (!now) {
            connection.rollback();
        }
        connection.setNetworkTimeout(Runnable::run, timeout);
        if (isolation != null && isolation != Connection.TRANSACTION_READ_COMMITTED) {
            connection.setTransactionIsolation(isolation);
        }
        if (committing != now) {
            connection.setAutoCommit(committing);
        }
    }

    Dialect dialect(Connection connection) throws SQLException {
        Dialect known = dialect;
        if (known == null) {
            known = Dialect.of(connection);
            dialect = known;
        }
        return known;
    }
}
