package io.weir.hazelcast;

import io.weir.algorithm.Bandwidth;
import io.weir.algorithm.Request;
import io.weir.algorithm.Rule;
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
 * <p>At once: what {@link RunAudit} finds in a run; a call is executed once and not after a later one, nobody is charged for
 * what nobody waits for, nobody spends more than its owner counts as lent to it, and a backup is what its owner has. In the
 * end: I1, see {@link KeyHistory}.
 */
final class Audit {

    private final NanoClock clock;
    private final Trace trace;
    private final RunAudit runs;
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
        this.runs = new RunAudit(trace);
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

    /** A processor has run. */
    void ran(SimulatedRun run) {
        runs.check(run);
        StoredBucket after = run.written();
        if (after != null) {
            executed(run, after);
        }
    }

    private void executed(SimulatedRun run, StoredBucket after) {
        SimulatedCall call = run.call();
        KeyHistory history = history(call.key());
        history.execute(call.said(), run.entry().version())
                .ifPresent(problem -> trace.violated(() -> call + " " + problem));
        history.ruledBy(
                after.state().rule(),
                decisions,
                Ledger.lent(after, after.state().atNanos()));
        List<@Nullable Verdict> verdicts = run.answer().verdicts();
        call.decided(clock.nanoTime(), verdicts, decisions);
        boolean charged = run.lease() != null && run.lease().lent() > 0;
        List<BucketCall.Timed> requests = call.said().requests();
        for (int i = 0; i < requests.size(); i++) {
            Request request = requests.get(i).request();
            if (verdicts.get(i) == Verdict.GRANTED && request instanceof Request.GiveBack) {
                history.granted(-request.permits(), clock.nanoTime(), decisions + i);
            }
            charged |= verdicts.get(i) == Verdict.GRANTED && request.permits() > 0;
        }
        decisions += requests.size();
        LeaseReport report = call.said().report();
        if (report != null) {
            history.returned(report.returned());
        }
        if (charged && clocksAgree && clock.nanoTime() > call.latestDecisionNanos()) {
            trace.violated(() -> call + " charged at a time when nobody could wait for it any more");
        }
    }

    /** A node has granted from its lease, and has so many permits left of it. */
    void spent(SimulatedNode node, String key, long permits, long left, long heldForIt) {
        held(node, key, permits + left, heldForIt);
        granted(key, permits);
    }

    /** A node holds permits that it may spend. */
    void held(SimulatedNode node, String key, long held, long heldForIt) {
        if (clocksAgree && writesLast && held > heldForIt) {
            trace.violated(() ->
                    node + " holds " + held + " permits on " + key + " while its owner holds " + heldForIt + " for it");
        }
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
