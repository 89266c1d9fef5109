package io.weir.hazelcast;

import io.weir.algorithm.Request;
import io.weir.algorithm.Rule;
import io.weir.algorithm.Verdict;
import io.weir.store.Answer;
import io.weir.store.LeaseCounts;
import io.weir.store.Source;
import io.weir.store.StoreUnavailableException;
import io.weir.store.StoreUnavailableException.Reason;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.SplittableRandom;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;

/** One store instance, which is the real one, with its callers: what they ask, what they are told, and when. */
final class SimulatedNode {

    /**
     * Somebody who waits.
     *
     * @param deadlineNanos on the node's clock, at the latest
     * @param trueDeadlineNanos in true time, at the earliest
     */
    private record Asked(
            String key,
            List<Request> requests,
            long deadlineNanos,
            long trueDeadlineNanos,
            CompletableFuture<List<Answer>> future) {}

    private static final long TENDING_NANOS = HeldLease.TTL.toNanos() / 5;

    private final UUID identity;
    private final String name;
    private final SimulatedJvm jvm;
    private final boolean client;
    private final Timeline timeline;
    private final Trace trace;
    private final Audit audit;
    private final Tally tally;
    private final SimulatedNetwork network;
    private final List<Rule> rules;
    private final boolean healthy;
    private final SplittableRandom random;
    private final NodeClock clock;
    private final Deadlines deadlines;
    private final Node node;
    private final HazelcastBuckets buckets;
    private final PriorityQueue<Asked> asked = new PriorityQueue<>(Comparator.comparingLong(Asked::deadlineNanos));
    private final Map<String, Long> latestDeadlines = new HashMap<>();
    private final ClockDoubts doubts;
    private final Map<String, Long> lineHeldUntil = new HashMap<>();
    private final Map<String, Long> spentSinceReport = new HashMap<>();
    private boolean sweeping;
    private boolean tending;
    private long tendingNanos;
    private boolean closed;
    private long granted;

    SimulatedNode(UUID identity, SimulatedJvm jvm, boolean client, Rule rule, Simulation.World world) {
        this.name = "node-" + identity.getMostSignificantBits() + "." + identity.getLeastSignificantBits();
        this.identity = identity;
        this.jvm = jvm;
        this.doubts = new ClockDoubts(jvm);
        this.client = client;
        this.timeline = world.timeline();
        this.trace = world.trace();
        this.audit = world.audit();
        this.tally = world.tally();
        this.network = world.network();
        this.rules = world.rules();
        this.healthy = world.scenario().isHealthy();
        this.random = world.random().split();
        // Leases are looked after by a thread, and who knows what holds that up.
        this.tendingNanos = healthy || random.nextBoolean() ? TENDING_NANOS : TENDING_NANOS << random.nextInt(2, 6);
        this.clock = new NodeClock(jvm, world.scenario().heldUpPerMillion(), random);
        this.deadlines = new Deadlines(clock);
        this.node = new Node(
                identity,
                clock,
                network.from(this),
                new OwnerClocks(clock, () -> SimulatedOwner.clusterTime(jvm.instantNanos())),
                task -> timeline.at(jvm.instantNanos() + 5_000, () -> jvm.run(task)),
                (completion, refused) -> completion.run(),
                deadlines,
                1_000_000);
        this.buckets = new HazelcastBuckets(node, "limit", rule, Remembering.ALL);
    }

    SimulatedJvm jvm() {
        return jvm;
    }

    boolean isClient() {
        return client;
    }

    boolean isGone() {
        return closed || jvm.isKilled();
    }

    /** Until when, in true time, anybody waits who has asked for a key so far. */
    long latestDeadlineNanos(String key) {
        long heldUp = jvm.instantNanos() - jvm.begunAtNanos();
        return latestDeadlines.getOrDefault(key, 0L) + heldUp;
    }

    /** A call leaves that is waited for so long at most. */
    void departed(String key, long latestDeadlineNanos, boolean reports) {
        lineHeldUntil.merge(key, latestDeadlineNanos, Math::max);
        if (reports) {
            spentSinceReport.remove(key);
        }
    }

    /** What this node may be wrong about owners' clocks. */
    ClockDoubts doubts() {
        return doubts;
    }

    /** Whether an answer to this call will be taken for one. */
    boolean awaits(SimulatedCall call) {
        return NodeLeases.isAwaited(buckets, call.key(), call.said().number());
    }

    /** An answer has come: what this node holds from now on, its owner holds for it, and for longer (L5). */
    void requireLent(SimulatedCall call, CallAnswer answer, boolean awaited) {
        HeldLease lease = NodeLeases.of(buckets, call.key());
        if (lease == null || lease.held() == 0) {
            return;
        }
        LeaseAnswer told = answer.lease();
        if (awaited && told != null && lease.held() > told.accepted() + told.lent()) {
            trace.violated(() -> call + " was told " + told + " and holds " + lease.held() + " (L5)");
        }
        long left = lease.expiryNanos() - clock.shows(jvm.instantNanos());
        if (left > 0) {
            long until = jvm.instantNanos() + left;
            audit.held(this, call.key(), lease.held(), network.heldFor(identity, call.key(), until));
        }
    }

    /** Permits that its callers were told of. */
    long granted() {
        return granted;
    }

    /** An owner has left the cluster. */
    void forget(UUID owner) {
        jvm.run(() -> {
            node.forget(owner);
            doubts.forget(owner);
        });
    }

    void change(Rule rule) {
        jvm.run(() -> buckets.change(rule));
    }

    /** Somebody asks, as soon as this node is awake. */
    void ask(String key, List<Request> requests, long deadlineNanos) {
        jvm.run(() -> {
            if (!closed) {
                tally.asked(key, requests, timeline.nanoTime());
                askNow(key, requests, deadlineNanos);
            }
        });
    }

    private void askNow(String key, List<Request> requests, long deadlineNanos) {
        latestDeadlines.merge(storedKey(key), deadlineAfter(deadlineNanos), Math::max);
        planTending();
        CompletableFuture<List<Answer>> future = requests.size() == 1 && requests.get(0) instanceof Request.Take take
                ? buckets.takeAsync(key, take.permits(), deadlineNanos).thenApply(List::of)
                : buckets.decide(key, requests, deadlineNanos);
        // After the call: it may have been held up before it began to count.
        latestDeadlines.merge(storedKey(key), deadlineAfter(deadlineNanos), Math::max);
        long deadline = clock.shows(jvm.instantNanos()) + deadlineNanos;
        Asked asking = new Asked(storedKey(key), requests, deadline, jvm.begunAtNanos() + deadlineNanos, future);
        if (!future.isDone()) {
            asked.add(asking);
            planSweep();
        }
        var unused = future.whenComplete((answers, failure) -> ended(asking, answers, failure));
    }

    /** In true time, whatever the speed of this node's clock. */
    private long deadlineAfter(long nanos) {
        return jvm.instantNanos() + nanos + nanos / 1_000;
    }

    private static String storedKey(String key) {
        return "limit:" + key;
    }

    private void ended(Asked asking, @Nullable List<Answer> answers, @Nullable Throwable failure) {
        if (failure != null) {
            failed(asking, failure instanceof CompletionException e && e.getCause() != null ? e.getCause() : failure);
        } else if (answers != null) {
            for (int i = 0; i < answers.size(); i++) {
                answered(asking, asking.requests().get(i), answers.get(i));
            }
        }
    }

    private void failed(Asked asking, Throwable failure) {
        trace.add(() -> name + " is told of " + asking.requests() + " on " + asking.key() + ": " + failure);
        if (failure instanceof StoreUnavailableException outage) {
            tally.failed(outage.reason());
            if (outage.reason() == Reason.CLOSED && !closed) {
                trace.violated(() -> name + " says that it is closed, and is not");
            }
            if (outage.reason() == Reason.DEADLINE) {
                requireNotHeldUp(asking);
            }
        } else {
            trace.violated(() -> name + " failed, and not for an outage: " + failure);
        }
    }

    /** Who is not answered in time was at least sent for, or was behind a call that somebody still waited for. */
    private void requireNotHeldUp(Asked asking) {
        long heldUntil = lineHeldUntil.getOrDefault(asking.key(), Long.MIN_VALUE);
        long noticed = Math.max(heldUntil, jvm.awakeAtNanos()) + 2 * Deadlines.TICK.toNanos();
        boolean heldUpJustNow = jvm.instantNanos() > jvm.begunAtNanos();
        if (noticed < asking.trueDeadlineNanos() && !heldUpJustNow) {
            trace.violated(() -> name + " never asked for " + asking.requests() + " on " + asking.key());
        }
    }

    private void answered(Asked asking, Request request, Answer answer) {
        trace.add(() -> name + " is told of " + request + " on " + asking.key() + ": " + answer.verdict() + " by "
                + answer.source());
        tally.answered(request, answer);
        SimulatedCall call = network.ending();
        boolean never = answer.verdict() == Verdict.NEVER;
        boolean wrong = never ? isBelowAllLimits(request.permits()) : isAboveAllLimits(request.permits());
        if (request instanceof Request.Take && wrong) {
            trace.violated(() -> name + " was told " + answer + " of " + request + " (I5)");
        }
        if (request instanceof Request.Take && request.permits() > 0 && answer.verdict() == Verdict.GRANTED) {
            granted += request.permits();
            if (answer.source() == Source.CLUSTER && call != null) {
                audit.granted(call, request);
            } else if (answer.source() == Source.LEASE) {
                spentSinceReport.merge(asking.key(), request.permits(), Long::sum);
                long heldForThis = network.heldFor(identity, asking.key(), timeline.nanoTime());
                audit.spent(this, asking.key(), request.permits(), answer.held(), heldForThis);
            } else {
                trace.violated(() -> name + " was granted " + request + " by " + answer);
            }
        }
    }

    private boolean isAboveAllLimits(long permits) {
        return rules.stream().allMatch(rule -> permits > Simulation.capacity(rule));
    }

    private boolean isBelowAllLimits(long permits) {
        return rules.stream().allMatch(rule -> permits <= Simulation.capacity(rule));
    }

    private void planSweep() {
        if (!sweeping) {
            sweeping = true;
            timeline.after(Deadlines.TICK.toNanos(), () -> jvm.run(this::sweep));
        }
    }

    /** As the store's thread for leases does, as long as there is anything to look after. */
    private void planTending() {
        if (!tending && !closed) {
            tending = true;
            timeline.after(
                    tendingNanos,
                    () -> jvm.run(() -> {
                        tending = false;
                        if (!closed) {
                            node.tend();
                            buckets.tend();
                        }
                        if (buckets.lines() > 0 || node.breakers().anyOpen()) {
                            planTending();
                        }
                    }));
        }
    }

    /** As the thread of {@link Deadlines} does; and then nobody must be left who should not be. */
    private void sweep() {
        sweeping = false;
        long now = clock.nanoTime();
        boolean any = deadlines.sweep();
        for (Asked head = asked.peek(); head != null; head = asked.peek()) {
            Asked overdue = head;
            if (!head.future().isDone() && head.deadlineNanos() <= now) {
                trace.violated(() -> name + " left " + overdue + " waiting beyond its deadline");
            } else if (!head.future().isDone()) {
                break;
            }
            asked.remove();
        }
        if (any || !asked.isEmpty()) {
            planSweep();
        }
    }

    /** Closes the store: everybody is told. */
    void close() {
        jvm.run(() -> {
            List<String> unspent = latestDeadlines.keySet().stream()
                    .filter(key -> network.heldFor(identity, key, timeline.nanoTime())
                            > spentSinceReport.getOrDefault(key, 0L))
                    .toList();
            closed = true;
            node.close();
            buckets.close(() -> true, () -> {});
            deadlines.close();
            if (asked.stream().anyMatch(each -> !each.future().isDone())) {
                trace.violated(() -> name + " was closed and left somebody waiting");
            }
            if (healthy) {
                timeline.after(TENDING_NANOS, () -> requireReturned(unspent));
            }
        });
    }

    private void requireReturned(List<String> keys) {
        for (String key : keys) {
            if (network.heldFor(identity, key, timeline.nanoTime()) > 0) {
                trace.violated(() -> name + " was closed and its lease on " + key + " did not come back");
            }
        }
    }

    /** Nobody has asked for long. */
    void requireIdle() {
        if (!isGone() && asked.stream().anyMatch(each -> !each.future().isDone())) {
            trace.violated(() -> name + " never answered");
        }
    }

    /** How often lines are looked after. */
    long tendingNanos() {
        return tendingNanos;
    }

    /** From now on lines are looked after so often only. */
    void tendEvery(long nanos) {
        tendingNanos = nanos;
    }

    /** There is nothing left that would be worth remembering. */
    void requireForgotten() {
        LeaseCounts counts = buckets.leases();
        if (!isGone() && counts.granted() != counts.spent() + counts.returned() + counts.forfeited()) {
            trace.violated(() -> name + " does not know what became of its leases: " + counts);
        }
        if (!isGone() && buckets.lines() > 0) {
            trace.violated(() -> name + " keeps " + buckets.lines() + " lines while nobody asks");
        }
    }

    @Override
    public String toString() {
        return name;
    }
}
