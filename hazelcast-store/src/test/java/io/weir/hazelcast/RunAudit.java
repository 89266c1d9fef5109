package io.weir.hazelcast;

import io.weir.algorithm.Algorithm;
import io.weir.algorithm.State;
import io.weir.algorithm.Verdict;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Looks at each run of a processor by itself, and says what must not be: a write that says nothing new, or none that does; a
 * bucket above its capacity, or one that goes back in time; an entry that ends before what it says does; and whatever
 * {@link SettlementOracle} finds other than it should be.
 */
final class RunAudit {

    private final Trace trace;

    RunAudit(Trace trace) {
        this.trace = trace;
    }

    void check(SimulatedRun run) {
        if (run.answer().outcome() == CallAnswer.Outcome.FAILED) {
            trace.violated(() -> run + " met a bug: " + run.answer().problem());
        }
        StoredBucket after = run.written();
        if (run.backup() != (after != null || run.isRepeated())) {
            trace.violated(() -> run + (run.backup() ? " has a backup of nothing" : " has no backup"));
        }
        if (after == null) {
            requireNothingNew(run);
        } else {
            requireRightful(run, after);
            requireKept(run, after);
            requireNothingOlder(run, after.state());
            requireSomethingNew(run, after);
            Ledger.problem(after).ifPresent(problem -> trace.violated(() -> run + " left " + problem));
        }
        settled(run, after).ifPresent(problem -> trace.violated(() -> run + " " + problem));
    }

    private static Optional<String> settled(SimulatedRun run, @Nullable StoredBucket after) {
        if (!run.isDecided()) {
            return Optional.empty();
        }
        SettlementOracle oracle = new SettlementOracle(run.call().said(), run.before(), run.ownerNanos());
        return run.isRepeated() ? oracle.problemOfRepeated(run.answer()) : oracle.problem(run.answer(), after);
    }

    private void requireRightful(SimulatedRun run, StoredBucket after) {
        if (!run.rightful()) {
            trace.violated(() -> run + " was decided by a member that is not the owner: " + after);
        }
    }

    /** Entry and record last as long as a call can come again. */
    private void requireKept(SimulatedRun run, StoredBucket after) {
        if (run.entry().expiresAtNanos() < Ledger.neededUntilNanos(after)) {
            trace.violated(() -> run + " left what ends at " + run.entry().expiresAtNanos() + ", too early: " + after);
        }
        CallRecord last = run.last();
        CallRecord record = after.recordOf(run.call().said().node());
        if (last != null && record != null && record.keepUntilNanos() < last.keepUntilNanos()) {
            trace.violated(() -> run + " is forgotten before call " + last.number() + " can come again: " + record);
        }
    }

    private void requireNothingOlder(SimulatedRun run, State after) {
        if (run.before() == null) {
            return;
        }
        State before = run.before().state();
        boolean rebased = before.atNanos() - run.ownerNanos() > Algorithm.STEP_BACK_TOLERANCE_NANOS;
        if (after.atNanos() < before.atNanos() && !rebased) {
            trace.violated(() -> run + " moved time back (I2): " + before + " to " + after);
        }
        if (after.rule().version() < before.rule().version()) {
            trace.violated(() -> run + " brought back an older rule (L12): " + before + " to " + after);
        }
    }

    /** A node was told nothing about its lease that the owner does not know (L13). */
    private void requireNothingNew(SimulatedRun run) {
        LeaseAnswer lease = run.lease();
        if (run.before() == null || run.isRepeated() || lease == null) {
            return;
        }
        long at = Math.max(run.ownerNanos(), run.before().state().atNanos());
        long held = Ledger.held(run.before(), run.call().said().node(), at);
        if (lease.accepted() < held || lease.extended() || lease.lent() > 0) {
            trace.violated(() -> run + " settled a lease and did not write that (L13): " + lease);
        }
    }

    /** A denial that settles nothing is not written (I4). */
    private void requireSomethingNew(SimulatedRun run, StoredBucket after) {
        StoredBucket before = run.before();
        LeaseReport report = run.call().said().report();
        // A farewell is written for its number's sake.
        boolean farewell = report != null
                && report.isFarewell()
                && run.call().said().requests().isEmpty();
        if (before != null && !farewell && !moved(run) && saysTheSame(before, after, run)) {
            trace.violated(() -> run + " changed nothing and wrote (I4): " + before + " to " + after);
        }
    }

    /** Whether permits were granted, or given back. */
    private static boolean moved(SimulatedRun run) {
        boolean moved = false;
        for (int i = 0; i < run.answer().verdicts().size(); i++) {
            boolean granted = run.answer().verdicts().get(i) == Verdict.GRANTED;
            moved |= granted && run.call().said().requests().get(i).request().permits() > 0;
        }
        return moved;
    }

    /** Neither rule nor recall is another, nothing was settled, time did not go back. */
    private static boolean saysTheSame(StoredBucket before, StoredBucket after, SimulatedRun run) {
        LeaseAnswer lease = run.lease();
        long held = Ledger.held(before, run.call().said().node(), after.state().atNanos());
        boolean settled = lease != null && (lease.lent() > 0 || lease.accepted() < held);
        return before.state().rule().equals(after.state().rule())
                && before.state().atNanos() <= after.state().atNanos()
                && before.recallUntilNanos() == after.recallUntilNanos()
                && !settled;
    }
}
