package io.weir.bench;

import io.weir.hazelcast.HazelcastStore;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/**
 * How long a check of each kind takes between members that are far apart, one check at a time. What counts is the median
 * divided by that of {@link LinkBenchmark}; {@link RoundTripBudget} says how much it may be.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.SampleTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Warmup(iterations = 1, time = 1)
@Measurement(iterations = 3, time = 1)
@SuppressWarnings("NullAway.Init") // JMH calls make first
public class RoundTripBenchmark extends HazelcastFork {

    /** What is asked. */
    @Param
    public CheckKind kind = CheckKind.EXACT;

    /** How long a packet and its answer travel between two members. */
    @Param("10")
    public int linkMillis = 10;

    private LoopbackCluster cluster;
    private HazelcastStore store;
    private Check check;

    /** Starts members, and makes checks until they are of their kind. */
    @Setup
    public void make() {
        cluster = LoopbackCluster.apart(Duration.ofMillis(linkMillis));
        store = HazelcastStore.join(cluster.caller(), ClusterBenchmark.NAMESPACE);
        check = kind.on(cluster, store);
    }

    /** Stops what was started. */
    @TearDown
    public void stop() {
        store.close();
        cluster.close();
    }

    @Benchmark
    public void check() {
        check.make();
    }
}
