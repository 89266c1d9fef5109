package io.weir.chaos;

import io.weir.store.contract.HistoryChecker;
import io.weir.store.contract.HistoryVerdict;
import io.weir.store.contract.HistoryVerdict.Excess;

/**
 * One fault, one bound: what was granted, held against what may be.
 *
 * @param name of the fault
 * @param bound that is promised for it
 * @param history of one key
 */
record Cell(String name, HistoryChecker bound, History history) {

    /** Judges the history, and prints a line of it. */
    HistoryVerdict judge() {
        HistoryVerdict verdict = bound.check(history.grants());
        System.out.printf(
                "%s: bound %s, granted %d, excess %d, stall %d ms%n",
                name,
                bound,
                verdict.permits(),
                verdict.greatestExcess().map(Excess::permits).orElse(0L),
                history.stall().toMillis());
        return verdict;
    }
}
