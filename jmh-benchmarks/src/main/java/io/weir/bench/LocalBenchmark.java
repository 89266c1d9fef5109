package io.weir.bench;

import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
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
import org.openjdk.jmh.annotations.Warmup;

/**
 * One permit inside one JVM: Weir's front door over the local store beside other limiters. Run with {@code -t 2} for
 * contention and {@code -prof gc} for bytes.
 *
 * <p>On one key the others ask a limiter they already hold, while Weir looks its key up, as it always does. On many keys
 * the others look their limiter up in a {@link ConcurrentHashMap}, since that is what a user would do.
 *
 * <p>Every limiter is the one its library makes by default; bucket4j's therefore counts in milliseconds.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(2)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 5, time = 1)
@SuppressWarnings("NullAway.Init") // JMH calls draw first
public class LocalBenchmark {

    private static final int MANY_KEYS = 100_000;

    /** How every call is answered. */
    @Param
    public Outcome outcome = Outcome.GRANTED;

    /** Which keys are asked for. */
    @Param
    public Keys keys = Keys.ONE;

    private List<String> allKeys;
    private KeySequence sequence;

    /** Draws the keys. */
    @Setup
    public void draw() {
        allKeys = IntStream.range(0, keys == Keys.ONE ? 1 : MANY_KEYS)
                .mapToObj(i -> "client-" + i)
                .toList();
        sequence = KeySequence.zipf(allKeys);
    }

    @Benchmark
    public boolean weir(LocalPeers.WeirLocal peer, Caller caller) {
        return outcome.expect(peer.tryAcquire(caller.nextKey(sequence)));
    }

    /** What watching keys adds: no row of the comparison. */
    @Benchmark
    public boolean weirWatchingKeys(LocalPeers.WeirWatchingKeys peer, Caller caller) {
        return outcome.expect(peer.tryAcquire(caller.nextKey(sequence)));
    }

    @Benchmark
    public boolean clockAndCas(LocalPeers.ClockAndCas peer, Caller caller) {
        return outcome.expect(peer.tryAcquire(caller.nextKey(sequence)));
    }

    @Benchmark
    public boolean bucket4j(LocalPeers.Bucket4j peer, Caller caller) {
        return outcome.expect(peer.tryAcquire(caller.nextKey(sequence)));
    }

    @Benchmark
    public boolean resilience4j(LocalPeers.Resilience4j peer, Caller caller) {
        return outcome.expect(peer.tryAcquire(caller.nextKey(sequence)));
    }

    @Benchmark
    public boolean guava(LocalPeers.Guava peer, Caller caller) {
        return outcome.expect(peer.tryAcquire(caller.nextKey(sequence)));
    }

    @Benchmark
    public boolean failsafe(LocalPeers.Failsafe peer, Caller caller) {
        return outcome.expect(peer.tryAcquire(caller.nextKey(sequence)));
    }

    /** Every key that can be asked for, once. */
    List<String> allKeys() {
        return allKeys;
    }

    /** Which keys are asked for. */
    public enum Keys {
        /** One hot key. */
        ONE,
        /** A hundred thousand, by Zipf's law. */
        ZIPF
    }
}
