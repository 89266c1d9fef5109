package io.weir;

import io.weir.algorithm.Request;
import io.weir.store.Buckets;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** Where permits go back to that were granted and not used. Thread-safe. */
@FunctionalInterface
interface Returns {

    /**
     * Gives permits back.
     *
     * @return completes once they are back; fails as {@link Buckets#decide} does
     */
    CompletableFuture<Void> giveBack(String key, long permits, long deadlineNanos);

    /** To the buckets of a store. */
    static Returns to(Buckets buckets) {
        return (key, permits, deadlineNanos) -> buckets.decide(
                        key, List.of(new Request.GiveBack(permits)), deadlineNanos)
                .thenAccept(answers -> {});
    }
}
