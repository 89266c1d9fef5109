package io.weir.chaos;

import io.weir.FailurePolicy;
import io.weir.store.contract.HistoryChecker;
import io.weir.store.contract.HistoryVerdict;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * One fault, under several workloads at once: a cell for each of them.
 *
 * @param fault that happens
 * @param workloads that go on meanwhile
 * @param firstOnClassPath where processes look for classes first
 */
record Scene(Fault fault, List<Workload> workloads, List<String> firstOnClassPath) implements Play {

    private static final Duration WARM = Duration.ofSeconds(2);

    /** After the end of the fault: at least so long, then until all is quiet, and so long at most. */
    private static final Duration SHORTEST_WATCH = Duration.ofSeconds(3);

    private static final Duration LONGEST_WATCH = Duration.ofSeconds(15);
    private static final Duration QUIET = Duration.ofSeconds(2);

    /** Within this after the end of the fault, everything is exact again. */
    private static final Duration HEALED = Duration.ofSeconds(5);

    /** A decision may take so much longer than a thread that parks for the deadline. */
    private static final Duration SLOWER = Duration.ofMillis(5);

    private static final double LEAST_OF_SHARE = 0.9;

    Scene(Fault fault, List<Workload> workloads) {
        this(fault, workloads, List.of());
    }

    @Override
    public String name() {
        return fault.name();
    }

    @Override
    public List<String> cells() {
        return workloads.stream().map(each -> fault + ", " + each).toList();
    }

    @Override
    public List<Judged> run(Rig wanted) {
        Rig rig = wanted.can(fault.weather()) ? wanted : Rig.LOOPBACK;
        String name = fault.name().replaceAll("[^a-z]+", "-");
        try (Stage stage = new Stage(name, fault, workloads, rig, firstOnClassPath)) {
            stage.beginLoads();
            Waits.pause(WARM);
            long began = System.nanoTime();
            fault.begin().accept(stage);
            boolean ofAMoment = fault.lasts().isZero();
            long happened = System.nanoTime();
            if (!ofAMoment) {
                Waits.pause(fault.lasts());
                fault.end().accept(stage);
            }
            long ended = ofAMoment ? happened : System.nanoTime();
            Optional<Duration> whole = watch(stage, ended);
            Waited waited = waited(stage, began, System.nanoTime());
            long last = System.nanoTime() - QUIET.toNanos() / 2;
            stage.endLoads();
            List<Judged> judged = new ArrayList<>();
            stage.histories()
                    .forEach((workload, history) ->
                            judged.add(judge(stage, rig, workload, history, began, ended, last, whole, waited)));
            return judged;
        }
    }

    /**
     * Until all is quiet, or for too long.
     *
     * @return from the end of the fault until all members saw one another; empty if they did by then
     */
    private Optional<Duration> watch(Stage stage, long ended) {
        if (fault.is(Fault.Trait.IS_FOREVER)) {
            Waits.pause(SHORTEST_WATCH);
            return Optional.empty();
        }
        boolean wasWhole = stage.cluster().isWhole();
        while (!stage.cluster().isWhole() && System.nanoTime() - ended < LONGEST_WATCH.toNanos()) {
            Waits.pause(Duration.ofMillis(100));
        }
        Duration whole = Duration.ofNanos(System.nanoTime() - ended);
        Waits.pause(SHORTEST_WATCH);
        while (System.nanoTime() - ended < LONGEST_WATCH.toNanos()
                && stage.histories().values().stream()
                        .anyMatch(each -> each.lastOutage() > System.nanoTime() - QUIET.toNanos())) {
            Waits.pause(Duration.ofMillis(500));
        }
        return wasWhole ? Optional.empty() : Optional.of(whole);
    }

    /** Of the process that was slowest beside its control. */
    private Waited waited(Stage stage, long from, long to) {
        return stage.cluster().alive().stream()
                .filter(each -> !(fault.is(Fault.Trait.FREEZES_OWNER) && each == stage.owner()))
                .map(each -> each.waited(from, to))
                .max(Comparator.comparingLong(each -> each.decisionNanos() - each.controlNanos()))
                .orElseThrow();
    }

    private Judged judge(
            Stage stage,
            Rig rig,
            Workload workload,
            History history,
            long began,
            long ended,
            long last,
            Optional<Duration> whole,
            Waited waited) {
        Course course = new Course(workload.bandwidth(), workload.keys(), history.outcomes(), began, ended);
        HistoryChecker bound =
                fault.row().bound(workload.bandwidth(), fault.ownerAhead(), workload.policy(), course.shared());
        HistoryVerdict verdict = history.judge(bound);
        Optional<Duration> recovered =
                Stream.of(course.recovered(), whole).flatMap(Optional::stream).max(Comparator.naturalOrder());
        List<String> misses = new ArrayList<>();
        verdict.greatestExcess().ifPresent(excess -> misses.add("EXCEEDS by " + excess.permits()));
        if (waited.decisionNanos() - waited.controlNanos() > SLOWER.toNanos()) {
            misses.add("SLOW");
        }
        if (fault.is(Fault.Trait.IS_FOREVER)) {
            if (!course.isAnsweredAfter(last)) {
                misses.add("SILENT");
            }
        } else {
            recovered.filter(time -> time.compareTo(HEALED) > 0).ifPresent(time -> misses.add("LATE"));
            if (!course.isGrantedByOwnerAfter(last)) {
                misses.add("NEVER AGAIN");
            }
        }
        if (fault.is(Fault.Trait.CUTS_OFF_OWNER) && workload.policy() == FailurePolicy.LOCAL_SHARE && workload.hot()) {
            double share =
                    course.shareGrantedBy(stage.owner().number(), Row.MEMBERS).orElse(0.0);
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
