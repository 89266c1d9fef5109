package io.weir.quota;

import io.weir.quota.Batch.Waiting;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Combining: plain spends wait in lanes, and whatever waits in a lane when its turn comes leaves together, in one statement. While that is on its way
 * the next ones gather, so that the busier it is, the more of them share a round trip and a transaction; one that comes alone leaves at once. An account
 * has one lane, so that its spends do not get in each other's way.
 *
 * <p>No batch waits for a lock, since all in it would wait along. Spends of an account that somebody else has go on as a batch of their own that
 * does; whatever is out of the ordinary is decided one by one. Bounded; thread-safe.
 */
final class Lanes {

    /** How many leave together at most. */
    static final int MOST = 64;

    private static final int WAITING = 1_024;
    private static final int WORKERS_OF_A_LANE = 8;

    private final Desk desk;
    private final Transactions transactions;
    private final Lane[] lanes;

    /** @param workers of the desk; a lane for each eight of them: fewer lanes have larger batches, and leave workers to what is decided alone */
    Lanes(int workers, Desk desk, Transactions transactions) {
        this.desk = desk;
        this.transactions = transactions;
        this.lanes = new Lane[Math.max(1, workers / WORKERS_OF_A_LANE)];
        for (int i = 0; i < lanes.length; i++) {
            lanes[i] = new Lane();
        }
    }

    /** Whether there is a place; then its caller is answered. */
    boolean enter(Waiting waiting) {
        int hash = Spot.of(waiting.attempt().charge()).hashCode();
        return lanes[Math.floorMod(hash ^ (hash >>> 16), lanes.length)].enter(waiting);
    }

    /** A queue, and at most one worker at it. */
    private final class Lane implements Runnable {
        private final BlockingQueue<Waiting> queue = new ArrayBlockingQueue<>(WAITING);
        private final AtomicBoolean served = new AtomicBoolean();

        boolean enter(Waiting waiting) {
            if (!queue.offer(waiting)) {
                return false;
            }
            if (served.compareAndSet(false, true) && !desk.submit(this)) {
                abandon();
            }
            return true;
        }

        /** Nobody comes for those who wait here; the next one tries again. */
        private void abandon() {
            served.set(false);
            for (Waiting each = queue.poll(); each != null; each = queue.poll()) {
                each.caller().answer(null);
            }
        }

        @Override
        public void run() {
            boolean orderly = false;
            try {
                serve();
                orderly = true;
            } finally {
                if (!orderly) { // an error of the JVM's: the lane must not stay closed
                    abandon();
                }
            }
        }

        @SuppressWarnings("ThreadPriorityCheck") // a matter of speed only
        private void serve() {
            int last = 0;
            do {
                if (queue.size() < last) {
                    Thread.yield(); // those who were answered are about to ask again
                }
                List<Waiting> some = new ArrayList<>();
                last = queue.drainTo(some, MOST);
                leave(some, false);
                if (queue.isEmpty()) {
                    served.set(false);
                    if (queue.isEmpty() || !served.compareAndSet(false, true)) {
                        return;
                    }
                }
            } while (!desk.isBehindOthers(this));
        }
    }

    private void leave(List<Waiting> some, boolean waits) {
        if (some.isEmpty()) {
            return;
        }
        Batch batch = new Batch(some);
        try {
            transactions.spendTogether(batch, waits);
        } catch (SQLException e) {
            if (Failure.of(e) == Failure.RETRYABLE) { // the server says so, and so nothing is stored
                some.forEach(each -> each.caller().gate().unwritten());
            }
            some.forEach(this::goAlone); // each finds out by its key whether it was done
            return;
        } catch (Throwable e) {
            some.forEach(each -> each.caller().fail(e));
            return;
        }
        if (!batch.groups().isEmpty()) { // else all had left, and nothing was asked
            desk.back();
        }
        for (Group each : batch.groups()) {
            if (each.outcome() == Group.Outcome.DONE) {
                answer(each);
            }
        }
        for (Group each : batch.groups()) {
            switch (each.outcome()) {
                case DONE -> {} // answered first of all
                case LOCKED -> hand(() -> leave(each.members(), true));
                case OTHERWISE -> each.members().forEach(this::goAlone);
            }
        }
        batch.alone().forEach(this::goAlone);
    }

    private static void answer(Group group) {
        List<Decided> decided = group.decided();
        for (int i = 0; i < decided.size(); i++) {
            group.members().get(i).caller().answer(decided.get(i));
        }
    }

    private void goAlone(Waiting waiting) {
        Step step = waiting.attempt().step();
        hand(() -> desk.serve(gate -> transactions.decide(step, gate), waiting.caller()));
    }

    /** To another worker; if there is no place, or the desk is being closed, it is done here. */
    private void hand(Runnable work) {
        if (!desk.submit(work)) {
            work.run();
        }
    }
}
