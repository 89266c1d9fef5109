package io.weir.quota;

import io.weir.algorithm.Verdict;
import io.weir.quota.QuotaDecision.Source;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Spends that find nothing out of the ordinary: one charge, room in a period that has a row, no credit, nothing put aside, and a new key. A
 * database that can does all of it in one statement, {@link Dialect#spendPlainly}; whatever else there is, the statement finds, moves nothing, and
 * leaves it to {@link Decider}.
 *
 * <p>Tried only for accounts whose last spend was one of these, so that it is hardly ever in vain. Bounded; thread-safe.
 */
final class PlainSpend {

    private static final int MAX_ACCOUNTS = 10_000;
    private static final int MAX_KEYS = 10_000;

    private final Map<Spot, Known> last = Rejections.bounded(MAX_ACCOUNTS);

    /** Keys that this node has spent under: whoever comes with one of them again is likely to be told what it was told. */
    private final Map<Used, Boolean> used = Rejections.bounded(MAX_KEYS);

    private record Used(Spot spot, String key) {
        static Used of(Step step) {
            return new Used(Spot.of(step.charges().get(0)), step.key().stored());
        }
    }

    private record Known(Quota quota, Window window, long raised, long remaining) {}

    /**
     * What the statement is asked to do.
     *
     * @param step with one charge
     * @param window the period that it is taken to be in
     * @param raised the version that the account had when it had no credit
     */
    record Attempt(Step step, Window window, long raised) {
        Charge charge() {
            return step.charges().get(0);
        }

        /** What it comes to, if it was done. */
        Decided done(long cap, long spent) {
            Balance balance = new Balance(charge().quota(), charge().key(), window, cap, spent, 0, 0, 0);
            return new Decided(
                    new QuotaDecision(
                            Verdict.GRANTED, Source.LEDGER, false, List.of(balance), List.of(), null, null, null),
                    List.of(),
                    List.of());
        }
    }

    /** Null if the step is, or is likely to be, no plain spend. */
    synchronized @Nullable Attempt attempt(Step step, @Nullable InstantSource clock) {
        if (!isOne(step)) {
            return null;
        }
        Charge charge = step.charges().get(0);
        Known known = last.get(Spot.of(charge));
        if (known == null
                || !known.quota().equals(charge.quota())
                || known.remaining() < charge.amount()
                || used.containsKey(Used.of(step))) {
            return null;
        }
        return clock == null || known.window().contains(clock.instant())
                ? new Attempt(step, known.window(), known.raised())
                : null;
    }

    /** After an attempt that was not in vain. */
    synchronized void learn(Attempt attempt, Decided done) {
        learn(attempt.step(), attempt.raised(), done.answer().balances().get(0));
    }

    private void learn(Step step, long raised, Balance balance) {
        last.put(
                Spot.of(step.charges().get(0)),
                new Known(balance.quota(), balance.window(), raised, balance.remaining()));
        if (!step.key().isFresh()) {
            used.put(Used.of(step), true);
        }
    }

    /** After a step was decided in the other way. */
    synchronized void learn(Step step, Loaded loaded, Decided decided) {
        QuotaDecision answer = decided.answer();
        if (isOne(step) && answer.isGranted() && !answer.isReplay()) {
            Balance balance = answer.balances().get(0);
            if (balance.credit() == 0 && balance.reserved() == 0) {
                learn(step, loaded.account(step.charges().get(0)).raised(), balance);
                return;
            }
        }
        step.charges().forEach(each -> last.remove(Spot.of(each)));
    }

    private static boolean isOne(Step step) {
        return step.kind() == Step.Kind.SPEND
                && step.charges().size() == 1
                && step.charges().get(0).amount() > 0;
    }
}
