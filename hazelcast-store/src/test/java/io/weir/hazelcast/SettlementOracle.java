package io.weir.hazelcast;

import io.weir.algorithm.Algorithm;
import io.weir.algorithm.Bandwidth;
import io.weir.algorithm.BucketState;
import io.weir.algorithm.Request;
import io.weir.algorithm.Rule;
import io.weir.algorithm.State;
import io.weir.algorithm.Verdict;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * What one call must do to a bucket, worked out from the rules of leases (L2 to L6, L11, L12, L16) with numbers of its own:
 * none of the code that decides is called here.
 *
 * <p>How much is lent is left to the owner, up to what there is; everything else follows.
 */
final class SettlementOracle {

    private final SimulatedWire.Said said;
    private final @Nullable StoredBucket before;
    private final @Nullable CallRecord last;
    private final Rule rule;
    private final long ownerNanos;

    /** The instant that all of it happens at: an owner's clock that is a little behind adds nothing (I2). */
    private final long at;

    private final @Nullable LeaseReport report;
    private final long mine;
    private final long others;
    private final List<ExactLevel> levels = new ArrayList<>();

    /**
     * @param before what the owner found
     * @param ownerNanos what its clock showed
     */
    SettlementOracle(SimulatedWire.Said said, @Nullable StoredBucket before, long ownerNanos) {
        this.said = said;
        this.before = before;
        this.last = before == null ? null : before.recordOf(said.node());
        this.ownerNanos = ownerNanos;
        this.report = said.report() != null && ownerNanos <= said.report().deadlineNanos() ? said.report() : null;
        if (before == null) {
            this.rule = said.rule();
            this.at = ownerNanos;
            this.mine = 0;
            this.others = 0;
            rule.algorithm().bandwidths().forEach(each -> levels.add(ExactLevel.full(each)));
        } else {
            State state = before.state();
            boolean newer = said.rule().version() >= state.rule().version();
            this.rule = newer ? said.rule() : state.rule();
            long behind = state.atNanos() - ownerNanos;
            this.at = behind > 0 && behind <= Algorithm.STEP_BACK_TOLERANCE_NANOS ? state.atNanos() : ownerNanos;
            this.mine = Ledger.held(before, said.node(), at);
            this.others = Ledger.lent(before, at) - mine;
            refill(before);
        }
    }

    /** Up to each expiry with the old cap, and from there with the new one (L3); then under the rule in force. */
    private void refill(StoredBucket from) {
        BucketState state = (BucketState) from.state();
        List<Bandwidth> old = state.rule().algorithm().bandwidths();
        for (int i = 0; i < old.size(); i++) {
            levels.add(ExactLevel.of(old.get(i), state.level(i), state.fraction(i)));
        }
        List<CallRecord> live = from.records().stream()
                .filter(each -> each.held() > 0 && each.expiryNanos() > state.atNanos())
                .sorted(Comparator.comparingLong(CallRecord::expiryNanos))
                .toList();
        long lent = live.stream().mapToLong(CallRecord::held).sum();
        long since = state.atNanos();
        for (CallRecord each : live) {
            if (each.expiryNanos() <= ownerNanos) {
                refill(each.expiryNanos() - since, lent);
                since = each.expiryNanos();
                lent -= each.held();
            }
        }
        refill(at - since, lent);
        if (!rule.equals(state.rule())) {
            carryOver(lent);
        }
    }

    private void refill(long nanos, long lent) {
        levels.replaceAll(each -> each.refilled(nanos, lent));
    }

    private void carryOver(long lent) {
        List<ExactLevel> old = List.copyOf(levels);
        levels.clear();
        for (Bandwidth each : rule.algorithm().bandwidths()) {
            levels.add(old.stream()
                    .filter(level -> level.bandwidth().name().equals(each.name()))
                    .findFirst()
                    .orElseThrow()
                    .carriedTo(each, lent));
        }
    }

    /** What is wrong with the answer to a call that was decided before: it must be the same, and tell how things stand now. */
    Optional<String> problemOfRepeated(CallAnswer answer) {
        boolean same = last != null
                && answer.verdicts().equals(last.verdicts())
                && Objects.equals(answer.lease(), last.lease());
        return same ? problemOfState(answer.state()) : Optional.of("is answered otherwise than the first time");
    }

    /**
     * What is wrong with a decision.
     *
     * @param after what was written; null if nothing was
     */
    Optional<String> problem(CallAnswer answer, @Nullable StoredBucket after) {
        LeaseAnswer lease = answer.lease();
        long accepted = report == null ? mine : Math.min(report.kept(), mine);
        if (report == null ? lease != null : lease == null || lease.accepted() != accepted) {
            return Optional.of("must accept " + accepted + " of " + mine + " (L5, L6) but answers " + lease);
        }
        give(report == null ? 0 : Math.min(report.returned(), mine - accepted), others + accepted); // L11
        List<@Nullable Verdict> verdicts = decide(others + accepted);
        if (!verdicts.equals(answer.verdicts())) {
            return Optional.of("must be answered " + verdicts + " but is " + answer.verdicts());
        }
        long recallUntil = recallUntil(verdicts, others + accepted);
        boolean lends = !verdicts.contains(Verdict.DENIED) && recallUntil <= at;
        long lent = lease == null ? 0 : lease.lent();
        if (lent < 0 || (lent > 0 && !(lends && mayLend(lent, others + accepted)))) {
            return Optional.of("must not be lent " + lent + " of " + levels + ", recalled until " + recallUntil);
        }
        levels.replaceAll(each -> each.less(lent));
        if (answer.lentElsewhere() != others || answer.recalled() != recallUntil > at) {
            return Optional.of("must hear of " + others + " lent elsewhere, recalled until " + recallUntil);
        }
        Optional<String> problem = problemOfState(answer.state());
        if (problem.isEmpty() && after != null) {
            problem = problemOfWritten(after, accepted + lent, recallUntil, lease);
        }
        return problem;
    }

    private boolean mayLend(long permits, long lentAlready) {
        boolean room = levels.stream()
                .allMatch(each -> each.holds(permits)
                        && lentAlready + permits <= each.bandwidth().capacity());
        return report != null && permits <= report.wanted() && room;
    }

    private void give(long permits, long lent) {
        levels.replaceAll(each -> each.given(permits, lent));
    }

    private List<@Nullable Verdict> decide(long lent) {
        List<@Nullable Verdict> verdicts = new ArrayList<>();
        for (BucketCall.Timed each : said.requests()) {
            verdicts.add(ownerNanos > each.deadlineNanos() ? null : decide(each.request(), lent));
        }
        return verdicts;
    }

    private Verdict decide(Request request, long lent) {
        long permits = request.permits();
        if (request instanceof Request.GiveBack) {
            give(permits, lent);
            return Verdict.GRANTED;
        }
        if (request instanceof Request.Charge) {
            levels.replaceAll(each -> each.charged(permits));
            return Verdict.GRANTED;
        }
        if (permits > Simulation.capacity(rule)) {
            return Verdict.NEVER;
        }
        if (permits > 0 && !levels.stream().allMatch(each -> each.holds(permits))) {
            return Verdict.DENIED;
        }
        levels.replaceAll(each -> each.less(permits));
        return Verdict.GRANTED;
    }

    /** For a request that no refill will do for while others hold what they hold: until all of that has ended (L16). */
    private long recallUntil(List<@Nullable Verdict> verdicts, long lent) {
        long until = before == null ? 0 : before.recallUntilNanos();
        for (int i = 0; i < verdicts.size() && before != null && lent > 0; i++) {
            long permits = said.requests().get(i).request().permits();
            if (verdicts.get(i) == Verdict.DENIED && permits > Simulation.capacity(rule) - lent) {
                until = Math.max(until, lastExpiryNanos(before));
            }
        }
        return until;
    }

    private long lastExpiryNanos(StoredBucket bucket) {
        return bucket.records().stream()
                .filter(each -> each.held() > 0)
                .mapToLong(CallRecord::expiryNanos)
                .reduce(at, Math::max);
    }

    private Optional<String> problemOfState(@Nullable State state) {
        if (!(state instanceof BucketState found)
                || found.atNanos() != at
                || !found.rule().equals(rule)) {
            return Optional.of("must leave a state at " + at + " under " + rule + " but leaves " + state);
        }
        for (int i = 0; i < levels.size(); i++) {
            ExactLevel level = ExactLevel.of(levels.get(i).bandwidth(), found.level(i), found.fraction(i));
            if (!level.equals(levels.get(i))) {
                return Optional.of("must leave " + levels + " but leaves " + state);
            }
        }
        return Optional.empty();
    }

    private Optional<String> problemOfWritten(
            StoredBucket after, long held, long recallUntil, @Nullable LeaseAnswer lease) {
        CallRecord record = after.recordOf(said.node());
        if (record == null || record.number() != said.number() || record.held() != held) {
            return Optional.of("must hold " + held + " afterwards but is recorded as " + record);
        }
        boolean extended = lease != null && lease.extended();
        long expiry = record.expiryNanos();
        boolean expected = (report != null && extended)
                ? expiry > at + report.ttlNanos()
                : held == 0 || (last != null && expiry == last.expiryNanos());
        if (!expected || after.recallUntilNanos() != recallUntil) {
            return Optional.of("has a lease that ends when it must not, or the wrong recall: " + after);
        }
        return before == null ? Optional.empty() : problemOfOthers(before, after);
    }

    /** Other nodes' leases are what they were, until they expire; then they hold nothing for good (L4, L6). */
    private Optional<String> problemOfOthers(StoredBucket from, StoredBucket to) {
        for (CallRecord each : from.records()) {
            UUID node = each.node();
            CallRecord now = to.recordOf(node);
            boolean live = each.expiryNanos() > at && each.held() > 0;
            boolean same = now != null && now.held() == each.held() && now.expiryNanos() == each.expiryNanos();
            if (!node.equals(said.node()) && (live ? !same : now != null && now.held() > 0)) {
                return Optional.of("makes " + now + " of " + each);
            }
        }
        return Optional.empty();
    }
}
