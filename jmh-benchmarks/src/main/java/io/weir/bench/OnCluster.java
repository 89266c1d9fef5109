package io.weir.bench;

import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/** What all benchmarks on a cluster share. Forks do not read the jar's manifest, hence the flags. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Fork(
        value = 2,
        jvmArgsAppend = {
            "--add-modules=java.se",
            "--add-exports=java.base/jdk.internal.ref=ALL-UNNAMED",
            "--add-opens=java.base/java.lang=ALL-UNNAMED",
            "--add-opens=java.base/sun.nio.ch=ALL-UNNAMED",
            "--add-opens=java.management/sun.management=ALL-UNNAMED",
            "--add-opens=jdk.management/com.sun.management.internal=ALL-UNNAMED"
        })
@Warmup(iterations = 5, time = 2)
@Measurement(iterations = 5, time = 2)
public abstract class OnCluster {

    final LoopbackCluster cluster = new LoopbackCluster();

    /** The calls of asynchronous rows. */
    final InFlight inFlight = new InFlight();

    /** Waits for the calls of an iteration, and fails it if one of them went wrong. */
    @TearDown(Level.Iteration)
    public void drain() throws InterruptedException {
        inFlight.drain();
    }
}
