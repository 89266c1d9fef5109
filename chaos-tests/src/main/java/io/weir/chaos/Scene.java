package io.weir.chaos;

import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

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
    private static final Duration GLANCE = Duration.ofMillis(100);
    private static final Duration QUIET = Duration.ofSeconds(2);

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
            Waits.pause(fault.lasts());
            fault.end().accept(stage);
            long ended = System.nanoTime();
            Optional<Duration> whole = watch(stage, ended);
            long watched = System.nanoTime();
            Judge judge = new Judge(
                    fault,
                    rig,
                    (fault.is(Fault.Trait.WITH_CLIENT) ? stage.client() : stage.owner()).number(),
                    began,
                    ended,
                    watched - QUIET.toNanos() / 2,
                    whole,
                    waited(stage, began, watched));
            stage.endLoads();
            return stage.histories().entrySet().stream()
                    .map(each -> judge.judge(each.getKey(), each.getValue()))
                    .toList();
        }
    }

    /**
     * Until all is quiet, or for too long.
     *
     * @return from the end of the fault until all members saw one another; empty if nobody is left who could
     */
    private Optional<Duration> watch(Stage stage, long ended) {
        if (fault.is(Fault.Trait.IS_FOREVER)) {
            Waits.pause(SHORTEST_WATCH);
            return Optional.empty();
        }
        while (!stage.cluster().isWhole() && System.nanoTime() - ended < LONGEST_WATCH.toNanos()) {
            Waits.pause(GLANCE);
        }
        Duration whole = Duration.ofNanos(System.nanoTime() - ended);
        Waits.pause(SHORTEST_WATCH);
        while (stage.histories().values().stream().anyMatch(Scene::isNotQuiet)
                && System.nanoTime() - ended < LONGEST_WATCH.toNanos()) {
            Waits.pause(GLANCE);
        }
        return Optional.of(whole);
    }

    private static boolean isNotQuiet(History history) {
        return history.lastOutage() > System.nanoTime() - QUIET.toNanos();
    }

    /** Of the process that was slowest beside its control. */
    private Waited waited(Stage stage, long from, long to) {
        return stage.cluster().alive().stream()
                .filter(each -> !(fault.is(Fault.Trait.FREEZES_OWNER) && each == stage.owner()))
                .map(each -> each.waited(from, to))
                .max(Comparator.comparingLong(each -> each.decisionNanos() - each.controlNanos()))
                .orElseThrow();
    }
}
