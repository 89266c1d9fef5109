package io.weir.hazelcast;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.hazelcast.client.config.ClientConnectionStrategyConfig.ReconnectMode;
import com.hazelcast.cluster.ClusterState;
import com.hazelcast.core.HazelcastInstance;
import com.hazelcast.core.LifecycleEvent.LifecycleState;
import io.weir.FailurePolicy;
import io.weir.Limit;
import io.weir.Weir;
import io.weir.algorithm.Bandwidth;
import io.weir.algorithm.Verdict;
import io.weir.store.Leasing;
import io.weir.store.StoreUnavailableException;
import io.weir.store.StoreUnavailableException.Reason;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Stores that join before their cluster can decide: answered by policies at first, and exact by themselves later. */
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class StartUpTest {

    private static final String MAP = HazelcastStore.mapName(TestCluster.NAMESPACE);

    private static final long DEADLINE = TimeUnit.SECONDS.toNanos(10);

    @Test
    void aClientThatStartsAsynchronouslyJoinsBeforeItsCluster() {
        try (TestCluster cluster = TestCluster.of(0);
                HazelcastStore store = join(cluster.addClient(
                        client -> client.getConnectionStrategyConfig().setAsyncStart(true)))) {
            assertUnreachable(store);
            assertThat(store.nodes()).isEmpty();

            addUnconfigured(cluster);
            awaitExact(store, cluster.member(0));
        }
    }

    @ParameterizedTest
    @EnumSource(
            value = ReconnectMode.class,
            names = {"ON", "ASYNC"})
    void aClientThatReconnectsJoinsWhileItsClusterIsAway(ReconnectMode mode) throws InterruptedException {
        try (TestCluster cluster = TestCluster.of(1)) {
            HazelcastInstance client = cluster.addClient(
                    config -> config.getConnectionStrategyConfig().setReconnectMode(mode));
            CountDownLatch disconnected = new CountDownLatch(1);
            client.getLifecycleService().addLifecycleListener(event -> {
                if (event.getState() == LifecycleState.CLIENT_DISCONNECTED) {
                    disconnected.countDown();
                }
            });
            cluster.member(0).getLifecycleService().terminate();
            assertThat(disconnected.await(30, TimeUnit.SECONDS)).isTrue();
            try (HazelcastStore store = join(client)) {
                assertUnreachable(store);

                addUnconfigured(cluster);
                awaitExact(store, cluster.member(1));
            }
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aPassiveClusterThatIsNotConfiguredDecidesWhenItIsActive(boolean client) {
        try (TestCluster cluster = TestCluster.of(0)) {
            addUnconfigured(cluster);
            HazelcastInstance member = cluster.member(0);
            HazelcastInstance joining = client ? cluster.addClient() : member;
            member.getCluster().changeClusterState(ClusterState.PASSIVE);
            try (HazelcastStore store = join(joining)) {
                assertUnreachable(store);
                member.getCluster().changeClusterState(ClusterState.ACTIVE);
                awaitExact(store, member);
            }
        }
    }

    @Test
    void sharesSayWhatTheyLackBeforeTheClusterIsThere() {
        try (TestCluster cluster = TestCluster.of(0);
                HazelcastStore store = join(cluster.addClient(
                        client -> client.getConnectionStrategyConfig().setAsyncStart(true)))) {
            Limit shared = Limit.named("shared", FailurePolicy.LOCAL_SHARE)
                    .bandwidth(Bandwidth.of(10, 1, Duration.ofDays(1)))
                    .build();
            assertThatThrownBy(() -> Weir.over(store).limit(shared).build())
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContainingAll("[shared]", ".nodes(n)", "wait until");
            assertThat(Weir.over(store)
                            .limit(shared)
                            .nodes(2)
                            .build()
                            .limiter("shared")
                            .tryAcquire("key", 5)
                            .granted())
                    .isTrue();
        }
    }

    @Test
    void whoCannotJoinLeavesNoThreadBehind() {
        try (TestCluster cluster = TestCluster.of(1)) {
            HazelcastInstance member = cluster.member(0);
            member.shutdown();
            Set<Thread> before = threads();
            assertThatThrownBy(() -> join(member)).isInstanceOf(RuntimeException.class);
            assertThat(threads()).isSubsetOf(before);
        }
    }

    @Test
    void aStoreThatIsClosedBeforeItArrivesTriesNoMore() throws InterruptedException {
        try (TestCluster cluster = TestCluster.of(0)) {
            Set<Thread> before = threads();
            join(cluster.addClient(
                            client -> client.getConnectionStrategyConfig().setAsyncStart(true)))
                    .close();
            for (Thread each : threads()) {
                if (!before.contains(each) && !each.getName().startsWith("weir-continuation")) {
                    each.join(10_000);
                    assertThat(each.isAlive()).as(each.getName()).isFalse();
                }
            }
        }
    }

    private static HazelcastStore join(HazelcastInstance instance) {
        return HazelcastStore.join(instance, TestCluster.NAMESPACE);
    }

    /** A member that does not know of Weir's map. */
    private static void addUnconfigured(TestCluster cluster) {
        cluster.addMember(config -> config.getMapConfigs().remove(MAP));
    }

    private static void assertUnreachable(HazelcastStore store) {
        assertThatExceptionOfType(StoreUnavailableException.class)
                .isThrownBy(() -> take(store))
                .matches(failure -> failure.reason() == Reason.UNREACHABLE && !failure.mayHaveCharged())
                .withMessageContaining("not there yet");
    }

    /** And that no bucket was made before its map was configured. */
    private static void awaitExact(HazelcastStore store, HazelcastInstance member) {
        long giveUpNanos = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
        while (!decides(store)) {
            assertThat(System.nanoTime()).as("waited 60 s").isLessThan(giveUpNanos);
            LockSupport.parkNanos(10_000_000);
        }
        assertThat(take(store)).isEqualTo(Verdict.GRANTED);
        assertThat(member.getConfig().findMapConfig(MAP)).isEqualTo(HazelcastStore.mapConfig(TestCluster.NAMESPACE));
        while (store.nodes().isEmpty()) {
            assertThat(System.nanoTime()).as("waited 60 s").isLessThan(giveUpNanos);
            LockSupport.parkNanos(10_000_000);
        }
    }

    private static boolean decides(HazelcastStore store) {
        try {
            take(store);
            return true;
        } catch (StoreUnavailableException e) {
            return false;
        }
    }

    private static Verdict take(HazelcastStore store) {
        return store.buckets("limit", Rules.rule(1_000_000, 1, Duration.ofDays(1)), Leasing.NEVER)
                .take("key", 1, DEADLINE)
                .verdict();
    }

    private static Set<Thread> threads() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().startsWith("weir-")
                        && !thread.getName().startsWith("weir-test"))
                .collect(Collectors.toSet());
    }
}
