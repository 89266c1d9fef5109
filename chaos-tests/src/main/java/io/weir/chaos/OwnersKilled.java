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
 * Owners are killed one after another, under many WRITERS that all survive: what they were granted and what the buckets lack
 * in the end must be the same, key by key.
 *
 * @param kills how many
 * @param answersLost whether what an owner was about to answer is lost with it, though it is decided and the backup has
 *     it: each call that is in flight is then run twice. It takes relays
 * @param firstOnClassPath where processes look for classes first
 */
record OwnersKilled(int kills, boolean answersLost, List<String> firstOnClassPath) implements Play {

    /** Threads that ask, all in one process that survives, for as many keys. */
    private static final int WRITERS = 30;

    /** How long answers of the next owner to be killed are on their way. */
    private static final Weather HOLDING_BACK = Weather.slow(Duration.ofMillis(20));

    private static final long CAPACITY = 100_000_000;
    private static final Duration BETWEEN = Duration.ofSeconds(1);

    /** Longer than any stall, so that each call has an answer that counts. */
    private static final Duration DEADLINE = Duration.ofSeconds(20);

    private static final List<String> KEYS =
            IntStream.range(0, WRITERS).mapToObj(i -> "key-" + i).toList();

    private static final Limit LIMIT = Limit.named("killed-often", FailurePolicy.DENY)
            .bandwidth(Bandwidth.of(CAPACITY, 1, Duration.ofDays(365)))
            .deadline(DEADLINE)
            .exact()
            .build();

    OwnersKilled(int kills, boolean answersLost) {
        this(kills, answersLost, List.of());
    }

    @Override
    public String name() {
        return "owner after owner killed" + (answersLost ? ", answers lost" : "");
    }

    @Override
    public List<String> cells() {
        return List.of(name() + ", " + kills + " kills, " + WRITERS + " writers");
    }

    @Override
    public List<Judged> run(Rig wanted) {
        Rig rig = answersLost ? Rig.LOOPBACK : wanted;
        try (Cluster cluster = new Cluster("owners-killed", rig).firstOnClassPath(firstOnClassPath)) {
            cluster.limit(LIMIT);
            MemberProcess caller = cluster.add(Role.LITE);
            cluster.add(Role.FULL);
            cluster.add(Role.FULL);
            cluster.add(Role.FULL);
            cluster.awaitSafe();

            History history = new History();
            Load load = Load.lasting(Duration.ofMinutes(10), LIMIT.name(), KEYS.toArray(String[]::new))
                    .threads(WRITERS)
                    .pause(Duration.ofMillis(1));
            CompletableFuture<Tally> tally = caller.begin(load, history);
            long began = System.nanoTime();
            for (int i = 0; i < kills; i++) {
                Waits.pause(BETWEEN);
                kill(cluster, cluster.ownerOf(LIMIT.name(), KEYS.get(i % WRITERS)), caller);
                cluster.add(Role.FULL);
                cluster.awaitSafe();
            }
            long ended = System.nanoTime();
            caller.stopLoads();
            return List.of(judge(rig, caller, history, MemberProcess.await(tally), began, ended));
        }
    }

    private void kill(Cluster cluster, MemberProcess owner, MemberProcess caller) {
        Link answers = new Link(owner.number(), caller.number());
        if (answersLost) {
            cluster.network().set(answers, HOLDING_BACK);
            Waits.pause(BETWEEN);
            cluster.network().set(answers, Weather.RESETTING);
        }
        owner.kill();
        cluster.network().heal();
    }

    private Judged judge(Rig rig, MemberProcess caller, History history, Tally tally, long began, long ended) {
        long lost = 0;
        long twice = 0;
        for (String key : KEYS) {
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
                new Course(LIMIT.bandwidths().get(0), KEYS.size(), history.outcomes(), began, ended));
    }
}
