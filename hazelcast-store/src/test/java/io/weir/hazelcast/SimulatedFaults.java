package io.weir.hazelcast;

import io.weir.algorithm.Bandwidth;
import io.weir.algorithm.Rule;
import io.weir.algorithm.TokenBucket;
import io.weir.hazelcast.Scenario.Hazard;
import java.time.Duration;
import java.util.List;
import java.util.SplittableRandom;

/** What goes wrong: it is planned over the time of the traffic, and happens where it finds somebody to happen to. */
final class SimulatedFaults {

    /** A member that is silent for so long is removed by the others. */
    private static final long REMOVED_AFTER_NANOS = Duration.ofSeconds(5).toNanos();

    private final Simulation simulation;
    private final Scenario scenario;
    private final Timeline timeline;
    private final Trace trace;
    private final Audit audit;
    private final SimulatedCluster cluster;
    private final List<SimulatedNode> nodes;
    private final SplittableRandom random;

    SimulatedFaults(
            Simulation simulation, Simulation.World world, SimulatedCluster cluster, List<SimulatedNode> nodes) {
        this.simulation = simulation;
        this.scenario = world.scenario();
        this.timeline = world.timeline();
        this.trace = world.trace();
        this.audit = world.audit();
        this.cluster = cluster;
        this.nodes = nodes;
        this.random = world.random().split();
    }

    void plan() {
        Scenario.Faults faults = scenario.faults();
        plan(faults.pauses(), this::pauseNode);
        plan(faults.pauses(), this::pauseMember);
        plan(faults.kills(), this::killNode);
        plan(faults.kills(), this::killMember);
        plan(faults.closes(), this::closeNode);
        plan(faults.moves(), this::movePartition);
        if (scenario.hazards().contains(Hazard.CLOCKS_APART)) {
            plan(random.nextInt(3), this::stepClock);
        }
        if (scenario.hazards().contains(Hazard.LIMIT_CHANGED)) {
            plan(1 + random.nextInt(2), this::changeLimit);
        }
    }

    private void plan(int times, Runnable fault) {
        for (int i = 0; i < times; i++) {
            timeline.at(random.nextLong(scenario.trafficNanos()), fault);
        }
    }

    private void pauseNode() {
        SimulatedNode node = nodes.get(random.nextInt(nodes.size()));
        if (node.isClient()) {
            long nanos = random.nextLong(1L << random.nextInt(20, 32)); // up to 4 s
            trace.add(() -> node + " pauses for " + nanos / 1_000_000 + " ms");
            node.jvm().pause(nanos);
        }
    }

    /** Briefly; or for so long that the others remove it, and then it never finds back. */
    private void pauseMember() {
        SimulatedOwner member = anyMember();
        boolean removed = random.nextInt(3) == 0 && mayLose(member);
        long nanos = removed
                ? REMOVED_AFTER_NANOS + random.nextLong(Duration.ofSeconds(5).toNanos())
                : random.nextLong(Duration.ofMillis(1_500).toNanos());
        trace.add(() -> member + " pauses for " + nanos / 1_000_000 + " ms");
        member.jvm().pause(nanos);
        if (removed) {
            timeline.after(REMOVED_AFTER_NANOS - 1, () -> {
                if (member.isInCluster() && mayLose(member)) {
                    cluster.remove(member);
                    timeline.after(Duration.ofSeconds(6).toNanos(), () -> gone(member));
                }
            });
        }
    }

    private void killNode() {
        int place = random.nextInt(nodes.size());
        SimulatedNode node = nodes.get(place);
        if (node.isClient() && !node.isGone()) {
            trace.add(() -> node + " is killed");
            node.jvm().kill();
            restart(place);
        }
    }

    private void closeNode() {
        int place = random.nextInt(nodes.size());
        SimulatedNode node = nodes.get(place);
        if (!node.isGone()) {
            trace.add(() -> node + " is closed");
            node.close();
            restart(place);
        }
    }

    /** Somewhat later, in a process of its own. */
    private void restart(int place) {
        timeline.after(random.nextLong(500_000_000), () -> {
            SimulatedNode fresh = simulation.node(new SimulatedJvm(timeline), true);
            trace.add(() -> fresh + " starts");
            nodes.set(place, fresh);
        });
    }

    private void killMember() {
        SimulatedOwner member = anyMember();
        if (mayLose(member) && !member.jvm().isKilled()) {
            trace.add(() -> member + " is killed");
            gone(member);
            timeline.after(random.nextLong(5_000_000, 800_000_000), () -> cluster.remove(member));
        }
    }

    /** With all that ran in the same process. A new member takes its place. */
    private void gone(SimulatedOwner member) {
        member.jvm().kill();
        for (int i = 0; i < nodes.size(); i++) {
            if (nodes.get(i).jvm() == member.jvm()) {
                restart(i);
            }
        }
        timeline.after(random.nextLong(1_000_000_000), () -> simulation.join(new SimulatedJvm(timeline)));
    }

    private void movePartition() {
        SimulatedCluster.Partition partition =
                cluster.partition("limit:" + Simulation.key(random.nextInt(scenario.keys())));
        SimulatedOwner next = anyMember();
        boolean present = !next.jvm().isKilled() && !partition.owner().jvm().isKilled();
        if (present && partition.isSafe()) {
            cluster.move(partition, next);
        }
    }

    private void stepClock() {
        SimulatedOwner member = anyMember();
        long nanos = simulation.anyOffsetNanos() - member.offsetNanos();
        trace.add(() -> member + "'s clock steps by " + nanos / 1_000_000 + " ms");
        member.stepClock(nanos);
        cluster.keysOf(member).forEach(key -> audit.clockStepped(key, nanos));
    }

    /** Half as much or twice as much, on one node after the other. */
    private void changeLimit() {
        Rule old = simulation.newestRule();
        boolean up = random.nextBoolean();
        List<Bandwidth> changed = old.algorithm().bandwidths().stream()
                .map(each -> new Bandwidth(
                        each.name(), scaled(each.capacity(), up), scaled(each.refill(), up), each.period()))
                .toList();
        Rule rule = new Rule(old.version() + 1, new TokenBucket(changed));
        trace.add(() -> "the limit becomes " + rule);
        simulation.ruled(rule);
        for (SimulatedNode node : nodes) {
            timeline.after(random.nextLong(1L << random.nextInt(20, 30)), () -> node.change(rule));
            if (random.nextBoolean()) { // word of the old one comes late
                timeline.after(random.nextLong(1L << random.nextInt(20, 30)), () -> node.change(old));
            }
        }
    }

    private static long scaled(long value, boolean up) {
        return up ? 2 * value : Math.max(1, value / 2);
    }

    private boolean mayLose(SimulatedOwner member) {
        boolean others = cluster.members().stream()
                .anyMatch(each -> each != member && !each.jvm().isKilled());
        return others && (scenario.hazards().contains(Hazard.WRITES_LOST) || cluster.canSpare(member));
    }

    private SimulatedOwner anyMember() {
        return cluster.members().get(random.nextInt(cluster.members().size()));
    }
}
