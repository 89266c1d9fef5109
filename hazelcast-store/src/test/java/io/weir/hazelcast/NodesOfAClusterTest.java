package io.weir.hazelcast;

import static org.assertj.core.api.Assertions.assertThat;

import com.hazelcast.core.HazelcastInstance;
import io.weir.store.Buckets;
import io.weir.store.OwnerHealth;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Stores that count one another over a real Hazelcast. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class NodesOfAClusterTest {

    @Test
    void membersAndClientsCountAndDataMembersThatDoNotLimitDoNot() {
        try (TestCluster cluster = TestCluster.of(3)) {
            join(cluster.member(0));
            HazelcastStore second = join(cluster.member(1));
            HazelcastStore third = join(cluster.addClient());
            awaitNodes(third, 3);

            HazelcastStore other = HazelcastStore.join(cluster.member(2), "another-application");
            awaitNodes(other, 1);

            second.close();
            HazelcastStore fourth = join(cluster.addClient());
            awaitNodes(fourth, 3); // and not four: one has said goodbye
        }
    }

    @Test
    void whoIsThereAlreadySoonCountsWhoComes() {
        try (TestCluster cluster = TestCluster.of(2)) {
            HazelcastStore first = join(cluster.member(0));
            join(cluster.member(1));
            awaitNodes(first, 2);
        }
    }

    /** Soon: a busy owner of the roster may not have answered by the end of a join. */
    private static void awaitNodes(HazelcastStore store, int expected) {
        long giveUpNanos = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
        while (store.nodes().orElse(0) != expected) {
            assertThat(System.nanoTime() - giveUpNanos)
                    .as("waited 30 s for %d nodes, %s", expected, store.nodes())
                    .isNegative();
            LockSupport.parkNanos(10_000_000);
        }
    }

    @Test
    void tellsHowOwnersAreGettingOnByTheirAddresses() {
        try (TestCluster cluster = TestCluster.of(2)) {
            HazelcastStore store = join(cluster.member(0));
            Buckets buckets = store.buckets("limit", Rules.TEN_A_SECOND);
            for (int i = 0; i < 20; i++) { // of both members' keys
                buckets.take("key" + i, 1, Duration.ofSeconds(10).toNanos());
            }
            assertThat(store.owners()).hasSize(2).allSatisfy(each -> {
                assertThat(each.member()).contains("127.0.0.1");
                assertThat(each.state()).isEqualTo(OwnerHealth.State.REACHABLE);
                assertThat(each.why()).isNull();
            });
        }
    }

    @Test
    void theRosterOutlivesItsOwner() {
        try (TestCluster cluster = TestCluster.of(3)) {
            cluster.awaitSafe();
            join(cluster.member(0));
            join(cluster.addClient());
            HazelcastInstance owner = cluster.member(2);
            for (int i = 0; i < 3; i++) {
                if (cluster.ownsRoster(cluster.member(i))) {
                    owner = cluster.member(i);
                }
            }
            cluster.crash(owner);
            HazelcastStore after = join(owner == cluster.member(1) ? cluster.member(2) : cluster.member(1));
            assertThat(after.nodes()).hasValue(3);
        }
    }

    private static HazelcastStore join(HazelcastInstance instance) {
        return HazelcastStore.join(instance, TestCluster.NAMESPACE);
    }
}
