package io.weir.chaos;

import io.weir.FailurePolicy;
import io.weir.Limit;
import io.weir.algorithm.Bandwidth;
import io.weir.store.contract.HistoryChecker;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * An owner that is cut off grants, until it is found to be alone, and nobody else does. When the split has healed, its
 * bucket must lack what it granted, though the larger side never heard of it.
 *
 * @param firstOnClassPath where processes look for classes first
 */
record SplitHealed(List<String> firstOnClassPath) implements Play {

    private static final long CAPACITY = 1_000_000;
    private static final Duration WARM = Duration.ofSeconds(1);

    /** Until some time after the owner was removed. */
    private static final Duration LENGTH = Duration.ofSeconds(9);

    private static final Duration PATIENCE = Duration.ofSeconds(20);

    /** Longer than a call waits for a backup that cannot be reached. */
    private static final Duration DEADLINE = Duration.ofSeconds(3);

    private static final Limit LIMIT = Limit.named("split", FailurePolicy.DENY)
            .bandwidth(Bandwidth.of(CAPACITY, 1, Duration.ofDays(365)))
            .deadline(DEADLINE)
            .exact()
            .build();

    SplitHealed() {
        this(List.of());
    }

    @Override
    public String name() {
        return "owner granted alone";
    }

    @Override
    public List<String> cells() {
        return List.of(name() + ", hot DENY exact");
    }

    @Override
    public List<Judged> run(Rig rig) {
        try (Cluster cluster = new Cluster("granted-alone", rig)
                .withTunedHeartbeats(Duration.ofSeconds(5))
                .firstOnClassPath(firstOnClassPath)) {
            cluster.limit(LIMIT);
            MemberProcess master = cluster.add(Role.FULL);
            MemberProcess owner = cluster.add(Role.FULL);
            MemberProcess third = cluster.add(Role.FULL);
            cluster.awaitSafe();
            String key = cluster.keyOwnedBy(owner, LIMIT.name());
            History history = new History();
            Load load = Load.lasting(LENGTH, LIMIT.name(), key).threads(16).pause(Duration.ofMillis(1));
            CompletableFuture<Tally> tally = owner.begin(load, history);
            Waits.pause(WARM);
            long began = System.nanoTime();
            Link.between(owner.number(), List.of(master.number(), third.number()))
                    .forEach(each -> cluster.network().set(each, Weather.SILENT));
            MemberProcess.await(tally);
            long ended = System.nanoTime();
            cluster.network().heal();
            Waits.until("the split heals", PATIENCE, cluster::isWhole);
            Duration whole = Duration.ofNanos(System.nanoTime() - ended);
            Waits.until(
                    "the owner has handed over what it had",
                    PATIENCE,
                    () -> owner.log().entries().stream().anyMatch(entry -> entry.contains("is MERGED")));
            cluster.awaitSafe();
            long charged = CAPACITY - master.peek(LIMIT.name(), key).remaining().orElseThrow();
            return List.of(judge(rig, history, charged, whole, began, ended));
        }
    }

    private Judged judge(Rig rig, History history, long charged, Duration whole, long began, long ended) {
        List<String> misses = new ArrayList<>();
        if (history.grants().stream().noneMatch(each -> each.endNanos() > began)) {
            misses.add("GRANTED NOTHING alone");
        }
        if (history.permits() > charged) {
            misses.add("LOST " + (history.permits() - charged));
        }
        HistoryChecker bound = HistoryChecker.of(LIMIT.bandwidths().get(0));
        return new Judged(
                cells().get(0),
                rig,
                bound,
                history.permits(),
                history.judge(bound),
                history.stall(),
                Optional.empty(),
                Optional.of(whole),
                new Waited(0, 0),
                misses,
                new Course(LIMIT.bandwidths().get(0), 1, history.outcomes(), began, ended));
    }
}
