package io.weir.bench;

import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/** A byte and its echo over the same kind of link as in {@link RoundTripBenchmark}, with nothing around it but TCP. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.SampleTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Fork(1)
@Warmup(iterations = 1, time = 1)
@Measurement(iterations = 3, time = 1)
@SuppressWarnings("NullAway.Init") // JMH calls connect first
public class LinkBenchmark {

    /** How long a packet and its answer travel. */
    @Param("10")
    public int linkMillis = 10;

    private Ping link;

    /** Connects. */
    @Setup
    public void connect() throws IOException {
        link = new Ping(Duration.ofMillis(linkMillis));
    }

    /** Disconnects. */
    @TearDown
    public void disconnect() throws IOException {
        link.close();
    }

    @Benchmark
    public void ping() throws IOException {
        link.send();
    }
}
