package io.weir.bench;

import com.hazelcast.map.IMap;
import io.weir.algorithm.Bandwidth;
import java.util.concurrent.CompletionStage;

/** {@link TakeTokenProcessor}, without anything around it. */
final class AskedProcessor implements Asked {

    private final IMap<String, TakeTokenProcessor.Tokens> tokens;
    private final Bandwidth bandwidth;

    AskedProcessor(LoopbackCluster cluster, Bandwidth bandwidth) {
        this.tokens = cluster.map("tokens");
        this.bandwidth = bandwidth;
    }

    @Override
    public boolean tryAcquire(String key, Caller caller) {
        return tokens.executeOnKey(key, new TakeTokenProcessor(bandwidth));
    }

    @Override
    public CompletionStage<Boolean> tryAcquireAsync(String key, Caller caller) {
        return tokens.submitToKey(key, new TakeTokenProcessor(bandwidth));
    }
}
