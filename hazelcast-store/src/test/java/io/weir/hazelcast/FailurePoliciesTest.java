package io.weir.hazelcast;

import static org.assertj.core.api.Assertions.assertThat;

import com.hazelcast.cluster.ClusterState;
import com.hazelcast.core.HazelcastInstance;
import io.weir.Decision;
import io.weir.FailurePolicy;
import io.weir.Limit;
import io.weir.LimitHealth;
import io.weir.Limiter;
import io.weir.Weir;
import io.weir.algorithm.Bandwidth;
import io.weir.store.OwnerHealth;
import io.weir.store.Source;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What limits do over a real Hazelcast that is not there yet, not any more, or not for a while. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class FailurePoliciesTest {

    private static final Duration DAY = Duration.ofDays(1);

    private static Weir weir(HazelcastInstance instance) {
        Weir.Builder builder = Weir.over(HazelcastStore.join(instance, TestCluster.NAMESPACE));
        for (FailurePolicy policy : FailurePolicy.values()) {
            builder.limit(Limit.named(policy.name(), policy)
                    .bandwidth(Bandwidth.of(100, 1, DAY))
                    .deadline(Duration.ofSeconds(10)) // ample: what fails here fails at once
                    .build());
        }
        return builder.nodes(2).build();
    }

    /** Every way of asking, under every policy; the key is new each time. */
    private static void assertAnsweredByPolicies(Weir weir, String key) throws InterruptedException {
        for (Limiter limiter : weir.limiters()) {
            FailurePolicy policy = limiter.limit().failurePolicy();
            Source source = policy == FailurePolicy.LOCAL_SHARE ? Source.SHARE : Source.POLICY;
            for (Decision decision : List.of(
                    limiter.tryAcquire(key),
                    limiter.tryAcquireAsync(key).orTimeout(30, TimeUnit.SECONDS).join(),
                    limiter.acquire(key, 1, DAY))) {
                assertThat(decision.granted()).isEqualTo(policy != FailurePolicy.DENY);
                assertThat(decision.source()).isEqualTo(source);
                assertThat(decision.remaining()).isEmpty();
            }
            assertThat(limiter.peek(key).granted()).isTrue();
            assertThat(limiter.health().state()).isEqualTo(LimitHealth.State.DEGRADED);
        }
    }

    @Test
    void answerWhicheverIsClosedFirst() throws InterruptedException {
        try (TestCluster cluster = TestCluster.of(3)) {
            for (HazelcastInstance instance : List.of(cluster.addClient(), cluster.member(2))) {
                Weir weir = weir(instance);
                weir.limiters().forEach(limiter -> limiter.tryAcquire("key"));
                instance.shutdown();
                assertAnsweredByPolicies(weir, "without Hazelcast");
                weir.close();
                assertAnsweredByPolicies(weir, "without both");
            }
            Weir weir = weir(cluster.member(1));
            weir.limiters().forEach(limiter -> limiter.tryAcquire("key"));
            weir.close();
            assertAnsweredByPolicies(weir, "without the store");
            cluster.member(1).shutdown();
            assertAnsweredByPolicies(weir, "without either");
        }
    }

    /** A cluster that is passive decides nothing: as one that is only just forming, and a first touch. */
    @Test
    void answerBeforeTheClusterCanDecide() throws InterruptedException {
        try (TestCluster cluster = TestCluster.of(1)) {
            cluster.member(0).getCluster().changeClusterState(ClusterState.PASSIVE);
            try (Weir weir = weir(cluster.member(0))) {
                assertAnsweredByPolicies(weir, "new");
                cluster.member(0).getCluster().changeClusterState(ClusterState.ACTIVE);

                long began = System.nanoTime();
                while (weir.limiter("DENY").tryAcquire("new").source()
                        != Source.CLUSTER) { // until a probe has found out
                    LockSupport.parkNanos(1_000_000);
                }
                assertThat(Duration.ofNanos(System.nanoTime() - began)).isLessThan(Duration.ofSeconds(10));
            }
        }
    }

    @Test
    @Tag("each-hazelcast")
    void chargeTheOwnerForWhatAShareGrantedOnceItAnswersAgain() {
        try (TestCluster cluster = TestCluster.of(1);
                Weir weir = weir(cluster.member(0))) {
            Limiter limiter = weir.limiter("LOCAL_SHARE");
            assertThat(limiter.tryAcquire("key", 40).remaining()).hasValue(60);
            cluster.member(0).getCluster().changeClusterState(ClusterState.PASSIVE);
            while (weir.health().owners().stream().noneMatch(owner -> owner.state() == OwnerHealth.State.UNREACHABLE)) {
                limiter.peek("key"); // until nothing is sent any more that might have been charged
            }
            assertThat(limiter.tryAcquire("key", 25).source()).isEqualTo(Source.SHARE);

            cluster.member(0).getCluster().changeClusterState(ClusterState.ACTIVE);
            long remaining = 60;
            while (remaining == 60) { // until its upkeep has come by
                remaining = limiter.peek("key").remaining().orElse(60);
                LockSupport.parkNanos(1_000_000);
            }

            assertThat(remaining).isEqualTo(60 - 25);
        }
    }
}
