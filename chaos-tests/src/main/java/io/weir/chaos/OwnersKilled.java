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
import java.util.stream.IntStream;

/**
 * Owners are killed one after another, under many writers that all survive: what they were granted and what the buckets lack
 * in the end must be the same, key by key.
 *
 * @param kills how many
 * @param writers threads that ask, all in one process that survives, for as many keys
 * @param firstOnClassPath where processes look for classes first
 */
record OwnersKilled(int kills, int writers, List<String> firstOnClassPath) implements Play {

    private static final long CAPACITY = 100_000_000;
    private static final Duration BETWEEN = Duration.ofSeconds(1);

    /** Longer than any stall, so that each call has an answer that counts. */
    private static final Duration DEADLINE = Duration.ofSeconds(20);

    private static final Limit LIMIT = Limit.named("killed-often", FailurePolicy.DENY)
            .bandwidth(Bandwidth.of(CAPACITY, 1, Duration.ofDays(365)))
            .deadline(DEADLINE)
            .exact()
            .build();

    OwnersKilled(int kills) {
        this(kills, 30, List.of());
    }

    @Override
    public String name() {
        return kills + " owners killed";
    }

    @Override
    public List<String> cells() {
        return List.of(name() + ", " + writers + " writers");
    }

    @Override
    public List<Judged> run(Rig rig) {
        try (Cluster cluster = new Cluster("owners-killed", rig).firstOnClassPath(firstOnClassPath)) {
            cluster.limit(LIMIT);
            MemberProcess caller = cluster.add(Role.LITE);
            cluster.add(Role.FULL);
            cluster.add(Role.FULL);
            cluster.add(Role.FULL);
            cluster.awaitSafe();

            History history = new History();
            Load load = Load.lasting(Duration.ofMinutes(10), LIMIT.name(), keys().toArray(String[]::new))
                    .threads(writers)
                    .pause(Duration.ofMillis(1));
            CompletableFuture<Tally> tally = caller.begin(load, history);
            long began = System.nanoTime();
            for (int i = 0; i < kills; i++) {
                Waits.pause(BETWEEN);
                cluster.ownerOf(LIMIT.name(), keys().get(i % writers)).kill();
                cluster.add(Role.FULL);
                cluster.awaitSafe();
            }
            long ended = System.nanoTime();
            caller.stopLoads();
            return List.of(judge(rig, caller, history, MemberProcess.await(tally), began, ended));
        }
    }

    private List<String> keys() {
        return IntStream.range(0, writers).mapToObj(i -> "key-" + i).toList();
    }

    private Judged judge(Rig rig, MemberProcess caller, History history, Tally tally, long began, long ended) {
        long lost = 0;
        long twice = 0;
        for (String key : keys()) {
            long granted = history.permits(key);
            long charged = CAPACITY - caller.peek(LIMIT.name(), key).remaining().orElseThrow();
            lost += Math.max(0, granted - charged);
            twice += Math.max(0, charged - granted);
        }
        List<String> misses = new ArrayList<>();
        if (lost > 0) {
            misses.add("LOST " + lost);
        }
        if (twice > tally.unanswered()) { // a call that nobody answered in time may have been charged
            misses.add("CHARGED TWICE " + twice);
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
                Optional.empty(),
                caller.waited(began, ended),
                misses,
                new Course(LIMIT.bandwidths().get(0), keys().size(), history.outcomes(), began, ended));
    }
}
