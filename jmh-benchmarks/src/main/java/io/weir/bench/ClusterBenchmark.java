package io.weir.bench;

import com.hazelcast.map.IMap;
import io.github.bucket4j.BucketConfiguration;
import io.github.bucket4j.distributed.AsyncBucketProxy;
import io.github.bucket4j.distributed.BucketProxy;
import io.github.bucket4j.distributed.ExpirationAfterWriteStrategy;
import io.github.bucket4j.grid.hazelcast.Bucket4jHazelcast;
import io.github.bucket4j.grid.hazelcast.HazelcastProxyManager;
import io.weir.Limiter;
import io.weir.Weir;
import io.weir.algorithm.Bandwidth;
import io.weir.hazelcast.HazelcastStore;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.TearDown;

/**
 * One permit of a bucket whose owner and backup are two other members: Weir's front door over the Hazelcast store beside
 * bucket4j and {@link TakeTokenProcessor}. Run with {@code -t 32} for contention.
 *
 * <p>Rows named {@code ..Async} keep {@value InFlight#MOST} calls in flight. All caller-side objects are made beforehand,
 * and bucket4j has its serializers registered, which it does not ask for.
 */
@SuppressWarnings("NullAway.Init") // JMH calls make first
public class ClusterBenchmark extends OnCluster {

    private static final int MANY_KEYS = 10_000;

    static final String NAMESPACE = "benchmark";

    private static final String LIMIT = "benchmark";

    /** How every call is answered. */
    @Param
    public Outcome outcome = Outcome.GRANTED;

    /** Which keys are asked for. */
    @Param
    public Keys keys = Keys.ONE;

    private final HazelcastStore store = HazelcastStore.join(cluster.caller(), NAMESPACE);
    private final IMap<String, TakeTokenProcessor.Tokens> tokens = cluster.map("tokens");
    private final HazelcastProxyManager<String> buckets = Bucket4jHazelcast.entryProcessorBasedBuilder(
                    cluster.<byte[]>map("buckets"))
            .expirationAfterWrite(ExpirationAfterWriteStrategy.fixedTimeToLive(Duration.ofDays(1)))
            .build();

    private KeySequence sequence;
    private Weir weir;
    private Limiter limiter;
    private Bandwidth bandwidth;
    private Function<String, BucketProxy> bucket4j;
    private Function<String, AsyncBucketProxy> bucket4jAsync;

    /** Asks everybody for every key once, which drains those that deny. */
    @Setup
    public void make() {
        List<String> allKeys = cluster.remoteKeys(keys == Keys.ONE ? 1 : MANY_KEYS, LIMIT + ':');
        sequence = KeySequence.uniform(allKeys);
        weir = Weir.over(store).limit(outcome.limit(LIMIT)).build();
        limiter = weir.limiter(LIMIT);
        bandwidth = outcome.bandwidth();
        BucketConfiguration configuration = BucketConfiguration.builder()
                .addLimit(limit ->
                        limit.capacity(bandwidth.capacity()).refillGreedy(bandwidth.refill(), bandwidth.period()))
                .build();
        Map<String, BucketProxy> proxies = new HashMap<>();
        Map<String, AsyncBucketProxy> asyncProxies = new HashMap<>();
        bucket4j = proxies::get;
        bucket4jAsync = asyncProxies::get;
        for (String key : allKeys) {
            proxies.put(key, buckets.builder().build(key, () -> configuration));
            asyncProxies.put(
                    key,
                    buckets.asAsync().builder().build(key, () -> CompletableFuture.completedFuture(configuration)));
            limiter.tryAcquire(key);
            tokens.executeOnKey(key, new TakeTokenProcessor(bandwidth));
            bucket4j.apply(key).tryConsume(1);
        }
    }

    /** Stops what was started. */
    @TearDown
    public void stop() {
        weir.close();
        cluster.close();
    }

    @Benchmark
    public boolean weir(Caller caller) {
        return outcome.expect(limiter.tryAcquire(caller.nextKey(sequence)).granted());
    }

    @Benchmark
    public boolean takeTokenProcessor(Caller caller) {
        return outcome.expect(tokens.executeOnKey(caller.nextKey(sequence), new TakeTokenProcessor(bandwidth)));
    }

    @Benchmark
    public boolean bucket4j(Caller caller) {
        return outcome.expect(bucket4j.apply(caller.nextKey(sequence)).tryConsume(1));
    }

    @Benchmark
    public Object weirAsync(Caller caller) throws InterruptedException {
        inFlight.start();
        return inFlight.track(
                limiter.tryAcquireAsync(caller.nextKey(sequence)), decision -> outcome.expect(decision.granted()));
    }

    @Benchmark
    public Object takeTokenProcessorAsync(Caller caller) throws InterruptedException {
        inFlight.start();
        return inFlight.track(
                tokens.submitToKey(caller.nextKey(sequence), new TakeTokenProcessor(bandwidth)), outcome::expect);
    }

    @Benchmark
    public Object bucket4jAsync(Caller caller) throws InterruptedException {
        inFlight.start();
        return inFlight.track(bucket4jAsync.apply(caller.nextKey(sequence)).tryConsume(1), outcome::expect);
    }

    /** Which keys are asked for. */
    public enum Keys {
        /** One hot key. */
        ONE,
        /** Ten thousand, each as likely as any other. */
        UNIFORM
    }
}
