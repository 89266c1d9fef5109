package io.weir.hazelcast;

import static org.assertj.core.api.Assertions.assertThat;

import com.hazelcast.config.Config;
import com.hazelcast.config.InMemoryFormat;
import com.hazelcast.core.HazelcastInstance;
import com.hazelcast.internal.cluster.impl.ClusterServiceImpl;
import com.hazelcast.map.IMap;
import io.weir.algorithm.Rule;
import io.weir.algorithm.Verdict;
import io.weir.store.Buckets;
import io.weir.store.Directive;
import io.weir.store.Directives;
import io.weir.store.Leasing;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Two clusters that merge, as Hazelcast does it. */
@Timeout(60)
class MergeTest {

    private static final long DEADLINE = TimeUnit.SECONDS.toNanos(10);
    private static final Rule DAILY = Rules.rule(1_000, 1, Duration.ofDays(1));

    /** So that it does not find the others before it is told to. */
    private static void alone(Config config) {
        config.getNetworkConfig().getJoin().getTcpIpConfig().setMembers(List.of());
    }

    @ParameterizedTest
    @EnumSource(
            value = InMemoryFormat.class,
            names = {"BINARY", "OBJECT"})
    void theLowerBalanceRemains(InMemoryFormat format) {
        Consumer<Config> inFormat = config -> config.getMapConfig(HazelcastStore.mapName(TestCluster.NAMESPACE))
                .setInMemoryFormat(format);
        try (TestCluster cluster = TestCluster.of(2, inFormat)) {
            HazelcastInstance merging = cluster.addMember(inFormat.andThen(MergeTest::alone));
            try (HazelcastStore larger = HazelcastStore.join(cluster.member(0), TestCluster.NAMESPACE);
                    HazelcastStore smaller = HazelcastStore.join(merging, TestCluster.NAMESPACE)) {
                take(larger, "lower here", 600);
                take(smaller, "lower here", 100);
                take(larger, "lower there", 100);
                take(smaller, "lower there", 600);
                take(larger, "only here", 300);
                take(smaller, "only there", 300);

                merge(merging, cluster.member(0));

                for (HazelcastStore store : List.of(larger, smaller)) {
                    assertThat(left(store, "lower here")).isEqualTo(400);
                    assertThat(left(store, "lower there")).isEqualTo(400);
                    assertThat(left(store, "only here")).isEqualTo(700);
                    assertThat(left(store, "only there")).isEqualTo(700);
                }
            }
            // It is on the backup as well.
            cluster.awaitSafe();
            cluster.ownerOf("limit", "lower there").getLifecycleService().terminate();
            HazelcastInstance left = cluster.members().stream()
                    .filter(member -> member.getLifecycleService().isRunning())
                    .findFirst()
                    .orElseThrow();
            try (HazelcastStore store = HazelcastStore.join(left, TestCluster.NAMESPACE)) {
                assertThat(left(store, "lower there")).isEqualTo(400);
            }
        }
    }

    /** Hazelcast gives the result the merging entry's expiry, which may be that of a bucket that is nearly full. */
    @Test
    @Tag("each-hazelcast")
    void aDrainedBucketDoesNotVanishWithOneThatIsNearlyFull() {
        Rule drained = Rules.rule(1_000, 1_000, Duration.ofHours(1));
        try (TestCluster cluster = TestCluster.of(2)) {
            HazelcastInstance merging = cluster.addMember(MergeTest::alone);
            try (HazelcastStore larger = HazelcastStore.join(cluster.member(0), TestCluster.NAMESPACE);
                    HazelcastStore smaller = HazelcastStore.join(merging, TestCluster.NAMESPACE)) {
                take(larger, drained, "key", 1_000);
                take(smaller, drained, "key", 1);

                merge(merging, cluster.member(0));

                IMap<String, StoredBucket> map =
                        cluster.member(0).getMap(HazelcastStore.mapName(TestCluster.NAMESPACE));
                assertThat(map.getEntryView("limit:key").getExpirationTime() - System.currentTimeMillis())
                        .isGreaterThan(Duration.ofMinutes(59).toMillis())
                        .isLessThan(Duration.ofMinutes(62).toMillis());
            }
        }
    }

    @Test
    void ofEachDirectiveTheHigherVersionRemains() {
        try (TestCluster cluster = TestCluster.of(2)) {
            HazelcastInstance merging = cluster.addMember(MergeTest::alone);
            try (HazelcastStore larger = HazelcastStore.join(cluster.member(0), TestCluster.NAMESPACE);
                    HazelcastStore smaller = HazelcastStore.join(merging, TestCluster.NAMESPACE)) {
                block(larger, "higher here", 3);
                block(smaller, "higher here", 2);
                block(larger, "higher there", 2);
                block(smaller, "higher there", 3);
                block(larger, "only here", 1);
                block(smaller, "only there", 1);

                merge(merging, cluster.member(0));

                for (HazelcastStore store : List.of(larger, smaller)) {
                    awaitVersion(store, "higher here", 3);
                    awaitVersion(store, "higher there", 3);
                    awaitVersion(store, "only here", 1);
                    awaitVersion(store, "only there", 1);
                }
            }
        }
    }

    private static void block(HazelcastStore store, String key, long version) {
        Directive.Block forLong = new Directive.Block(store.directives().nowMillis() + 3_600_000, "");
        assertThat(store.directives()
                        .publish(new Directive(Directive.Id.ofBlock("limit", key), version, forLong, "ann", 1))
                        .join())
                .isEqualTo(Directives.Outcome.ACCEPTED);
    }

    private static void awaitVersion(HazelcastStore store, String key, long version) {
        while (store.directives()
                        .find(Directive.Id.ofBlock("limit", key))
                        .map(Directive::version)
                        .orElse(0L)
                != version) {
            LockSupport.parkNanos(1_000_000); // the class has a time limit
        }
    }

    private static void merge(HazelcastInstance merging, HazelcastInstance into) {
        ((ClusterServiceImpl) merging.getCluster())
                .merge(into.getCluster().getLocalMember().getAddress());
        assertThat(merging.getCluster().getMembers()).hasSizeGreaterThan(1);
    }

    private static void take(HazelcastStore store, String key, long permits) {
        take(store, DAILY, key, permits);
    }

    private static void take(HazelcastStore store, Rule rule, String key, long permits) {
        Buckets buckets = store.buckets("limit", rule, Leasing.NEVER);
        assertThat(buckets.take(key, permits, DEADLINE).verdict()).isEqualTo(Verdict.GRANTED);
    }

    private static long left(HazelcastStore store, String key) {
        return store.buckets("limit", DAILY, Leasing.NEVER)
                .take(key, 0, DEADLINE)
                .state()
                .level(0);
    }
}
