package io.weir.quota;

import io.weir.algorithm.Verdict;
import io.weir.quota.QuotaDecision.Source;
import java.time.InstantSource;
import java.util.LinkedHashMap;
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

    private final Map<Spot, Known> last = new LinkedHashMap<>(16, 0.75f, true) {
        private static final long serialVersionUID = 1;

        @Override
        protected boolean removeEldestEntry(Map.Entry<Spot, Known> eldest) {
            return size() > MAX_ACCOUNTS;
        }
    };

    private record Known(Quota quota, Window window, long raised) {}

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
        if (known == null || !known.quota().equals(charge.quota())) {
            return null;
        }
        return clock == null || known.window().contains(clock.instant())
                ? new Attempt(step, known.window(), known.raised())
                : null;
    }

    /** After a step was decided in the other way. */
    synchronized void learn(Step step, Loaded loaded, Decided decided) {
        if (!isOne(step)) {
            return;
        }
        Account account = loaded.account(step.charges().get(0));
        QuotaDecision answer = decided.answer();
        Balance balance = answer.balances().get(0);
        if (answer.isGranted() && !answer.isReplay() && balance.credit() == 0 && balance.reserved() == 0) {
            last.put(account.spot(), new Known(balance.quota(), balance.window(), account.raised()));
        } else {
            last.remove(account.spot());
        }
    }

    private static boolean isOne(Step step) {
        return step.kind() == Step.Kind.SPEND
                && step.charges().size() == 1
                && step.charges().get(0).amount() > 0;
    }
}
