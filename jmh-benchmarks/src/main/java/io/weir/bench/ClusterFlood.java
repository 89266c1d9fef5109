package io.weir.bench;

import io.weir.Limit;
import io.weir.Limiter;
import io.weir.Weir;
import io.weir.hazelcast.HazelcastStore;

/** Distinct keys that one node asks a cluster for, once each, and what is left of them on all of its members. */
final class ClusterFlood {

    private static final String NAMESPACE = "flood";

    /** What else three members do meanwhile, however many keys there are. */
    private static final long SLACK_BYTES = 4 * 1_024 * 1_024;

    private final LoopbackCluster cluster;
    private final MemoryPlan plan;
    private final MemoryReport report;
    private final EntryCounts counts;

    ClusterFlood(LoopbackCluster cluster, MemoryPlan plan, MemoryReport report) {
        this.cluster = cluster;
        this.plan = plan;
        this.report = report;
        this.counts = new EntryCounts(cluster, NAMESPACE);
    }

    void measure() throws InterruptedException {
        Limit limit = plan.limit("flood");
        try (Weir weir = Weir.over(HazelcastStore.join(cluster.caller(), NAMESPACE))
                .limit(limit)
                .build()) {
            counts.warmUp();
            LiveHeap before = LiveHeap.settled();
            flood(weir.limiter(limit.name()));
            report.awaitNone("entries on owners and backups", () -> counts.owned() + counts.backups(), plan.patience());
            report.awaitNone(
                    "keys that a node remembers",
                    () -> EntryMemory.lines() - before.instancesOf(EntryMemory.LINE),
                    plan.patience());
            LiveHeap after = LiveHeap.settled();
            long beside = after.bytesBesideTablesSince(before);
            report.say(
                    "flood: %d entries on owners, %d on backups; %d keys remembered; %.1f bytes are left for each key, in"
                            + " tables that held them; %,d bytes elsewhere",
                    counts.owned(),
                    counts.backups(),
                    after.instancesOf(EntryMemory.LINE) - before.instancesOf(EntryMemory.LINE),
                    after.bytesSince(before, plan.keys()),
                    beside);
            report.requireAtMost(SLACK_BYTES, beside, "bytes of the cluster");
        }
    }

    private void flood(Limiter limiter) throws InterruptedException {
        long began = System.nanoTime();
        long unanswered = new DistinctKeys(plan.keys())
                .ask(
                        limiter,
                        1,
                        asked -> report.say(
                                "  %,d keys, %,.0f a second; %,d entries on owners, %,d on backups",
                                asked, perSecond(asked, began), counts.owned(), counts.backups()));
        report.say(
                "flood: %,d keys, %,.0f a second, %,d of them not answered in time",
                plan.keys(), perSecond(plan.keys(), began), unanswered);
    }

    private static double perSecond(int asked, long beganNanos) {
        return asked * 1e9 / (System.nanoTime() - beganNanos);
    }
}
