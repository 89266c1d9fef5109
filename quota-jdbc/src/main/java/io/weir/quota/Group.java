package io.weir.quota;

import io.weir.algorithm.Verdict;
import io.weir.quota.Batch.Waiting;
import io.weir.quota.QuotaDecision.Source;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Plain spends of one account that are done together or not at all, in order; and what came of them. Used by one thread. */
final class Group {

    private final Spot spot;
    private final PlainSpend.Attempt first;
    private final List<Waiting> members = new ArrayList<>();
    private final Set<String> keys = new HashSet<>();
    private long sum;
    private Outcome outcome = Outcome.OTHERWISE;
    private long cap;
    private long before;

    enum Outcome {
        DONE,
        /** Somebody else has the account. */
        LOCKED,
        /** Not like this: each of them is to be decided. */
        OTHERWISE
    }

    Group(Spot spot, PlainSpend.Attempt first) {
        this.spot = spot;
        this.first = first;
    }

    /** Whether it is of the same request but for amount and key, which is a new one here; then it is a member. */
    boolean join(Waiting waiting) {
        PlainSpend.Attempt attempt = waiting.attempt();
        long amount = attempt.charge().amount();
        if (attempt.raised() != first.raised()
                || !attempt.window().equals(first.window())
                || !attempt.charge().quota().equals(first.charge().quota())
                || amount > Long.MAX_VALUE - sum
                || !keys.add(attempt.step().key().stored())) {
            return false;
        }
        sum += amount;
        members.add(waiting);
        return true;
    }

    Spot spot() {
        return spot;
    }

    Quota quota() {
        return first.charge().quota();
    }

    Window window() {
        return first.window();
    }

    long raised() {
        return first.raised();
    }

    long sum() {
        return sum;
    }

    List<Waiting> members() {
        return members;
    }

    Outcome outcome() {
        return outcome;
    }

    void otherwise() {
        outcome = Outcome.OTHERWISE;
    }

    void locked() {
        outcome = Outcome.LOCKED;
    }

    void done(long itsCap, long spentBefore) {
        outcome = Outcome.DONE;
        cap = itsCap;
        before = spentBefore;
    }

    /** After each of the members, in their order, once they are done. */
    List<Decided> decided() {
        List<Decided> all = new ArrayList<>(members.size());
        long spent = before;
        for (Waiting each : members) {
            Charge charge = each.attempt().charge();
            spent += charge.amount();
            Balance balance = new Balance(charge.quota(), charge.key(), window(), cap, spent, 0, 0, 0);
            all.add(new Decided(
                    new QuotaDecision(
                            Verdict.GRANTED, Source.LEDGER, false, List.of(balance), List.of(), null, null, null),
                    List.of(),
                    List.of()));
        }
        return all;
    }

    /** How much room there is after all of them. */
    long remaining() {
        return cap - before - sum;
    }
}
