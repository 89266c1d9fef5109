package io.weir.bench;

import io.weir.hazelcast.HazelcastStore;
import java.util.List;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.TearDown;

/**
 * One permit of a bucket whose owner and backup are two other members: Weir's front door over the Hazelcast store beside
 * its peers. Run with {@code -t 32} for contention.
 *
 * <p>{@link #async} keeps {@value InFlight#MOST} calls in flight. All caller-side objects are made beforehand.
 */
@SuppressWarnings("NullAway.Init") // JMH calls make first
public class ClusterBenchmark extends OnCluster {

    private static final int MANY_KEYS = 10_000;

    private static final int WARM_UP_CALLS = 1_000;

    static final String NAMESPACE = "benchmark";

    /** How every call is answered. */
    @Param
    public Outcome outcome = Outcome.GRANTED;

    /** Which keys are asked for. */
    @Param
    public Keys keys = Keys.ONE;

    /** Who is asked. */
    @Param
    public ClusterPeer peer = ClusterPeer.WEIR_EXACT;

    private final HazelcastStore store = HazelcastStore.join(cluster.caller(), NAMESPACE);
    private KeySequence sequence;
    private Asked asked;

    /** Asks for every key once, which drains those that deny; and for a single one until that is answered as it will be. */
    @Setup
    public void make() {
        List<String> allKeys = cluster.remoteKeys(keys == Keys.ONE ? 1 : MANY_KEYS, ClusterPeer.LIMIT + ':');
        sequence = KeySequence.uniform(allKeys);
        asked = peer.on(cluster, store, outcome, allKeys);
        Caller nobody = new Caller();
        allKeys.forEach(key -> asked.tryAcquire(key, nobody));
        if (outcome == Outcome.DENIED) { // gives those who remember denials one to remember
            allKeys.forEach(key -> outcome.expect(asked.tryAcquire(key, nobody)));
        }
        for (int i = 0; keys == Keys.ONE && i < WARM_UP_CALLS; i++) {
            outcome.expect(asked.tryAcquire(allKeys.get(0), nobody));
        }
    }

    /** Stops what was started. */
    @TearDown
    public void stop() {
        store.close();
        cluster.close();
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

    /** Which keys are asked for. */
    public enum Keys {
        /** One hot key. */
        ONE,
        /** Ten thousand, each as likely as any other. */
        UNIFORM
    }
}
