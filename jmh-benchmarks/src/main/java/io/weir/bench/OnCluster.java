package io.weir.bench;

import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/** What all benchmarks on a cluster share whose members are close to each other. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Warmup(iterations = 5, time = 2)
@Measurement(iterations = 5, time = 2)
public abstract class OnCluster extends HazelcastFork {

    final LoopbackCluster cluster = new LoopbackCluster();

    /** The calls of asynchronous rows. */
    final InFlight inFlight = new InFlight();

    /** Waits for the calls of an iteration, and fails it if one of them went wrong. */
    @TearDown(Level.Iteration)
    public void drain() throws InterruptedException {
        inFlight.drain();
    }
}
