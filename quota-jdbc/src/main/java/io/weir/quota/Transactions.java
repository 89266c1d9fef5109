package io.weir.quota;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
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

    /** The step's outcome; null if its caller left before anything was written. */
    @Nullable
    Decided decide(Step step, Gate gate) throws SQLException {
        PlainSpend.Attempt attempt = plain.attempt(step, clock);
        if (attempt != null) {
            if (!gate.mayWrite()) {
                return null;
            }
            Decided done = spentPlainly(attempt);
            if (done != null) {
                plain.learn(attempt, done);
                return done;
            }
        }
        AtomicReference<Instant> about = new AtomicReference<>(clock == null ? Instant.now() : clock.instant());
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

    /** Null if it was not done; and where it is not known, since the step finds out whether it was when it is tried again. */
    private @Nullable Decided spentPlainly(PlainSpend.Attempt attempt) throws SQLException {
        try (Connection connection = dataSource.getConnection()) {
            boolean committing = connection.getAutoCommit();
            int timeout = connection.getNetworkTimeout();
            if (!committing) {
                connection.setAutoCommit(true);
            }
            connection.setNetworkTimeout(Runnable::run, silenceMillis());
            try {
                return dialect(connection).spendPlainly(connection, attempt, clock);
            } finally {
                connection.setNetworkTimeout(Runnable::run, timeout);
                if (!committing) {
                    connection.setAutoCommit(false);
                }
            }
        } catch (SQLException e) {
            if (Failure.of(e) == Failure.FATAL) {
                throw e;
            }
            return null;
        }
    }

    /** Runs {@code work}, and again if another transaction was in the way or the connection broke, unless the caller has left. */
    <T> @Nullable T retried(Gate gate, Work<T> work) throws SQLException {
        for (int tries = 1; ; tries++) {
            try {
                return once(work);
            } catch (SQLException e) {
                if (Failure.of(e) == Failure.FATAL || tries == MAX_TRIES || gate.isLeft()) {
                    throw e;
                }
            }
            LockSupport.parkNanos(FIRST_PAUSE_NANOS << tries);
        }
    }

    private <T> @Nullable T once(Work<T> work) throws SQLException {
        try (Connection connection = dataSource.getConnection()) {
            Dialect known = dialect(connection);
            boolean committing = connection.getAutoCommit();
            int timeout = connection.getNetworkTimeout();
            Integer isolation = known.isolatesByItself() ? null : connection.getTransactionIsolation();
            if (committing) {
                connection.setAutoCommit(false);
            }
            if (isolation != null && isolation != Connection.TRANSACTION_READ_COMMITTED) {
                connection.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
            }
            connection.setNetworkTimeout(Runnable::run, silenceMillis());
            T result;
            try {
                result = work.run(connection, known);
            } catch (Throwable e) {
                try {
                    restore(connection, committing, timeout, isolation);
                } catch (SQLException broken) {
                    e.addSuppressed(broken);
                }
                throw e;
            }
            restore(connection, committing, timeout, isolation);
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
        connection.rollback();
        connection.setNetworkTimeout(Runnable::run, timeout);
        if (isolation != null && isolation != Connection.TRANSACTION_READ_COMMITTED) {
            connection.setTransactionIsolation(isolation);
        }
        if (committing) {
            connection.setAutoCommit(true);
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
