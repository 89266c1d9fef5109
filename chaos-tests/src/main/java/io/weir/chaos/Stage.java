package io.weir.chaos;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.IntStream;

/**
 * A cluster under load, with its parts given away: who owns the hot keys and who has their backup. What a
 * {@link Fault} works on.
 */
final class Stage implements AutoCloseable {

    private final Cluster cluster;
    private final Fault fault;
    private final MemberProcess backup;
    private final Map<Workload, History> histories = new LinkedHashMap<>();
    private final Map<Workload, List<String>> keys = new LinkedHashMap<>();
    private final List<CompletableFuture<Tally>> loads = new CopyOnWriteArrayList<>();

    /** Starts a cluster, and nothing on it yet. */
    Stage(String name, Fault fault, List<Workload> workloads, Rig rig, List<String> classPath) {
        this.fault = fault;
        this.cluster = new Cluster(name, rig)
                .withTunedHeartbeats(Duration.ofSeconds(5))
                .firstOnClassPath(classPath);
        try {
            workloads.forEach(each -> {
                histories.put(each, new History());
                cluster.limit(each.limit());
            });
            for (int i = 0; i < Row.MEMBERS; i++) {
                cluster.add(Role.FULL, i == ownersIndex() ? fault.ownerAhead() : Duration.ZERO);
            }
            if (fault.is(Fault.Trait.OF_FOUR)) {
                cluster.add(Role.FULL);
            }
            if (fault.is(Fault.Trait.WITH_CLIENT)) {
                cluster.add(Role.CLIENT);
            }
            cluster.awaitSafe();
            this.backup = whoBacksUpTheOwner(workloads.get(0).limit().name());
            workloads.forEach(each -> keys.put(each, keys(each)));
        } catch (RuntimeException e) {
            close();
            throw e;
        }
    }

    Cluster cluster() {
        return cluster;
    }

    /** The member that owns the hot keys. */
    MemberProcess owner() {
        return cluster.processes().get(ownersIndex());
    }

    /** The member that holds the backup of the hot keys. */
    MemberProcess backup() {
        return backup;
    }

    /** The third member: neither the oldest nor the owner of the hot keys. */
    MemberProcess third() {
        return cluster.processes().get(Row.MEMBERS - 1);
    }

    /** The oldest member. */
    MemberProcess master() {
        return cluster.processes().get(0);
    }

    /** The one client, where there is one. */
    MemberProcess client() {
        return cluster.processes().get(Row.MEMBERS);
    }

    /** Everybody but one. */
    List<Integer> othersThan(MemberProcess one) {
        return cluster.processes().stream()
                .map(MemberProcess::number)
                .filter(each -> each != one.number())
                .toList();
    }

    /** Changes the weather between a process and all others, both ways. */
    void cutOff(MemberProcess one, Weather weather) {
        Link.between(one.number(), othersThan(one))
                .forEach(each -> cluster.network().set(each, weather));
    }

    Map<Workload, History> histories() {
        return histories;
    }

    /** Has everybody ask, once they have loaded their classes: the first calls of a process take longer than their deadline. */
    void beginLoads() {
        List<CompletableFuture<Tally>> first = new ArrayList<>();
        for (MemberProcess each : cluster.alive()) {
            keys.keySet().forEach(workload -> first.add(each.begin(workload.warmUp(), new History())));
        }
        first.forEach(MemberProcess::await);
        cluster.alive().forEach(this::beginLoads);
    }

    /** Adds a member, which asks like the others. */
    void addMember() {
        beginLoads(cluster.add(Role.FULL));
    }

    /** Starts those again that have ended. */
    void restartEnded() {
        for (MemberProcess each : List.copyOf(cluster.processes())) {
            if (!each.isAlive()) {
                beginLoads(cluster.addInPlaceOf(each));
            }
        }
    }

    /** Has nobody ask any more. */
    void endLoads() {
        cluster.alive().forEach(MemberProcess::stopLoads);
        loads.stream()
                .filter(each -> !each.isCompletedExceptionally()) // those end with their process
                .forEach(MemberProcess::await);
    }

    @Override
    public void close() {
        cluster.close();
    }

    private void beginLoads(MemberProcess process) {
        histories.forEach((workload, history) -> loads.add(process.begin(workload.load(keysOf(workload)), history)));
    }

    private List<String> keysOf(Workload workload) {
        return keys.getOrDefault(workload, List.of());
    }

    private int ownersIndex() {
        return fault.is(Fault.Trait.OF_MASTER) ? 0 : 1;
    }

    /** Hazelcast does not give every member backups of every other one. */
    private MemberProcess whoBacksUpTheOwner(String limit) {
        return cluster.processes().stream()
                .filter(each -> each != owner() && each.role() == Role.FULL)
                .sorted(Comparator.comparing(MemberProcess::number).reversed()) // rather not the master
                .filter(each -> cluster.keyHeldBy(owner(), each, limit).isPresent())
                .findFirst()
                .orElseThrow(() -> new IllegalStateException(owner() + " owns nothing that anybody backs up"));
    }

    private List<String> keys(Workload workload) {
        if (workload.hot()) {
            return List.of(
                    cluster.keyHeldBy(owner(), backup, workload.limit().name()).orElseThrow());
        }
        List<String> many = new ArrayList<>();
        IntStream.range(0, workload.keys()).forEach(i -> many.add("many-" + i));
        return many;
    }
}
