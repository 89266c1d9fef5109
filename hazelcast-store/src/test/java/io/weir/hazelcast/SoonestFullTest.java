package io.weir.hazelcast;

import static org.assertj.core.api.Assertions.assertThat;

import com.hazelcast.config.EvictionConfig;
import com.hazelcast.config.EvictionPolicy;
import com.hazelcast.config.MapConfig;
import com.hazelcast.config.MaxSizePolicy;
import com.hazelcast.core.EntryView;
import io.weir.algorithm.Algorithm;
import io.weir.algorithm.Bandwidth;
import io.weir.algorithm.Rule;
import io.weir.algorithm.State;
import io.weir.algorithm.Verdict;
import io.weir.store.Buckets;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class SoonestFullTest {

    private static final long DEADLINE = TimeUnit.SECONDS.toNanos(30);

    /** A window that passes neither today nor tomorrow. */
    private static final Bandwidth HUNDRED = Bandwidth.perWindow(100, Duration.ofDays(10_000));

    /** A thousand barely used keys pass through a map that holds a few hundred; the drained ones must still be there. */
    @Test
    void aFloodOfNewKeysEvictsOneAnotherAndNotTheDrainedOnes() {
        EvictionConfig bounded = new EvictionConfig()
                .setEvictionPolicy(EvictionPolicy.NONE)
                .setMaxSizePolicy(MaxSizePolicy.PER_NODE)
                .setSize(31 * 10)
                .setComparatorClassName(SoonestFull.class.getName());
        MapConfig map = HazelcastStore.mapConfig(TestCluster.NAMESPACE).setEvictionConfig(bounded);
        try (TestCluster cluster = TestCluster.of(1, config -> config.addMapConfig(map));
                HazelcastStore store = HazelcastStore.join(cluster.member(0), TestCluster.NAMESPACE)) {
            List<Buckets> buckets = Arrays.stream(Algorithm.Kind.values())
                    .map(kind -> store.buckets(kind.name(), new Rule(1, kind.with(List.of(HUNDRED)))))
                    .toList();
            buckets.forEach(each -> IntStream.range(0, 4)
                    .forEach(i -> assertThat(
                                    each.take("drained" + i, 100, DEADLINE).verdict())
                            .isEqualTo(Verdict.GRANTED)));
            IntStream.range(0, 1_000)
                    .forEach(i -> buckets.get(i % buckets.size()).take("new" + i, 1, DEADLINE));

            assertThat(cluster.member(0).getMap(map.getName()).size()).isLessThan(1_020);
            for (Buckets each : buckets) {
                assertThat(IntStream.range(0, 4)
                                .mapToLong(i -> each.take("drained" + i, 0, DEADLINE)
                                        .state()
                                        .level(0)))
                        .as("%s", each.take("any", 0, DEADLINE).state().rule())
                        .containsOnly(0L);
            }
        }
    }

    /** A key that was drained early in its window must outlive keys that come late in it and take less than half. */
    @ParameterizedTest
    @EnumSource(names = {"FIXED_WINDOW", "SLIDING_WINDOW", "SLIDING_LOG"})
    void aFloodLateInTheWindowEvictsOneAnotherToo(Algorithm.Kind kind) {
        Rule ten = new Rule(1, kind.with(List.of(Bandwidth.perWindow(10, Duration.ofHours(1)))));
        StoredBucket drained = taken(ten, 10, 1);
        for (StoredBucket late : List.of(taken(ten, 1, 56), taken(ten, 3, 45), taken(ten, 5, 35))) {
            assertThat(new SoonestFull().compare(view(late), view(drained))).isNegative();
        }
    }

    private static StoredBucket taken(Rule rule, long permits, long minute) {
        State state =
                rule.take(null, permits, Duration.ofMinutes(minute).toNanos()).state();
        return new StoredBucket(state, List.of(), Long.MIN_VALUE);
    }

    @SuppressWarnings("unchecked")
    private static EntryView<String, Object> view(StoredBucket bucket) {
        return (EntryView<String, Object>) Proxy.newProxyInstance(
                SoonestFullTest.class.getClassLoader(),
                new Class<?>[] {EntryView.class},
                (proxy, method, arguments) -> {
                    assertThat(method.getName()).isEqualTo("getValue");
                    return bucket;
                });
    }
}
