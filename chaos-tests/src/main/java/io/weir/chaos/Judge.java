package io.weir.chaos;

import io.weir.FailurePolicy;
import io.weir.store.contract.HistoryChecker;
import io.weir.store.contract.HistoryVerdict;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;

/**
 * Holds what was answered throughout a fault against all that is promised for it. Instants are of {@link System#nanoTime}.
 *
 * @param fault that happened
 * @param rig where
 * @param alone the number of the process that was left alone, if any was
 * @param began when the fault began
 * @param ended when it ended
 * @param late when everything was to be well again, with calls still to come
 * @param whole from the end of the fault until all members saw one another; empty if nobody is left who could
 * @param waited of the process that waited longest, beside its control
 */
record Judge(
        Fault fault, Rig rig, int alone, long began, long ended, long late, Optional<Duration> whole, Waited waited) {

    /** Within this after the end of the fault, everything is exact again. */
    private static final Duration HEALED = Duration.ofSeconds(5);

    /** A decision may take so much longer than a thread that parks for the deadline. */
    private static final Duration SLOWER = Duration.ofMillis(5);

    private static final double LEAST_OF_SHARE = 0.9;

    Judged judge(Workload workload, History history) {
        Course course = new Course(workload.bandwidth(), workload.keys(), history.outcomes(), began, ended);
        HistoryChecker bound = fault.row().bound(workload, fault.ownerAhead(), course.shared());
        HistoryVerdict verdict = history.judge(bound);
        Optional<Duration> recovered = whole.map(
                time -> Collections.max(List.of(time, course.recovered().orElse(time))));
        List<String> misses = new ArrayList<>();
        verdict.greatestExcess().ifPresent(excess -> misses.add("EXCEEDS by " + excess.permits()));
        if (waited.decisionNanos() - waited.controlNanos() > SLOWER.toNanos()) {
            misses.add(Judged.SLOW);
        }
        if (fault.is(Fault.Trait.IS_FOREVER)) {
            if (!course.isAnsweredAfter(late)) {
                misses.add("SILENT");
            }
        } else {
            recovered.filter(time -> time.compareTo(HEALED) > 0).ifPresent(time -> misses.add(Judged.LATE));
            if (!course.isGrantedByOwnerAfter(late)) {
                misses.add("NEVER AGAIN");
            }
        }
        if (fault.is(Fault.Trait.LEAVES_ALONE) && workload.hot() && workload.policy() == FailurePolicy.LOCAL_SHARE) {
            double share = course.shareGrantedBy(alone, fault.nodes()).orElse(0.0);
            if (share < LEAST_OF_SHARE) {
                misses.add("SHARE only " + Math.round(share * 100) + " %");
            }
        }
        return new Judged(
                fault + ", " + workload,
                rig,
                bound,
                history.permits(),
                verdict,
                history.stall(),
                course.detected(Workload.DEADLINE),
                recovered,
                waited,
                List.copyOf(misses),
                course);
    }
}
