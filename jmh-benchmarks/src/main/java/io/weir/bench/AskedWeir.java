package io.weir.bench;

import io.weir.Decision;
import io.weir.Limit;
import io.weir.Limiter;
import io.weir.Weir;
import io.weir.store.Source;
import io.weir.store.Store;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** Weir's front door. */
final class AskedWeir implements Asked {

    private final Limiter limiter;
    private final @Nullable Source source;

    /**
     * Asks by a limit.
     *
     * @param source where its answers should come from, or null if they may come from anywhere
     */
    AskedWeir(Store store, Limit limit, @Nullable Source source) {
        this.limiter = Weir.over(store).limit(limit).build().limiter(limit.name());
        this.source = source;
    }

    @Override
    public boolean tryAcquire(String key, Caller caller) {
        return granted(limiter.tryAcquire(key), caller.strays());
    }

    @Override
    public CompletionStage<Boolean> tryAcquireAsync(String key, Caller caller) {
        Strays strays = caller.strays();
        return limiter.tryAcquireAsync(key).thenApply(decision -> granted(decision, strays));
    }

    private boolean granted(Decision decision, Strays strays) {
        if (source != null && decision.source() != source) {
            strays.add(decision.source());
        }
        return decision.granted();
    }
}
