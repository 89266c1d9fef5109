package io.weir.hazelcast;

import static org.assertj.core.api.Assertions.assertThat;

import com.hazelcast.config.EvictionConfig;
import com.hazelcast.config.EvictionPolicy;
import com.hazelcast.config.MapConfig;
import com.hazelcast.config.MaxSizePolicy;
import io.weir.algorithm.Rule;
import io.weir.store.Buckets;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class SoonestFullTest {

    private static final long DEADLINE = TimeUnit.SECONDS.toNanos(30);
    private static final Rule HUNDRED_A_DAY = Rules.rule(100, 100, Duration.ofDays(1));

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
            Buckets buckets = store.buckets("limit", HUNDRED_A_DAY);
            IntStream.range(0, 20).forEach(i -> buckets.take("drained" + i, 100, DEADLINE));
            IntStream.range(0, 1_000).forEach(i -> buckets.take("new" + i, 1, DEADLINE));

            assertThat(cluster.member(0).getMap(map.getName()).size()).isLessThan(1_020);
            assertThat(IntStream.range(0, 20)
                            .mapToLong(i -> buckets.take("drained" + i, 0, DEADLINE)
                                    .state()
                                    .level(0)))
                    .containsOnly(0L);
        }
    }
}
