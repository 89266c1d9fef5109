package io.weir.bench;

import java.io.IOException;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
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
 * The rows of {@link ClusterBenchmark} asked of a Redis on the same machine, which has no backup. Needs {@code
 * redis-server} on the {@code PATH}.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Fork(2)
@Warmup(iterations = 5, time = 2)
@Measurement(iterations = 5, time = 2)
@SuppressWarnings("NullAway.Init") // JMH calls make first
public class RedisBenchmark {

    private static final int MANY_KEYS = 10_000;

    /** How every call is answered. */
    @Param
    public Outcome outcome = Outcome.GRANTED;

    /** Which keys are asked for. */
    @Param
    public ClusterBenchmark.Keys keys = ClusterBenchmark.Keys.ONE;

    private final InFlight inFlight = new InFlight();
    private RedisServer server;
    private AskedRedis asked;
    private KeySequence sequence;

    /** Asks for every key once, which drains those that deny. */
    @Setup
    public void make() throws IOException {
        server = new RedisServer();
        asked = new AskedRedis(server.address(), outcome.bandwidth());
        List<String> allKeys = IntStream.range(0, keys == ClusterBenchmark.Keys.ONE ? 1 : MANY_KEYS)
                .mapToObj(i -> "client-" + i)
                .toList();
        sequence = KeySequence.uniform(allKeys);
        Caller nobody = new Caller();
        allKeys.forEach(key -> asked.tryAcquire(key, nobody));
    }

    /** Stops what was started. */
    @TearDown
    public void stop() {
        asked.close();
        server.close();
    }

    /** Waits for the calls of an iteration, and fails it if one of them went wrong. */
    @TearDown(Level.Iteration)
    public void drain() throws InterruptedException {
        inFlight.drain();
    }

    @Benchmark
    public boolean check(Caller caller) {
        return outcome.expect(asked.tryAcquire(caller.nextKey(sequence), caller));
    }

    @Benchmark
    public Object async(Caller caller) throws InterruptedException {
        inFlight.start();
        return inFlight.track(asked.tryAcquireAsync(caller.nextKey(sequence), caller), outcome::expect);
    }
}
