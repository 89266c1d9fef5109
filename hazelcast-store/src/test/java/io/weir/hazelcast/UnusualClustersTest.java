package io.weir.hazelcast;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import com.hazelcast.cluster.ClusterState;
import com.hazelcast.config.Config;
import com.hazelcast.config.PartitioningStrategyConfig;
import com.hazelcast.core.HazelcastInstance;
import com.hazelcast.partition.strategy.StringPartitioningStrategy;
import io.weir.algorithm.Verdict;
import io.weir.store.Answer;
import io.weir.store.Buckets;
import io.weir.store.StoreUnavailableException;
import io.weir.store.StoreUnavailableException.Reason;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Clusters that are configured or behave in ways a limiter does not expect. */
@Timeout(60)
class UnusualClustersTest {

    private static final long DEADLINE = TimeUnit.SECONDS.toNanos(10);

    /** Members know the strategy, clients do not: both must still find the same owner of {@code name@group}. */
    @Test
    void aPartitioningStrategyDoesNotSplitABucket() {
        Consumer<Config> ofTheMap = config -> config.getMapConfig(HazelcastStore.mapName(TestCluster.NAMESPACE))
                .setPartitioningStrategyConfig(
                        new PartitioningStrategyConfig(StringPartitioningStrategy.class.getName()));
        Consumer<Config> ofTheMembers = config ->
                config.setProperty("hazelcast.partitioning.strategy.class", StringPartitioningStrategy.class.getName());
        for (Consumer<Config> strategy : List.of(ofTheMap, ofTheMembers)) {
            try (TestCluster cluster = TestCluster.of(2, strategy);
                    HazelcastStore member = HazelcastStore.join(cluster.member(0), TestCluster.NAMESPACE);
                    HazelcastStore client = HazelcastStore.join(cluster.addClient(), TestCluster.NAMESPACE)) {
                for (int i = 0; i < 10; i++) {
                    String key = "alice" + i + "@example.com";
                    Buckets membersBuckets = member.buckets("limit", Rules.THOUSAND);
                    Buckets clientsBuckets = client.buckets("limit", Rules.THOUSAND);
                    assertThat(membersBuckets.take(key, 1_000, DEADLINE).verdict())
                            .isEqualTo(Verdict.GRANTED);
                    assertThat(clientsBuckets.take(key, 1_000, DEADLINE).verdict())
                            .isEqualTo(Verdict.DENIED);
                }
            }
        }
    }

    @Test
    void aPassiveClusterIsAnOutageAndNotABug() {
        try (TestCluster cluster = TestCluster.of(1);
                HazelcastStore store = HazelcastStore.join(cluster.member(0), TestCluster.NAMESPACE)) {
            Buckets buckets = store.buckets("limit", Rules.THOUSAND);
            cluster.member(0).getCluster().changeClusterState(ClusterState.PASSIVE);

            assertUnreachable(buckets);
            cluster.member(0).getCluster().changeClusterState(ClusterState.ACTIVE);
            assertThat(buckets.take("key", 1, DEADLINE).verdict()).isEqualTo(Verdict.GRANTED);
        }
    }

    @Test
    void hazelcastMayBeShutDownBeforeTheStore() {
        try (TestCluster cluster = TestCluster.of(2)) {
            for (HazelcastInstance instance : List.of(cluster.addClient(), cluster.member(1))) {
                HazelcastStore store = HazelcastStore.join(instance, TestCluster.NAMESPACE);
                Buckets buckets = store.buckets("limit", Rules.THOUSAND);
                buckets.take("key", 1, DEADLINE);
                instance.shutdown();

                assertUnreachable(buckets);
                store.close();
                assertThatExceptionOfType(StoreUnavailableException.class)
                        .isThrownBy(() -> buckets.take("key", 1, DEADLINE))
                        .matches(failure -> failure.reason() == Reason.CLOSED);
            }
        }
    }

    @Test
    void aClosedStoreLeavesNoThreadBehind() {
        try (TestCluster cluster = TestCluster.of(1)) {
            Set<Thread> before = storeThreads();
            HazelcastStore store = HazelcastStore.join(cluster.member(0), TestCluster.NAMESPACE);
            assertThat(storeThreads()).hasSizeGreaterThan(before.size());
            store.close();
            store.close();
            storeThreads().stream().filter(thread -> !before.contains(thread)).forEach(UnusualClustersTest::join);
        }
    }

    /** Continuations that block for long make up for the threads they hold, and starve nobody. */
    @Test
    void blockingContinuationsStarveNoOthers() throws Exception {
        try (TestCluster cluster = TestCluster.of(2);
                HazelcastStore store = HazelcastStore.join(cluster.member(0), TestCluster.NAMESPACE)) {
            Buckets buckets = store.buckets("limit", Rules.rule(1_000_000, 1, Duration.ofDays(1)));
            List<CompletableFuture<Verdict>> all = IntStream.range(0, 64)
                    .mapToObj(i -> buckets.takeAsync("first" + i, 1, DEADLINE)
                            .thenApply(answer ->
                                    buckets.take("second" + i, 1, DEADLINE).verdict()))
                    .toList();
            for (CompletableFuture<Verdict> each : all) {
                assertThat(each.get(5, TimeUnit.SECONDS)).isEqualTo(Verdict.GRANTED);
            }
        }
    }

    private static void assertUnreachable(Buckets buckets) {
        assertThatExceptionOfType(StoreUnavailableException.class)
                .isThrownBy(() -> buckets.take("key", 1, DEADLINE))
                .matches(failure -> failure.reason() == Reason.UNREACHABLE);
    }

    private static Set<Thread> storeThreads() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().startsWith("weir-courier")
                        || thread.getName().startsWith("weir-deadlines"))
                .collect(Collectors.toSet());
    }

    private static void join(Thread thread) {
        try {
            thread.join(10_000);
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
        assertThat(thread.isAlive()).as(thread.getName()).isFalse();
    }

    @Test
    void aMemberThatWasNotConfiguredDecidesAllTheSame() {
        try (TestCluster cluster = TestCluster.of(
                        1,
                        config ->
                                config.setMapConfigs(new HashMap<>()).setSplitBrainProtectionConfigs(new HashMap<>()));
                HazelcastStore store = HazelcastStore.join(cluster.member(0), TestCluster.NAMESPACE)) {
            Answer answer = store.buckets("limit", Rules.TEN_A_SECOND)
                    .take("key", 1, Duration.ofSeconds(10).toNanos());
            assertThat(answer.verdict()).isEqualTo(Verdict.GRANTED);
        }
    }
}
