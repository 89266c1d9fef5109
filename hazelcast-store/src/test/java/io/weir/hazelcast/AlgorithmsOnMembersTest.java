package io.weir.hazelcast;

import static org.assertj.core.api.Assertions.assertThat;

import com.hazelcast.core.HazelcastInstance;
import io.weir.algorithm.Algorithm.Kind;
import io.weir.algorithm.Verdict;
import io.weir.store.Store;
import io.weir.store.contract.ManualClock;
import io.weir.store.contract.OracleWalk;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/**
 * A walk of every algorithm through three members, on which the owner is killed half-way: each decision is the oracle's, before and
 * after. {@code -Dweir.oracle.decisions=1000000} makes them a million for each.
 */
class AlgorithmsOnMembersTest {

    private static final long DECISIONS = Long.getLong("weir.oracle.decisions", 4_000);

    private final long seed = Long.getLong("weir.seed", System.nanoTime());
    private final SplittableRandom random = new SplittableRandom(seed);
    private final ManualClock clock = new ManualClock();

    AlgorithmsOnMembersTest() {
        System.out.println("AlgorithmsOnMembersTest: replay with -Dweir.seed=" + seed);
    }

    @Test
    void eachDecidesLikeTheOracleBeforeAndAfterItsOwnerWasKilled() {
        try (TestCluster cluster = TestCluster.of(3)) {
            cluster.useClock(clock);
            cluster.awaitSafe();
            List<HazelcastStore> nodes = cluster.members().stream()
                    .map(member -> HazelcastStore.builder(member, TestCluster.NAMESPACE)
                            .remembering(Remembering.NOTHING)
                            .join())
                    .toList();
            List<Store> stores = List.copyOf(nodes);
            List<OracleWalk> walks = Arrays.stream(Kind.values())
                    .map(kind -> new OracleWalk(random.split(), clock, stores, kind))
                    .toList();
            HazelcastInstance dying = cluster.member(2);
            walk(walks, DECISIONS / 2, 3);
            for (int tries = 0; !walks.stream().allMatch(each -> isOnABucketOf(dying, each, cluster)); tries++) {
                assertThat(tries)
                        .as("walks onto keys of the member that is to die")
                        .isLessThan(100);
                walks.forEach(each -> walkOnto(dying, each, cluster)); // after which that of another may be full
            }

            cluster.crash(dying);
            walks.forEach(each -> each.look(0));
            walks.forEach(each -> each.walk(20, 2));
            walk(walks, DECISIONS, 2);

            for (OracleWalk each : walks) { // agreement means little if all were denied
                assertThat(each.decided(Verdict.GRANTED)).isGreaterThan(DECISIONS / 5);
                assertThat(each.decided(Verdict.DENIED)).isGreaterThan(DECISIONS / 10);
            }
            nodes.forEach(HazelcastStore::close);
        }
    }

    private static void walk(List<OracleWalk> walks, long decisions, int nodes) {
        for (OracleWalk each : walks) {
            each.onToAnotherKey();
            while (decided(each) < decisions) {
                each.walk(1, nodes);
            }
        }
    }

    private static long decided(OracleWalk walk) {
        return Arrays.stream(Verdict.values()).mapToLong(walk::decided).sum();
    }

    private static void walkOnto(HazelcastInstance owner, OracleWalk walk, TestCluster cluster) {
        walk.onToAnotherKey();
        for (int steps = 0; !isOnABucketOf(owner, walk, cluster); steps++) {
            assertThat(steps).as("steps onto a key of one of three members").isLessThan(100_000);
            walk.walk(1);
        }
    }

    /** Whether the owner has something to lose. */
    private static boolean isOnABucketOf(HazelcastInstance owner, OracleWalk walk, TestCluster cluster) {
        return walk.isOnABucket() && cluster.ownerOf(walk.limit(), walk.key()) == owner;
    }
}
