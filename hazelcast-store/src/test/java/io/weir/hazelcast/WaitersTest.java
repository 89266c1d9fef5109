package io.weir.hazelcast;

import static org.assertj.core.api.Assertions.assertThat;

import com.hazelcast.core.EntryView;
import io.weir.Decision;
import io.weir.FailurePolicy;
import io.weir.Limit;
import io.weir.Limiter;
import io.weir.Weir;
import io.weir.algorithm.Bandwidth;
import io.weir.store.contract.Grant;
import io.weir.store.contract.HistoryChecker;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Waiting for permits, on several nodes at once. */
class WaitersTest {

    private static final int WAITERS = 200;
    private static final int PER_SECOND = 500;
    private static final int ROUNDS = 8;

    private static Weir weir(HazelcastStore store, Bandwidth bandwidth) {
        return Weir.over(store)
                .limit(Limit.named("api", FailurePolicy.DENY)
                        .bandwidth(bandwidth)
                        .deadline(Duration.ofSeconds(5))
                        .build())
                .build();
    }

    /** One wait: when it began and ended, on this JVM's clock. */
    private record Wait(long beganNanos, long endedNanos) {}

    @Test
    void handsOutExactlyTheRateAndStarvesNobody() throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(WAITERS);
        try (TestCluster cluster = TestCluster.of(3)) {
            cluster.awaitSafe();
            Bandwidth rate = Bandwidth.of(1, PER_SECOND, Duration.ofSeconds(1));
            List<Weir> nodes = new ArrayList<>();
            cluster.members()
                    .forEach(member -> nodes.add(weir(HazelcastStore.join(member, TestCluster.NAMESPACE), rate)));
            nodes.forEach(each -> each.limiter("api").tryAcquire("warm-up"));
            List<Future<List<Wait>>> running = new ArrayList<>();
            long callsBefore = calls(cluster);
            long began = System.nanoTime();
            for (int i = 0; i < WAITERS; i++) {
                Limiter api = nodes.get(i % nodes.size()).limiter("api");
                running.add(threads.submit(() -> waits(api)));
            }
            List<Wait> waits = new ArrayList<>();
            for (Future<List<Wait>> each : running) {
                waits.addAll(each.get(60, TimeUnit.SECONDS));
            }
            long took = System.nanoTime() - began;
            long calls = calls(cluster) - callsBefore;
            nodes.forEach(Weir::close);

            int grants = WAITERS * ROUNDS;
            double seconds = took / 1e9;
            double longest = waits.stream()
                            .mapToLong(each -> each.endedNanos() - each.beganNanos())
                            .max()
                            .orElseThrow()
                    / 1e9;
            System.out.printf(
                    "%d waiters on 3 nodes: %d grants in %.2f s at %d/s, longest wait %.0f ms, %.2f calls for each grant%n",
                    WAITERS, grants, seconds, PER_SECOND, longest * 1e3, 1.0 * calls / grants);
            assertThat(seconds).isGreaterThanOrEqualTo((grants - 1.0) / PER_SECOND);
            assertThat(seconds).as("nothing is left unused").isLessThan(1.1 * grants / PER_SECOND + 0.3);
            assertThat(1.0 * calls / grants).isLessThanOrEqualTo(1.1);
            assertThat(longest).as("twice what the ideal order takes").isLessThan(2.0 * WAITERS / PER_SECOND);
            List<Grant> history = waits.stream()
                    .map(each -> new Grant(each.beganNanos(), each.endedNanos(), 1))
                    .toList();
            assertThat(HistoryChecker.of(rate).check(history).greatestExcess()).isEmpty();
        } finally {
            threads.shutdownNow();
        }
    }

    private static List<Wait> waits(Limiter api) throws InterruptedException {
        List<Wait> waits = new ArrayList<>(ROUNDS);
        for (int i = 0; i < ROUNDS; i++) {
            long began = System.nanoTime();
            Decision decision = api.acquire("key", 1, Duration.ofSeconds(30));
            waits.add(new Wait(began, System.nanoTime()));
            assertThat(decision.granted()).isTrue();
        }
        return waits;
    }

    /** Calls that have granted something: each writes the entry once. */
    private static long calls(TestCluster cluster) {
        EntryView<String, StoredBucket> entry = cluster.member(0)
                .<String, StoredBucket>getMap(HazelcastStore.mapName(TestCluster.NAMESPACE))
                .getEntryView("api:key");
        return entry == null ? 0 : entry.getVersion() + 1;
    }

    @Test
    void whatIsGivenUpGoesBackToTheOwner() throws Exception {
        try (TestCluster cluster = TestCluster.of(2)) {
            Bandwidth slow = Bandwidth.of(10, 1, Duration.ofHours(1));
            Weir one = weir(HazelcastStore.join(cluster.member(0), TestCluster.NAMESPACE), slow);
            Weir other = weir(HazelcastStore.join(cluster.member(1), TestCluster.NAMESPACE), slow);
            Limiter api = one.limiter("api");
            assertThat(api.tryAcquire("key", 10).granted()).isTrue();
            CompletableFuture<Decision> cancelled = api.acquireAsync("key", 3, Duration.ofDays(1));
            awaitNextPermit(api, Duration.ofHours(4));
            CompletableFuture<Decision> closed = other.limiter("api").acquireAsync("key", 4, Duration.ofDays(1));
            awaitNextPermit(api, Duration.ofHours(8));

            other.close(); // first: nobody has reserved behind it

            assertThat(closed.get(10, TimeUnit.SECONDS).granted()).isFalse();
            awaitNextPermit(api, Duration.ofHours(4));
            cancelled.cancel(false);
            awaitNextPermit(api, Duration.ofHours(1));
            one.close();
        }
    }

    /** Rounded up to an hour, since the clock goes on. */
    private static void awaitNextPermit(Limiter api, Duration expected) throws InterruptedException {
        long giveUp = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
        Duration next;
        do {
            TimeUnit.MILLISECONDS.sleep(5);
            next = api.peek("key").timeToNextPermit().orElseThrow();
        } while (next.plusHours(1).minusNanos(1).toHours() != expected.toHours() && System.nanoTime() < giveUp);
        assertThat(next.plusHours(1).minusNanos(1).toHours()).isEqualTo(expected.toHours());
    }
}
