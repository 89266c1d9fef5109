package io.weir.hazelcast;

import static org.assertj.core.api.Assertions.assertThat;

import com.hazelcast.core.DistributedObject;
import com.hazelcast.core.HazelcastInstance;
import io.weir.algorithm.Verdict;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** What remains of Weir in a cluster once its stores are closed, and how that goes away: docs/operations.md. */
class RemovalTest {

    @Test
    void threeMapsAreLeftAndCanBeDestroyed() {
        try (TestCluster cluster = TestCluster.of(2)) {
            HazelcastInstance member = cluster.member(0);
            try (HazelcastStore store = HazelcastStore.join(member, TestCluster.NAMESPACE)) {
                assertThat(store.buckets("limit", Rules.rule(10, 1, Duration.ofDays(1)))
                                .take("key", 1, 30_000_000_000L)
                                .verdict())
                        .isEqualTo(Verdict.GRANTED);
                store.directives(); // who never asks for them leaves two maps only
            }
            assertThat(member.getMap("weir.test").size()).isPositive();
            assertThat(ours(member)).containsExactlyInAnyOrder("weir.test", "weir-nodes.test", "weir-directives.test");

            member.getMap("weir.test").destroy();
            member.getMap("weir-nodes.test").destroy();
            member.getMap("weir-directives.test").destroy();
            assertThat(ours(member)).isEmpty();
            assertThat(ours(cluster.member(1))).isEmpty();
        }
    }

    private static Iterable<String> ours(HazelcastInstance member) {
        return member.getDistributedObjects().stream()
                .map(DistributedObject::getName)
                .filter(name -> name.startsWith("weir"))
                .toList();
    }
}
