package io.weir.hazelcast;

import io.weir.algorithm.Bandwidth;
import io.weir.algorithm.Request;
import io.weir.algorithm.Rule;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.UUID;
import java.util.logging.Level;
import java.util.logging.Logger;

/**
 * A whole cluster in one thread: the real code of nodes and owners, on simulated clocks, network and processes.
 *
 * <pre>
 *   callers -&gt; SimulatedNode (real: HazelcastBuckets, KeyLine, Node, ...) --+
 *                                                                          | SimulatedNetwork: delay, loss, repetition
 *   SimulatedCluster: who owns what, who backs it up                       v
 *              SimulatedOwner (real: BucketCall, StoredBucket, BucketBackup, AwakeTick)
 *
 *   Audit: watches every run and every grant                Timeline: what happens next
 * </pre>
 *
 * <p>It goes through three phases: traffic with faults; quiet, in which everything still under way ends; and, when every
 * bucket has had the time to refill, a request for the whole capacity of each key, which must be granted.
 */
final class Simulation {

    /**
     * What everybody in it needs.
     *
     * @param rules what the limit has been so far, and is
     */
    record World(
            Scenario scenario,
            Timeline timeline,
            Trace trace,
            Audit audit,
            Tally tally,
            SimulatedNetwork network,
            List<Rule> rules,
            SplittableRandom random) {}

    /** Members that sleep are nothing to warn of here. Held, since loggers that nobody holds forget their level. */
    private static final Logger SLEEPERS = Logger.getLogger(AwakeTick.class.getName());

    static {
        SLEEPERS.setLevel(Level.OFF);
    }

    private static final long SETTLING_NANOS = Duration.ofSeconds(40).toNanos();

    /** Expiry goes by whole seconds, and clocks differ. */
    private static final long EXPIRY_NANOS = Duration.ofSeconds(60).toNanos();

    private final Scenario scenario;
    private final Timeline timeline = new Timeline();
    private final Trace trace;
    private final SplittableRandom random;
    private final Audit audit;
    private final Tally tally;
    private final SimulatedCluster cluster;
    private final SimulatedNetwork network;
    private final World world;
    private final List<SimulatedNode> nodes = new ArrayList<>();
    private final List<Rule> rules = new ArrayList<>();
    private int identities;

    private Simulation(Scenario scenario, boolean traced) {
        this.scenario = scenario;
        this.random = new SplittableRandom(scenario.seed() + 1);
        this.trace = new Trace(timeline, traced);
        this.audit = new Audit(
                timeline,
                trace,
                !scenario.hazards().contains(Scenario.Hazard.CLOCKS_APART),
                !scenario.hazards().contains(Scenario.Hazard.WRITES_LOST));
        this.tally = new Tally(scenario.rule());
        this.cluster = new SimulatedCluster(timeline, trace, audit, random.nextLong(50_000_000));
        this.network = new SimulatedNetwork(timeline, trace, audit, cluster, scenario.link(), random.split());
        this.world = new World(scenario, timeline, trace, audit, tally, network, rules, random);
        this.rules.add(scenario.rule());
        cluster.whenLeaving(gone -> nodes.forEach(node -> node.forget(gone.uuid())));
    }

    /** Runs a scenario to its end. */
    static Outcome run(Scenario scenario) {
        return new Simulation(scenario, false).run();
    }

    /** The same, with a trace. */
    static Outcome traced(Scenario scenario) {
        return new Simulation(scenario, true).run();
    }

    /**
     * What came of a scenario.
     *
     * @param violation what was wrong; empty if nothing was
     * @param runs how often owners ran a call
     */
    record Outcome(Scenario scenario, String violation, String trace, Tally tally, long runs) {}

    private Outcome run() {
        for (int i = 0; i < scenario.members(); i++) {
            join(new SimulatedJvm(timeline));
        }
        for (int i = 0; i < scenario.nodes(); i++) {
            boolean embedded = i < scenario.embedded();
            SimulatedJvm jvm = embedded ? cluster.members().get(i).jvm() : new SimulatedJvm(timeline);
            nodes.add(node(jvm, !embedded));
        }
        for (int i = 0; i < scenario.keys(); i++) {
            cluster.partition("limit:" + key(i));
        }
        new SimulatedCallers(world, nodes).start();
        new SimulatedFaults(this, world, cluster, nodes).plan();
        timeline.runUntil(scenario.trafficNanos());
        settle();
        refill();
        audit.finish(rules);
        if (scenario.isHealthy() && tally.failed() > 0) {
            trace.violated(() -> "requests failed although nothing was wrong: " + tally);
        }
        return new Outcome(scenario, trace.violation(), trace.lines(), tally, network.runs());
    }

    private void settle() {
        network.becomeQuiet();
        timeline.runUntil(timeline.nanoTime() + SETTLING_NANOS);
        nodes.forEach(SimulatedNode::requireIdle);
        cluster.members().forEach(SimulatedOwner::stopTicking);
    }

    /** When everything has refilled nothing may be missing, and nothing be kept. */
    private void refill() {
        long window = rules.stream()
                .flatMap(rule -> rule.algorithm().bandwidths().stream())
                .mapToLong(each -> each.window().toNanos())
                .max()
                .orElseThrow();
        nodes.forEach(node -> node.tendEvery(1 + window / 100));
        timeline.runUntil(timeline.nanoTime() + 2 * window + EXPIRY_NANOS);
        nodes.forEach(SimulatedNode::requireForgotten);
        for (int i = 0; i < scenario.keys(); i++) {
            String key = "limit:" + key(i);
            if (!cluster.partition(key).owner().entry(key).isGone()) {
                trace.violated(() -> key + " is kept although it has long been full");
            }
        }
        nodes.forEach(node -> node.tendEvery(Duration.ofMillis(100).toNanos()));
        for (int i = 0; i < scenario.keys(); i++) {
            requireLimit(key(i));
        }
        if (SimulatedStarvation.isPossibleUnder(newestRule())) {
            SimulatedNode starving = node(new SimulatedJvm(timeline), true);
            new SimulatedStarvation(world, nodes, starving, key(0), newestRule()).play();
        }
        timeline.runUntil(timeline.nanoTime() + EXPIRY_NANOS);
        nodes.forEach(node -> node.tendEvery(1 + window / 100));
        timeline.runUntil(timeline.nanoTime() + 2 * window);
        for (int i = 0; i < scenario.keys(); i++) {
            requireCapacity(key(i));
        }
    }

    /** Every node goes by the newest rule. */
    private void requireLimit(String key) {
        List<SimulatedNode> asking =
                nodes.stream().filter(node -> !node.isGone()).limit(10).toList();
        long never = tally.never();
        asking.forEach(node -> ask(node, key, capacity(newestRule()) + 1));
        if (tally.never() != never + asking.size()) {
            trace.violated(() -> key + " is not under " + newestRule() + " everywhere: " + tally);
        }
    }

    /** All that there is, is granted. */
    private void requireCapacity(String key) {
        long capacity = capacity(newestRule());
        long granted = tally.granted();
        ask(node(new SimulatedJvm(timeline), true), key, capacity);
        if (tally.granted() != granted + capacity) {
            trace.violated(() -> key + " did not grant its capacity when it must have refilled: " + tally);
        }
    }

    private void ask(SimulatedNode node, String key, long permits) {
        long patience = Duration.ofSeconds(1).toNanos();
        node.ask(key, List.of(new Request.Take(permits)), patience);
        timeline.runUntil(timeline.nanoTime() + patience);
    }

    /** A store that begins, with an identity that there has not been before. */
    SimulatedNode node(SimulatedJvm jvm, boolean client) {
        return new SimulatedNode(new UUID(++identities, 1), jvm, client, rules.get(rules.size() - 1), world);
    }

    /** A member that joins. */
    SimulatedOwner join(SimulatedJvm jvm) {
        boolean ticking = scenario.faults().pauses() > 0;
        SimulatedOwner member = new SimulatedOwner(new UUID(9, ++identities), jvm, timeline, anyOffsetNanos(), ticking);
        cluster.join(member);
        return member;
    }

    /** By how much a member's clock may be ahead of the true time: no two are 5 s apart. */
    long anyOffsetNanos() {
        long most = Owner.CLOCK_DISAGREEMENT_NANOS / 2;
        return scenario.hazards().contains(Scenario.Hazard.CLOCKS_APART) ? random.nextLong(-most, most) : 0;
    }

    /** The newest rule, from now on. */
    void ruled(Rule rule) {
        rules.add(rule);
    }

    Rule newestRule() {
        return rules.get(rules.size() - 1);
    }

    /** The most that a request may ask for. */
    static long capacity(Rule rule) {
        return rule.algorithm().bandwidths().stream()
                .mapToLong(Bandwidth::capacity)
                .min()
                .orElseThrow();
    }

    static String key(int index) {
        return "key-" + index;
    }
}
