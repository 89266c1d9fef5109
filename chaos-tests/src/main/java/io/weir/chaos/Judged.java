package io.weir.chaos;

import io.weir.store.contract.HistoryChecker;
import io.weir.store.contract.HistoryVerdict;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;

/**
 * What came of one cell of the matrix: one fault, one workload, one bound.
 *
 * @param name of the fault and of the workload
 * @param rig that the fault was made on
 * @param bound that is promised
 * @param granted permits, of all keys together
 * @param verdict of the history checker, of the worst key
 * @param stall the longest time in which nothing was granted
 * @param detected the time from the fault's beginning to the first answer of the policy that did not wait for the deadline;
 *     empty if there was none
 * @param recovered the time from the fault's end until all members see one another and the policy has answered for the last
 *     time, but for the few answers that a busy machine makes it give; empty if nobody is left who could answer
 * @param waited of the process that waited longest, beside its control
 * @param misses what is promised and was not kept, in words; empty if all was kept. EXCEEDS: above the bound. SLOW: decisions
 *     took longer than the deadline, and that not only as the machine made them. LATE: not exact again in time. NEVER
 *     AGAIN: the owner granted nothing more. SILENT: nobody answered. SHARE: less than a member that was cut off had a right to
 * @param course what was granted when
 */
record Judged(
        String name,
        Rig rig,
        HistoryChecker bound,
        long granted,
        HistoryVerdict verdict,
        Duration stall,
        Optional<Duration> detected,
        Optional<Duration> recovered,
        Waited waited,
        List<String> misses,
        Course course) {

    static final String SLOW = "SLOW";
    static final String LATE = "LATE";

    /** Whether all that it misses may be the machine's fault, which others may keep busy. */
    boolean isOnlySlow() {
        return !misses.isEmpty() && Set.of(SLOW, LATE).containsAll(misses);
    }

    boolean isWithinBounds() {
        return misses.isEmpty();
    }

    @Override
    public String toString() {
        return String.format(
                Locale.ROOT,
                "%s: bound %s, granted %d, excess %d, stall %d ms, detected %s, recovered %s, p99.9 %.1f ms (control %.1f ms): %s",
                name,
                bound,
                granted,
                History.excess(verdict),
                stall.toMillis(),
                after(detected),
                after(recovered),
                waited.decisionNanos() / 1e6,
                waited.controlNanos() / 1e6,
                isWithinBounds() ? "within" : String.join("; ", misses));
    }

    static String after(Optional<Duration> time) {
        return time.map(each -> "after " + each.toMillis() + " ms").orElse("-");
    }
}
