package io.weir.hazelcast;

import static org.assertj.core.api.Assertions.assertThat;

import com.hazelcast.core.HazelcastInstance;
import io.weir.algorithm.Algorithm.Kind;
import io.weir.algorithm.Bandwidth;
import io.weir.algorithm.Rule;
import io.weir.algorithm.State;
import io.weir.algorithm.Transition;
import io.weir.store.Answer;
import io.weir.store.Buckets;
import io.weir.store.contract.ManualClock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** A walk of every algorithm through three members, on which the owner is killed half-way: nothing is lost, nothing is gained. */
class AlgorithmsOnMembersTest {

    private static final long DEADLINE_NANOS = Duration.ofSeconds(30).toNanos();
    private static final int STEPS = 150;

    private final long seed = Long.getLong("weir.seed", System.nanoTime());
    private final SplittableRandom random = new SplittableRandom(seed);
    private final ManualClock clock = new ManualClock();

    AlgorithmsOnMembersTest() {
        System.out.println("AlgorithmsOnMembersTest: replay with -Dweir.seed=" + seed);
    }

    /** One key of a limit of some kind, and what it must hold. */
    private static final class Key {
        private final Rule rule;
        private final String key;
        private final List<Buckets> nodes;
        private State state;

        Key(Rule rule, String key, List<Buckets> nodes, long nowNanos) {
            this.rule = rule;
            this.key = key;
            this.nodes = nodes;
            this.state = rule.take(null, 0, nowNanos).state();
        }

        void take(int node, long permits, long nowNanos) {
            Transition expected = rule.take(state, permits, nowNanos);
            Answer answer = nodes.get(node).take(key, permits, DEADLINE_NANOS);
            assertThat(answer.verdict()).isEqualTo(expected.verdict());
            assertThat(answer.state()).isEqualTo(expected.state());
            state = expected.changed() ? expected.state() : state;
        }
    }

    @Test
    void eachDecidesTheSameAfterItsOwnerWasKilled() {
        try (TestCluster cluster = TestCluster.of(3)) {
            cluster.useClock(clock);
            cluster.awaitSafe();
            List<HazelcastStore> stores = cluster.members().stream()
                    .map(member -> HazelcastStore.builder(member, TestCluster.NAMESPACE)
                            .remembering(Remembering.NOTHING)
                            .join())
                    .toList();
            Map<Kind, Key> keys = new EnumMap<>(Kind.class);
            for (Kind kind : Kind.values()) {
                keys.put(kind, keyOwnedBy(cluster, cluster.member(2), stores, kind));
            }
            walk(keys, 3);

            cluster.crash(cluster.member(2));
            keys.forEach((kind, each) -> each.take(0, 0, clock.nanoTime()));
            walk(keys, 2);
            stores.forEach(HazelcastStore::close);
        }
    }

    private void walk(Map<Kind, Key> keys, int nodes) {
        for (int i = 0; i < STEPS; i++) {
            long permits = random.nextLong(0, 7);
            int node = random.nextInt(nodes);
            keys.values().forEach(each -> each.take(node, permits, clock.nanoTime()));
            // What a member forgets, it forgets in real time, of which hardly any passes.
            clock.move(Duration.ofNanos(random.nextLong(Duration.ofSeconds(4).toNanos())));
        }
    }

    private Key keyOwnedBy(TestCluster cluster, HazelcastInstance owner, List<HazelcastStore> stores, Kind kind) {
        String limit = kind.name();
        String key = IntStream.range(0, 10_000)
                .mapToObj(i -> "key-" + i)
                .filter(each -> cluster.ownerOf(limit, each) == owner)
                .findFirst()
                .orElseThrow();
        Rule rule = new Rule(
                1,
                kind.with(List.of(
                        Bandwidth.perWindow(20, Duration.ofMinutes(1)).named("minute"),
                        Bandwidth.perWindow(200, Duration.ofHours(1)).named("hour"))));
        List<Buckets> nodes = new ArrayList<>();
        stores.forEach(each -> nodes.add(each.buckets(limit, rule)));
        return new Key(rule, key, nodes, clock.nanoTime());
    }
}
