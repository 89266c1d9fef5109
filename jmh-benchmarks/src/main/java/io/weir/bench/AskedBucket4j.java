package io.weir.bench;

import io.github.bucket4j.BucketConfiguration;
import io.github.bucket4j.distributed.AsyncBucketProxy;
import io.github.bucket4j.distributed.BucketProxy;
import io.github.bucket4j.distributed.ExpirationAfterWriteStrategy;
import io.github.bucket4j.distributed.proxy.optimization.Optimization;
import io.github.bucket4j.grid.hazelcast.Bucket4jHazelcast;
import io.github.bucket4j.grid.hazelcast.HazelcastProxyManager;
import io.weir.algorithm.Bandwidth;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** bucket4j, with a proxy for each key made beforehand. */
final class AskedBucket4j implements Asked {

    private final Map<String, BucketProxy> proxies = new HashMap<>();
    private final Map<String, AsyncBucketProxy> asyncProxies = new HashMap<>();

    AskedBucket4j(LoopbackCluster cluster, Bandwidth bandwidth, List<String> keys, Optimization optimization) {
        HazelcastProxyManager<String> buckets = Bucket4jHazelcast.entryProcessorBasedBuilder(
                        cluster.<byte[]>map("buckets"))
                .expirationAfterWrite(ExpirationAfterWriteStrategy.fixedTimeToLive(Duration.ofDays(1)))
                .build();
        BucketConfiguration configuration = BucketConfiguration.builder()
                .addLimit(limit ->
                        limit.capacity(bandwidth.capacity()).refillGreedy(bandwidth.refill(), bandwidth.period()))
                .build();
        for (String key : keys) {
            proxies.put(key, buckets.builder().withOptimization(optimization).build(key, () -> configuration));
            asyncProxies.put(
                    key,
                    buckets.asAsync()
                            .builder()
                            .withOptimization(optimization)
                            .build(key, () -> CompletableFuture.completedFuture(configuration)));
        }
    }

    @Override
    public boolean tryAcquire(String key, Caller caller) {
        return Objects.requireNonNull(proxies.get(key)).tryConsume(1);
    }

    @Override
    public CompletionStage<Boolean> tryAcquireAsync(String key, Caller caller) {
        return Objects.requireNonNull(asyncProxies.get(key)).tryConsume(1);
    }
}
