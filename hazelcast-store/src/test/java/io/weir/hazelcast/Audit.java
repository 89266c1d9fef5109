package io.weir.hazelcast;

import io.weir.algorithm.Algorithm;
import io.weir.algorithm.Bandwidth;
import io.weir.algorithm.Request;
import io.weir.algorithm.Rule;
import io.weir.algorithm.State;
import io.weir.algorithm.Verdict;
import io.weir.store.NanoClock;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Watches every run of a processor and every grant, and says what must not be.
 *
 * <p>At once: a bucket is never above its capacity, its instant does not go back, a call is executed once and not after a
 * later one, nobody is charged for what nobody waits for, a backup is what its owner has, and an entry lives as long as it
 * means something. In the end: I1, see {@link KeyHistory}.
 */
final class Audit {

    private final NanoClock clock;
    private final Trace trace;
    private final boolean clocksAgree;
    private final boolean writesLast;
    private final Map<String, KeyHistory> histories = new LinkedHashMap<>();
    private long decisions;

    /**
     * @param clock the true time
     * @param clocksAgree whether all owners' clocks show the same and go on evenly
     * @param writesLast whether an owner takes over with all that callers know of
     */
    Audit(NanoClock clock, Trace trace, boolean clocksAgree, boolean writesLast) {
        this.clock = clock;
        this.trace = trace;
        this.clocksAgree = clocksAgree;
        this.writesLast = writesLast;
    }

    /** What a processor is going to find in an entry. */
    @Nullable
    StoredBucket opened(SimulatedEntry entry, long ownerNanos) {
        StoredBucket stored = entry.stored();
        if (stored != null && entry.isExpired()) {
            if (clocksAgree && Ledger.neededUntilNanos(stored) > ownerNanos) {
                trace.violated(() -> entry.getKey() + " expired at " + ownerNanos + " while it was needed: " + stored);
            }
            return null;
        }
        return stored;
    }

    /**
     * A processor has run.
     *
     * @param before what it found
     * @param entry what it left
     * @param rightful whether the member that ran it is the owner
     */
    void ran(
            SimulatedCall call,
            long ownerNanos,
            @Nullable StoredBucket before,
            SimulatedEntry entry,
            CallAnswer answer,
            boolean backup,
            boolean rightful) {
        if (answer.outcome() == CallAnswer.Outcome.FAILED) {
            trace.violated(() -> call + " met a bug: " + answer.problem());
        }
        CallRecord last = before == null ? null : before.recordOf(call.said().node());
        boolean repeated = answer.outcome() == CallAnswer.Outcome.DECIDED
                && last != null
                && last.number() == call.said().number();
        if (backup != (entry.isWritten() || repeated)) {
            trace.violated(() -> call + (backup ? " has a backup of nothing" : " has no backup"));
        }
        if (!entry.isWritten() && !repeated && before != null && isUnwritten(call.said(), before, answer, ownerNanos)) {
            trace.violated(() -> call + " settled a lease and did not write that (L13): " + answer.lease());
        }
        StoredBucket after = entry.stored();
        if (entry.isWritten() && after != null) {
            if (!rightful) {
                trace.violated(() -> call + " was decided by a member that is not the owner");
            }
            if (entry.expiresAtNanos() < Ledger.neededUntilNanos(after)) {
                trace.violated(() -> call + " left what ends at " + entry.expiresAtNanos() + ", too early: " + after);
            }
            Ledger.problem(after).ifPresent(problem -> trace.violated(() -> call + " left " + problem));
            CallRecord record = after.recordOf(call.said().node());
            if (last != null && record != null && record.keepUntilNanos() < last.keepUntilNanos()) {
                trace.violated(
                        () -> call + " is forgotten before call " + last.number() + " can come again: " + record);
            }
            if (before != null) {
                compare(call, before.state(), after.state(), ownerNanos);
            }
            executed(call, before, after, entry.version(), answer);
        }
    }

    /** Whether a node was told anything about its lease that the owner does not know. */
    private static boolean isUnwritten(
            SimulatedWire.Said said, StoredBucket before, CallAnswer answer, long ownerNanos) {
        LeaseAnswer lease = answer.lease();
        long held = Ledger.held(
                before, said.node(), Math.max(ownerNanos, before.state().atNanos()));
        return lease != null && (lease.accepted() < held || lease.extended() || lease.lent() > 0);
    }

    private void compare(SimulatedCall call, State before, State after, long ownerNanos) {
        boolean rebased = before.atNanos() - ownerNanos > Algorithm.STEP_BACK_TOLERANCE_NANOS;
        if (after.atNanos() < before.atNanos() && !rebased) {
            trace.violated(() -> call + " moved time back (I2): " + before + " to " + after);
        }
        if (after.rule().version() < before.rule().version()) {
            trace.violated(() -> call + " brought back an older rule: " + before + " to " + after);
        }
    }

    private void executed(
            SimulatedCall call, @Nullable StoredBucket before, StoredBucket after, long version, CallAnswer answer) {
        KeyHistory history = history(call.key());
        history.execute(call.said(), version).ifPresent(problem -> trace.violated(() -> call + " " + problem));
        history.ruledBy(
                after.state().rule(),
                decisions,
                Ledger.lent(after, after.state().atNanos()));
        call.decided(clock.nanoTime(), answer.verdicts(), decisions);
        boolean charged = false;
        boolean refunded = false;
        List<BucketCall.Timed> requests = call.said().requests();
        for (int i = 0; i < requests.size(); i++) {
            Request request = requests.get(i).request();
            if (answer.verdicts().get(i) == Verdict.GRANTED && request instanceof Request.GiveBack) {
                refunded = true;
                history.granted(-request.permits(), clock.nanoTime(), decisions + i);
            }
            charged |= answer.verdicts().get(i) == Verdict.GRANTED && request.permits() > 0;
        }
        decisions += requests.size();
        LeaseReport report = call.said().report();
        if (report != null) {
            history.returned(report.returned());
        }
        boolean lent = answer.lease() != null && answer.lease().lent() > 0;
        if ((charged || lent) && clocksAgree && clock.nanoTime() > call.latestDecisionNanos()) {
            trace.violated(() -> call + " charged at a time when nobody could wait for it any more");
        }
        boolean farewell = report != null && report.isFarewell() && requests.isEmpty(); // written for its number's sake
        if (!charged
                && !refunded
                && !farewell
                && before != null
                && saysTheSame(before, after, call.said(), answer.lease())) {
            trace.violated(() -> call + " changed nothing and wrote (I4): " + before + " to " + after);
        }
    }

    /** Whether a write was for nothing: neither rule nor recall is another, nothing was settled, time did not go back. */
    private static boolean saysTheSame(
            StoredBucket before, StoredBucket after, SimulatedWire.Said said, @Nullable LeaseAnswer lease) {
        long held = Ledger.held(before, said.node(), after.state().atNanos());
        boolean settled = lease != null && (lease.lent() > 0 || lease.accepted() < held);
        return before.state().rule().equals(after.state().rule())
                && before.state().atNanos() <= after.state().atNanos()
                && before.recallUntilNanos() == after.recallUntilNanos()
                && !settled;
    }

    /** A node has granted from its lease, and has so many permits left of it. */
    void spent(SimulatedNode node, String key, long permits, long left, long heldForIt) {
        if (clocksAgree && writesLast && permits + left > heldForIt) {
            trace.violated(() -> node + " spent " + permits + " of " + (permits + left) + " permits on " + key
                    + " while its owner holds " + heldForIt + " for it");
        }
        granted(key, permits);
    }

    /** A backup has a write. */
    void backedUp(SimulatedCall call, StoredBucket owners, SimulatedEntry backups) {
        if (!Objects.equals(owners, backups.stored())) {
            trace.violated(() -> call + " left " + owners + " on the owner and " + backups.stored() + " on the backup");
        }
    }

    /** An owner's grant has come to the caller of a request. */
    void granted(SimulatedCall call, Request request) {
        long order = call.orderOf(request);
        if (order < 0) {
            trace.violated(() -> call + " granted " + request + " without having written that");
        }
        history(call.key()).granted(request.permits(), call.decidedAtNanos(), order);
    }

    /** A node has granted out of its own memory. */
    void granted(String key, long permits) {
        history(key).granted(permits, clock.nanoTime(), decisions++);
    }

    /**
     * A backup took over.
     *
     * @param version the last write that it has
     * @param lossy whether a caller had been told of a later one
     */
    void rolledBack(String key, long version, boolean lossy) {
        history(key).rollBack(version, lossy);
    }

    /** The clock by which a key is decided has moved. */
    void clockStepped(String key, long nanos) {
        history(key).clockStepped(nanos);
    }

    /**
     * Checks what can be checked only at the end.
     *
     * @param rules what the limit was, one after the other
     */
    void finish(List<Rule> rules) {
        histories.forEach((key, history) -> {
            List<Bandwidth> bandwidths = rules.get(0).algorithm().bandwidths();
            for (int i = 0; i < bandwidths.size(); i++) {
                Optional<String> problem = history.check(rules, i);
                problem.ifPresent(text -> trace.violated(() -> key + ": " + text));
            }
        });
    }

    private KeyHistory history(String key) {
        return histories.computeIfAbsent(key, any -> new KeyHistory());
    }
}
