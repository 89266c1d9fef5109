package io.weir.hazelcast;

import static org.assertj.core.api.Assertions.assertThat;

import com.hazelcast.core.HazelcastInstance;
import io.weir.Ask;
import io.weir.FailurePolicy;
import io.weir.JointDecision;
import io.weir.Limit;
import io.weir.Weir;
import io.weir.algorithm.Bandwidth;
import io.weir.store.Source;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Several limits in one decision, by real members: all or nothing, whatever is denied, late or lost. */
class JointlyTest {

    private static final long FIRST_SEED = Long.getLong("weir.seed", 1);
    private static final int SEEDS = Integer.getInteger("weir.joint-seeds", 2);
    private static final int THREADS = 64;
    private static final int REQUESTS = 40;
    private static final Duration YEARS = Duration.ofDays(3_650);

    /** Of which the keys are: few users have the same tenant, and all the same site. */
    private static final List<String> LIMITS = List.of("user", "tenant", "site");

    /** Exact: a lease that a lost call was to return stays lost, which would explain a balance as well. */
    private static Limit limit(String name, long capacity, Duration deadline) {
        return Limit.named(name, FailurePolicy.DENY)
                .bandwidth(Bandwidth.of(capacity, 1, YEARS))
                .deadline(deadline)
                .exact()
                .build();
    }

    private static long capacity(String limit) {
        return switch (limit) {
            case "user" -> 120;
            case "tenant" -> 500;
            default -> 1_800;
        };
    }

    private static Weir weir(HazelcastStore store, Duration deadline) {
        Weir.Builder builder = Weir.over(store);
        LIMITS.forEach(name -> builder.limit(limit(name, capacity(name), deadline)));
        return builder.build();
    }

    /** A denial by one does not burn the others, wherever their owners are. */
    @Test
    void whatOneDeniesChargesNoOther() {
        try (TestCluster cluster = TestCluster.of(3);
                Weir weir =
                        weir(HazelcastStore.join(cluster.member(0), TestCluster.NAMESPACE), Duration.ofSeconds(10))) {
            for (int i = 0; i < 150; i++) {
                JointDecision decision = weir.tryAcquire(asks(weir, "u", "t", "s", 1));
                assertThat(decision.granted()).isEqualTo(i < 120);
                if (i >= 120) {
                    assertThat(decision.governing().limit().name()).isEqualTo("user");
                }
            }
            awaitRemaining(weir, "tenant", "t", 380);
            awaitRemaining(weir, "site", "s", 1_680);
        }
    }

    /** On the caller's path: there and back, and the backup's acknowledgement. All limits are asked at the same time. */
    @Test
    void costsOneOperationForEachLimitHoweverManyThereAre() {
        try (TestCluster cluster = TestCluster.of(3)) {
            cluster.awaitSafe();
            HazelcastInstance caller = cluster.member(0);
            Weir.Builder builder = Weir.over(HazelcastStore.join(caller, TestCluster.NAMESPACE));
            IntStream.range(0, 5).forEach(i -> builder.limit(limit("limit" + i, 1_000, Duration.ofSeconds(10))));
            try (Weir weir = builder.build()) {
                for (int limits : new int[] {1, 2, 5}) {
                    List<List<Ask>> decisions = IntStream.range(0, 40)
                            .mapToObj(i -> remoteAsks(cluster, weir, limits, "n" + limits + "-" + i))
                            .toList();
                    Traffic before = Traffic.of(caller);
                    decisions.forEach(
                            each -> assertThat(weir.tryAcquire(each).granted()).isTrue());
                    Traffic traffic = Traffic.of(caller).since(before);
                    System.out.printf("%d limits in one decision: %s for 40%n", limits, traffic);
                    assertThat(traffic.operations()).isBetween(40L * limits, 40L * limits + 5); // reports to the roster
                    assertThat(traffic.backups()).isBetween(40L * limits, 40L * limits + 5);
                }
            }
        }
    }

    /** Of which the caller is neither owner nor backup, each in a partition of its own. */
    private static List<Ask> remoteAsks(TestCluster cluster, Weir weir, int limits, String prefix) {
        HazelcastInstance caller = cluster.member(0);
        List<Ask> asks = new ArrayList<>();
        for (int i = 0; i < limits; i++) {
            String limit = "limit" + i;
            String key = IntStream.iterate(0, n -> n + 1)
                    .mapToObj(n -> prefix + "-" + n)
                    .filter(each -> RoundTripTest.isRemote(caller, limit + ":" + each))
                    .findFirst()
                    .orElseThrow();
            asks.add(Ask.of(weir.limiter(limit), key));
        }
        return asks;
    }

    private static List<Ask> asks(Weir weir, String user, String tenant, String site, long permits) {
        return List.of(
                new Ask(weir.limiter("user"), user, permits),
                new Ask(weir.limiter("tenant"), tenant, permits),
                new Ask(weir.limiter("site"), site, permits));
    }

    @Test
    void everyBalanceIsWhatTheGrantedRequestsExplain() throws Exception {
        LongAdder late = new LongAdder();
        for (long seed = FIRST_SEED; seed < FIRST_SEED + SEEDS; seed++) {
            run(seed, late);
        }
        assertThat(late.sum())
                .as("decisions that an owner did not answer in time")
                .isPositive();
    }

    /** Three members that limit, and two whose buckets are killed under them. */
    private static void run(long seed, LongAdder late) throws Exception {
        SplittableRandom random = new SplittableRandom(seed);
        ExecutorService threads = Executors.newFixedThreadPool(THREADS);
        try (TestCluster cluster = TestCluster.of(5)) {
            cluster.awaitSafe();
            List<Weir> nodes = new ArrayList<>();
            for (int i = 0; i < 3; i++) {
                Duration deadline = Duration.ofMillis(random.nextLong(2, 40));
                nodes.add(weir(HazelcastStore.join(cluster.member(i), TestCluster.NAMESPACE), deadline));
            }
            Map<String, LongAdder> granted = new ConcurrentHashMap<>();
            List<Future<?>> running = new ArrayList<>();
            for (int i = 0; i < THREADS; i++) {
                Weir weir = nodes.get(i % nodes.size());
                SplittableRandom choices = random.split();
                running.add(threads.submit(() -> ask(weir, choices, granted, late)));
            }
            LockSupport.parkNanos(random.nextLong(TimeUnit.MILLISECONDS.toNanos(100)));
            cluster.crash(cluster.member(3 + random.nextInt(2)));
            for (Future<?> each : running) {
                each.get(60, TimeUnit.SECONDS);
            }
            // Asked by a node that has taken part in nothing, and waits for its answers.
            try (Weir auditor = weir(
                    HazelcastStore.join(
                            cluster.member(3).getLifecycleService().isRunning() ? cluster.member(3) : cluster.member(4),
                            TestCluster.NAMESPACE),
                    Duration.ofSeconds(10))) {
                granted.forEach((entry, permits) -> {
                    String name = entry.substring(0, entry.indexOf(':'));
                    String key = entry.substring(entry.indexOf(':') + 1);
                    awaitRemaining(auditor, name, key, capacity(name) - permits.sum());
                });
            } catch (AssertionError e) {
                throw new AssertionError("-Dweir.seed=" + seed + " -Dweir.joint-seeds=1", e);
            }
            nodes.forEach(Weir::close);
        } finally {
            threads.shutdownNow();
        }
    }

    private static void ask(Weir weir, SplittableRandom random, Map<String, LongAdder> granted, LongAdder late) {
        for (int i = 0; i < REQUESTS; i++) {
            int user = random.nextInt(12);
            long permits = random.nextLong(1, 4);
            List<Ask> asks = asks(weir, "u" + user, "t" + user % 3, "s", permits);
            JointDecision decision = weir.tryAcquire(asks);
            for (Ask each : asks) {
                LongAdder sum = granted.computeIfAbsent(
                        each.limiter().limit().name() + ":" + each.key(), any -> new LongAdder());
                sum.add(decision.granted() ? permits : 0);
            }
            late.add(IntStream.range(0, decision.decisions().size())
                    .filter(n -> decision.decisions().get(n).source() == Source.POLICY)
                    .count());
        }
    }

    /** What is on its way back, leases included, is back soon. */
    private static void awaitRemaining(Weir weir, String limit, String key, long expected) {
        long giveUp = System.nanoTime() + TimeUnit.SECONDS.toNanos(15);
        long remaining;
        do {
            remaining = weir.limiter(limit).peek(key).remaining().orElse(-1);
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(20));
        } while (remaining != expected && System.nanoTime() < giveUp);
        assertThat(remaining).as("%s of %s", key, limit).isEqualTo(expected);
    }
}
