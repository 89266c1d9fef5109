package io.weir.quota;

import io.weir.store.NanoClock;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * What a ledger does besides answering, on one thread: reads whether what it remembers still holds, and takes back what was committed after its
 * caller had been told no.
 */
final class Upkeep implements AutoCloseable {

    private static final System.Logger LOG = System.getLogger(QuotaLedger.class.getName());
    private static final long PERIOD_MILLIS = 250;
    private static final long PATIENCE_MILLIS = 2_000;
    private static final int BATCH = 200;
    private static final int MAX_UNDONE = 10_000;
    private static final long UNDO_FOR_NANOS = TimeUnit.MINUTES.toNanos(10);

    private final Transactions transactions;
    private final Rejections rejections;
    private final NanoClock nanoClock;
    private final BlockingQueue<ToUndo> toUndo = new ArrayBlockingQueue<>(MAX_UNDONE);
    private final Thread thread;
    private volatile boolean closed;

    /** @param step null for nothing: there is something else to see to */
    private record ToUndo(@Nullable Step step, long sinceNanos) {}

    Upkeep(Transactions transactions, Rejections rejections, NanoClock nanoClock) {
        this.transactions = transactions;
        this.rejections = rejections;
        this.nanoClock = nanoClock;
        this.thread = new Thread(this::run, "weir-quota-upkeep");
        thread.setDaemon(true);
        thread.start();
    }

    /** Has a step taken back, if it was stored. */
    void undo(Step step) {
        if (closed && !thread.isAlive()) {
            LOG.log(
                    System.Logger.Level.WARNING,
                    "A step was committed after its caller had been told no, and the ledger was closed: the one under the key"
                            + " \"" + step.key() + "\" is not taken back.");
        } else if (!toUndo.offer(new ToUndo(step.undo(), nanoClock.nanoTime()))) {
            LOG.log(
                    System.Logger.Level.WARNING,
                    "More than " + MAX_UNDONE + " steps were committed after their callers had been told no; the one"
                            + " under the key \"" + step.key() + "\" is not taken back.");
        }
    }

    private void run() {
        while (!closed || !toUndo.isEmpty()) {
            try {
                ToUndo next = toUndo.poll(PERIOD_MILLIS, TimeUnit.MILLISECONDS);
                if (next != null && next.step != null) {
                    undo(next, next.step);
                }
                if (!closed) {
                    look();
                }
            } catch (InterruptedException e) {
                return; // by close, which has waited long enough
            } catch (SQLException e) {
                // Nothing to do: what is remembered is not believed for longer, and the desk tells of the outage.
                LOG.log(System.Logger.Level.DEBUG, "The versions of accounts could not be read.", e);
            } catch (RuntimeException e) {
                LOG.log(System.Logger.Level.ERROR, "A bug in the upkeep of quotas; it goes on.", e);
            }
        }
    }

    private void undo(ToUndo next, Step step) throws InterruptedException {
        try {
            transactions.decide(step, new Gate());
        } catch (SQLException e) {
            if (nanoClock.nanoTime() - next.sinceNanos < UNDO_FOR_NANOS && toUndo.offer(next)) {
                Thread.sleep(PERIOD_MILLIS);
            } else {
                LOG.log(
                        System.Logger.Level.WARNING,
                        "What was stored under the key \"" + step.key()
                                + "\" after its caller had been told no could not be taken back.",
                        e);
            }
        }
    }

    private void look() throws SQLException {
        List<Spot> watched = rejections.watched();
        for (int from = 0; from < watched.size() && !closed; from += BATCH) {
            List<Spot> batch = watched.subList(from, Math.min(watched.size(), from + BATCH));
            long before = nanoClock.nanoTime();
            Map<Spot, Long> raised = transactions.retried(new Gate(), (connection, dialect) -> {
                String sql = "SELECT quota, holder, raised FROM weir_quota_account WHERE "
                        + String.join(" OR ", Collections.nCopies(batch.size(), "(quota = ? AND holder = ?)"));
                try (PreparedStatement statement = connection.prepareStatement(sql)) {
                    int index = 1;
                    for (Spot each : batch) {
                        statement.setString(index++, each.quota());
                        statement.setString(index++, each.holder());
                    }
                    return versions(statement);
                }
            });
            if (raised != null) {
                rejections.read(batch, raised, before);
            }
        }
    }

    private static @Nullable Map<Spot, Long> versions(PreparedStatement statement) throws SQLException {
        Map<Spot, Long> versions = new HashMap<>();
        try (ResultSet rows = statement.executeQuery()) {
            while (rows.next()) {
                versions.put(new Spot(rows.getString(1), rows.getString(2)), rows.getLong(3));
            }
        }
        return versions;
    }

    /** Takes back what is to be taken back, unless that takes too long. */
    @Override
    public void close() {
        closed = true;
        var unused = toUndo.offer(new ToUndo(null, 0)); // if there is no room, it is not waiting
        try {
            thread.join(PATIENCE_MILLIS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        long left = toUndo.stream().filter(each -> each.step != null).count() + (thread.isAlive() ? 1 : 0);
        if (left > 0) {
            LOG.log(
                    System.Logger.Level.WARNING,
                    left
                            + " steps that were committed after their callers had been told no are not taken back: the ledger is"
                            + " closed.");
        }
        thread.interrupt();
    }
}
