package io.weir.quota;

import java.time.InstantSource;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Spends that find nothing out of the ordinary: one charge, room in a period that has a row, no credit, nothing put aside, and a new key. A
 * database that can does all of it in one statement, {@link Dialect#spendTogether}; whatever else there is, the statement finds, moves nothing, and
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

    /** After an attempt at a group of them. */
    synchronized void learn(Group group) {
        if (group.outcome() == Group.Outcome.OTHERWISE) {
            last.remove(group.spot());
        } else if (group.outcome() == Group.Outcome.DONE) {
            last.put(group.spot(), new Known(group.quota(), group.window(), group.raised(), group.remaining()));
            group.members().forEach(each -> use(each.attempt().step()));
        }
    }

    private void use(Step step) {
        if (!step.key().isFresh()) {
            used.put(Used.of(step), true);
        }
    }

    /** After a step was decided in the other way. */
    synchronized void learn(Step step, Loaded loaded, Decided decided) {
        QuotaDecision answer = decided.answer();
        if (isOne(step) && answer.isGranted() && !answer.isReplay()) {
            Balance balance = answer.balances().get(0);
            Account account = loaded.account(step.charges().get(0));
            // What is put aside may be credit, which its expiry brings back without a new version.
            if (balance.credit() == 0 && balance.reserved() == 0 && account.nextExpiry() == null) {
                last.put(
                        account.spot(),
                        new Known(balance.quota(), balance.window(), account.raised(), balance.remaining()));
                use(step);
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
