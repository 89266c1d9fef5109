package io.weir.quota;

import io.weir.FailurePolicy;
import io.weir.store.NanoClock;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.Function;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * Quotas in a database: each step in a transaction of its own, which is retried if another one was in the way, and answered by the
 * deadline whatever the database does. One for an application; thread-safe.
 *
 * <p>The tables have to be there: run {@code io/weir/quota/postgresql} or {@code io/weir/quota/h2} from the class path as Flyway migrations, or their
 * SQL by hand.
 *
 * <p>When the database has not answered by the deadline, or fails, {@link #spend} and {@link #reserve} are answered by the quotas' {@linkplain Quota#failurePolicy
 * failure policy}: granted if all of the step's quotas grant, and otherwise denied. What was committed after its caller had been told no is
 * taken back, unless a replay got it as its answer meanwhile. All others throw {@link QuotaUnavailableException}, and may be asked again. A database without
 * the tables is no outage: all throw {@link TablesMissingException}.
 *
 * <p>A key that is exhausted is denied from memory, without the database, until its reset: for at most a second after somebody gave it
 * more room.
 */
public final class QuotaLedger extends Stepping implements AutoCloseable {

    /** The deadline of a ledger that is given none. */
    public static final Duration DEFAULT_DEADLINE = Duration.ofMillis(500);

    /** How many threads work for a ledger that is not told. */
    public static final int DEFAULT_WORKERS = 16;

    private final DataSource dataSource;
    private final @Nullable InstantSource clock;
    private final Duration deadline;
    private final NanoClock nanoClock = NanoClock.monotonic();
    private final SpendCounts counts;
    private final Transactions transactions;
    private final Rejections rejections;
    private final Desk desk;
    private final Lanes lanes;
    private final Upkeep upkeep;

    private QuotaLedger(Builder builder) {
        this.dataSource = builder.dataSource;
        this.clock = builder.clock;
        this.deadline = builder.deadline;
        this.counts = new SpendCounts(builder.meters);
        this.transactions = new Transactions(dataSource, clock, deadline);
        this.rejections = new Rejections(nanoClock, clock);
        this.desk = new Desk(builder.workers, deadline, nanoClock, counts);
        this.lanes = new Lanes(builder.workers, desk, transactions);
        this.upkeep = new Upkeep(transactions, rejections, nanoClock);
    }

    /** A ledger in the database of {@code dataSource}, PostgreSQL or H2, to be described. A pool should have as many connections as there are workers. */
    public static Builder over(DataSource dataSource) {
        return new Builder(dataSource);
    }

    /**
     * Quotas within the caller's own transaction, so that spend and effect commit together or not at all. No deadline, no failure policy, and no memory:
     * {@link RetryableQuotaException} and {@link QuotaUnavailableException} are the caller's to handle, by a roll-back. Never commits or rolls back, and leaves
     * isolation, auto-commit and time zone of the connection as they are. Accounts stay locked until the transaction ends: transactions that
     * take several steps should take them in one order, or be ready to be retried.
     *
     * @param connection in a transaction: {@link IllegalStateException} if it commits each statement by itself. Not to be used by another thread meanwhile
     */
    public QuotaOperations on(Connection connection) {
        try {
            return new OnConnection(connection, transactions.dialect(connection), clock, counts);
        } catch (SQLException e) {
            throw new QuotaUnavailableException("the connection does not tell which database it is of", e);
        }
    }

    /**
     * Does something on a thread of the caller's: {@code ledger.async(executor, quotas -> quotas.spend(key, charge))}.
     *
     * @param executor whose threads wait for the answer
     */
    public <T> CompletionStage<T> async(Executor executor, Function<QuotaOperations, T> work) {
        return CompletableFuture.supplyAsync(() -> work.apply(this), executor);
    }

    @Override
    public Balance peek(Quota quota, String key) {
        Charge charge = new Charge(quota, key, 0);
        Balance balance = desk.ask(
                gate -> transactions.retried(
                        gate, (connection, dialect) -> OnConnection.peek(dialect, connection, charge, clock)),
                gate -> {});
        if (balance == null) {
            throw unavailable("peek");
        }
        return balance;
    }

    /**
     * Compares every balance, reservation and credit with the history that it has to follow from, and repairs nothing. Reads all of it, in one
     * transaction on the caller's thread: for a quiet hour.
     *
     * @return what differs; empty if all agrees
     */
    public List<Difference> verify() {
        return unbounded("verify", (connection, dialect) -> Verification.differences(connection));
    }

    /**
     * Deletes what is older than {@code retention} says, on the caller's thread: looked up in batches, deleted in a transaction for each account, so that nobody waits
     * for another's. The history stays. To be called now and then, by a job of the application's: nothing else deletes anything.
     *
     * @return how many rows are gone
     */
    public long cleanUp(Retention retention) {
        Instant now = unbounded("clean up", (connection, dialect) -> dialect.now(connection, clock));
        CleanUp cleanUp = new CleanUp(retention, now, clock, deadline);
        long rows = 0;
        for (CleanUp.Table each : CleanUp.Table.values()) {
            long batch;
            do {
                batch = 0;
                for (Map.Entry<Spot, List<Object>> old : unbounded(
                                "clean up", (connection, dialect) -> cleanUp.look(each, connection))
                        .entrySet()) {
                    batch += cleaned(cleanUp, each, old.getKey(), old.getValue());
                }
                rows += batch;
            } while (batch > 0);
        }
        return rows;
    }

    /** Whether the database decides or failure policies answer, since when and why, as the last steps found it. Asks the database for nothing. */
    public LedgerHealth health() {
        return desk.health();
    }

    /** Ends the ledger's threads, after what they are at; from then on failure policies answer. The {@code DataSource} stays open. */
    @Override
    public void close() {
        desk.close();
        upkeep.close();
    }

    @Override
    QuotaDecision take(Step step) {
        boolean policyGrants =
                step.charges().stream().allMatch(each -> each.quota().failurePolicy() == FailurePolicy.GRANT);
        Rejections.Answer remembered = rejections.answer(step);
        if (remembered != null) {
            Boolean replay = remembered.mayBeReplay() ? isReplay(step, remembered.denial()) : Boolean.FALSE;
            if (replay == null) { // the deadline is over
                return counts.counted(step.charges(), QuotaDecision.byPolicy(policyGrants, step.charges()));
            } else if (!replay) {
                return counts.counted(step.charges(), remembered.denial());
            }
        }
        QuotaDecision answer = decide(step, policyGrants && step.kind() == Step.Kind.SPEND);
        return counts.counted(
                step.charges(), answer == null ? QuotaDecision.byPolicy(policyGrants, step.charges()) : answer);
    }

    @Override
    QuotaDecision certain(Step step) {
        QuotaDecision answer = decide(step, true);
        if (answer == null) {
            throw unavailable(step.kind().words());
        }
        return answer;
    }

    /** @param stands whether what is committed after its caller has left is to stay */
    private @Nullable QuotaDecision decide(Step step, boolean stands) {
        long before = nanoClock.nanoTime();
        Caller<Decided> caller = new Caller<>(gate -> {
            if (!stands) {
                upkeep.undo(step);
            }
        });
        PlainSpend.Attempt attempt = transactions.attempt(step);
        Decided decided = attempt == null
                ? desk.ask(gate -> transactions.decide(step, gate), caller)
                : desk.ask(caller, () -> lanes.enter(new Batch.Waiting(attempt, caller)));
        if (decided == null) {
            return null;
        }
        for (Change each : decided.changes()) {
            if (each instanceof Change.Raised raised) {
                rejections.forget(raised.spot());
            } else if (each instanceof Change.CapChanged changed) {
                rejections.forget(changed.spot());
            }
        }
        rejections.remember(step, decided.known(), before);
        return decided.answer();
    }

    /** One look by primary key: charges are stored together, so that the first tells for all. Null without an answer. */
    private @Nullable Boolean isReplay(Step step, QuotaDecision denial) {
        Spot spot = Spot.of(step.charges().get(0));
        Boolean found = desk.ask(
                gate -> transactions.retried(gate, (connection, dialect) -> {
                    try (PreparedStatement statement =
                            connection.prepareStatement("SELECT 1 FROM weir_quota_operation WHERE quota = ?"
                                    + " AND holder = ? AND idempotency_key = ?")) {
                        statement.setString(1, spot.quota());
                        statement.setString(2, spot.holder());
                        statement.setString(3, step.key().stored());
                        try (ResultSet rows = statement.executeQuery()) {
                            return rows.next();
                        }
                    }
                }),
                gate -> {});
        if (found != null && !found) {
            rejections.knowNoReplay(step, denial);
        }
        return found;
    }

    /** How many rows of an account are gone: none if somebody else has it, until next time. */
    private long cleaned(CleanUp cleanUp, CleanUp.Table table, Spot spot, List<Object> ids) {
        try {
            return Objects.requireNonNull(transactions.<Long>patiently(
                    (connection, dialect) -> cleanUp.clean(table, spot, ids, connection, dialect)));
        } catch (SQLException e) {
            if (Failure.of(e) == Failure.RETRYABLE) {
                return 0;
            }
            throw failed("clean up", e);
        }
    }

    private <T> T unbounded(String what, Transactions.Work<T> work) {
        try {
            return Objects.requireNonNull(transactions.patiently(work));
        } catch (SQLException e) {
            throw failed(what, e);
        }
    }

    private static QuotaException failed(String what, SQLException e) {
        TablesMissingException missing = TablesMissingException.in(e);
        return missing == null
                ? new QuotaUnavailableException(what + " failed: " + StoredText.escaped("" + e.getMessage()), e)
                : missing;
    }

    private QuotaUnavailableException unavailable(String what) {
        return new QuotaUnavailableException(
                "the database has not answered \"" + what + "\" within " + deadline + ", or failed", null);
    }

    /** Describes a {@link QuotaLedger}. Not thread-safe. */
    public static final class Builder {
        private final DataSource dataSource;
        private @Nullable InstantSource clock;
        private Duration deadline = DEFAULT_DEADLINE;
        private int workers = DEFAULT_WORKERS;
        private QuotaMeters meters = QuotaMeters.NONE;

        private Builder(DataSource dataSource) {
            this.dataSource = Objects.requireNonNull(dataSource, "dataSource");
        }

        /**
         * The time of all decisions, read once for each, under its lock. By default it is the database's, which all nodes share; a clock
         * costs one more round trip on PostgreSQL.
         */
        public Builder clock(InstantSource value) {
            this.clock = Objects.requireNonNull(value, "clock");
            return this;
        }

        /** How long a caller waits at most; from 1 ms to an hour, by default {@link #DEFAULT_DEADLINE}. */
        public Builder deadline(Duration value) {
            if (value.toMillis() < 1 || value.compareTo(Duration.ofHours(1)) > 0) {
                throw new IllegalArgumentException("deadline must be from 1 ms to an hour, and is " + value);
            }
            this.deadline = value;
            return this;
        }

        /** How many steps are with the database at a time; others wait their turn, up to a thousand. From 1, by default {@value #DEFAULT_WORKERS}. */
        public Builder workers(int value) {
            if (value < 1) {
                throw new IllegalArgumentException("workers must be at least 1, and is " + value);
            }
            this.workers = value;
            return this;
        }

        /** Where the ledger reports what it does. By default nowhere. */
        public Builder meters(QuotaMeters value) {
            this.meters = Objects.requireNonNull(value, "meters");
            return this;
        }

        /** Starts the ledger. It asks the database for nothing yet. */
        public QuotaLedger build() {
            return new QuotaLedger(this);
        }
    }
}
