package io.weir.bench;

import com.hazelcast.core.HazelcastInstance;
import io.weir.FailurePolicy;
import io.weir.Limit;
import io.weir.Limiter;
import io.weir.Weir;
import io.weir.algorithm.Bandwidth;
import io.weir.hazelcast.HazelcastStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * What a key's entry costs on its owner and its backup, for one node that asks and for more, and what a key costs that a
 * node remembers by itself.
 *
 * <p>An entry remembers a node's call until no retry of it can run. Here that is a minute, so that all nodes' records are
 * in it at once.
 */
final class EntryMemory {

    /** What a node remembers of a key. */
    static final String LINE = "io.weir.hazelcast.KeyLine";

    private static final int MOST_ENTRIES = 20_000;

    /** Few, since a node remembers a denial for a second at most: all are to be asked for and measured in that time. */
    private static final int MOST_DENIALS = 2_000;

    private static final Duration DEADLINE = Duration.ofMinutes(1);

    private final LoopbackCluster cluster;
    private final MemoryPlan plan;
    private final MemoryReport report;
    private final int entries;
    private final long linesBefore = lines();

    EntryMemory(LoopbackCluster cluster, MemoryPlan plan, MemoryReport report) {
        this.cluster = cluster;
        this.plan = plan;
        this.report = report;
        this.entries = Math.min(plan.keys(), MOST_ENTRIES);
    }

    void measure() throws InterruptedException {
        Bandwidth bandwidth = Bandwidth.of(1_000, 1_000, Duration.ofMinutes(1));
        measureEntries(limit("exact", bandwidth).exact().build(), 1, "exact, or asked for seldom");
        // One request for so many is enough demand to lease at once.
        measureEntries(limit("leased", bandwidth).build(), 10, "leased by each node");
        measureDenials();
    }

    private static Limit.Builder limit(String name, Bandwidth bandwidth) {
        return Limit.named(name, FailurePolicy.DENY).bandwidth(bandwidth).deadline(DEADLINE);
    }

    private void measureEntries(Limit limit, long permits, String what) throws InterruptedException {
        EntryCounts.Costs before = null;
        EntryCounts counts = new EntryCounts(cluster, limit.name());
        try (Nodes nodes = new Nodes(cluster.members(), limit)) {
            counts.warmUp();
            LiveHeap empty = LiveHeap.settled();
            for (int node = 0; node < nodes.limiters().size(); node++) {
                long unanswered = new DistinctKeys(entries).ask(nodes.limiters().get(node), permits, asked -> {});
                report.awaitNone("lines of keys", () -> lines() - linesBefore, plan.patience());
                EntryCounts.Costs costs = counts.costs();
                double heap = LiveHeap.settled().bytesSince(empty, costs.entries());
                if (unanswered > 0 || costs.entries() != entries) {
                    throw new IllegalStateException(unanswered + " of " + entries + " keys were not answered, and "
                            + costs.entries() + " have an entry");
                }
                report.say(
                        "cluster: an entry, %s, takes %.0f bytes on its owner, %.0f on its backup%s; on the heap of both"
                                + " %.0f (asked for by %d of 3 nodes, %,d keys)",
                        what,
                        costs.owner(),
                        costs.backup(),
                        before == null ? "" : costs.added(before),
                        heap,
                        node + 1,
                        entries);
                before = costs;
            }
        }
        cluster.map(HazelcastStore.mapName(limit.name())).destroy();
    }

    /** A denial writes nothing on the owner, so that all that grows is what the node which was denied remembers. */
    private void measureDenials() throws InterruptedException {
        int keys = Math.min(plan.keys(), MOST_DENIALS);
        Limit limit = limit("denied", Bandwidth.of(1, 1, Duration.ofDays(1))).build();
        try (Nodes nodes = new Nodes(cluster.members(), limit)) {
            long unanswered = new DistinctKeys(keys).ask(nodes.limiters().get(0), 1, asked -> {});
            Limiter denied = nodes.limiters().get(2);
            denied.peek("warm-up");
            report.awaitNone("lines of keys", () -> lines() - linesBefore, plan.patience());
            LiveHeap before = LiveHeap.settled();
            for (int i = 0; i < keys; i++) {
                if (denied.tryAcquire(DistinctKeys.key(i)).granted() && unanswered == 0) {
                    throw new IllegalStateException("a key that another node has drained was granted");
                }
            }
            LiveHeap after = LiveHeap.now();
            long remembered = after.instancesOf(LINE) - linesBefore;
            if (remembered > 0) {
                report.say(
                        "node: a denial that it remembers takes %.0f bytes, with the key's string, for a second at most"
                                + " (%,d of %,d keys still remembered)",
                        after.bytesSince(before, remembered), remembered, keys);
            } else {
                report.say("node: this machine is too busy to ask for %,d keys while one is remembered", keys);
            }
            report.awaitNone("lines of keys", () -> lines() - linesBefore, plan.patience());
        }
        cluster.map(HazelcastStore.mapName(limit.name())).destroy();
    }

    static long lines() {
        return LiveHeap.now().instancesOf(LINE);
    }

    /**
     * One limit as several nodes ask by it, each with a store of its own.
     *
     * @param weirs to be closed
     * @param limiters in the order of the members
     */
    private record Nodes(List<Weir> weirs, List<Limiter> limiters) implements AutoCloseable {

        Nodes(List<HazelcastInstance> members, Limit limit) {
            this(new ArrayList<>(), new ArrayList<>());
            for (HazelcastInstance member : members) {
                Weir weir = Weir.over(HazelcastStore.join(member, limit.name()))
                        .limit(limit)
                        .build();
                weirs.add(weir);
                limiters.add(weir.limiter(limit.name()));
            }
        }

        @Override
        public void close() {
            weirs.forEach(Weir::close);
        }
    }
}
