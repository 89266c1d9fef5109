package io.weir.bench;

import com.hazelcast.cluster.ClusterState;
import io.weir.FailurePolicy;
import io.weir.Limit;
import io.weir.Limiter;
import io.weir.Weir;
import io.weir.algorithm.Bandwidth;
import io.weir.hazelcast.HazelcastStore;
import io.weir.store.Source;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.TearDown;

/** What a decision takes while its owner does not answer and its breaker is open, as a spread of single calls. */
@BenchmarkMode(Mode.SampleTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@SuppressWarnings("NullAway.Init") // JMH calls cutOff first
public class OutageBenchmark extends OnCluster {

    private static final int CALLS_UNTIL_OPEN = 100;

    /** What answers. */
    @Param
    public FailurePolicy policy = FailurePolicy.LOCAL_SHARE;

    private final HazelcastStore store = HazelcastStore.join(cluster.caller(), ClusterBenchmark.NAMESPACE);
    private Limiter limiter;
    private String key;

    /** Has the cluster refuse every call, until it is not called any more. */
    @Setup
    public void cutOff() {
        key = cluster.remoteKeys(1, "outage:").get(0);
        limiter = Weir.over(store)
                .limit(Limit.named("outage", policy)
                        .bandwidth(Bandwidth.of(1_000_000_000, 1_000_000_000, Duration.ofSeconds(1)))
                        .exact()
                        .build())
                .build()
                .limiter("outage");
        cluster.caller().getCluster().changeClusterState(ClusterState.PASSIVE);
        for (int i = 0; i < CALLS_UNTIL_OPEN; i++) {
            limiter.tryAcquire(key);
        }
    }

    /** Stops what was started. */
    @TearDown
    public void stop() {
        store.close();
        cluster.close();
    }

    @Benchmark
    public Source decide() {
        Source source = limiter.tryAcquire(key).source();
        if (source != Source.POLICY && source != Source.SHARE) {
            throw new IllegalStateException("answered by " + source + ", not by the policy");
        }
        return source;
    }
}
