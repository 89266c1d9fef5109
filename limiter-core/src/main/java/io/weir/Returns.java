package io.weir;

import io.weir.algorithm.Request;
import io.weir.store.Buckets;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** Where permits go back to that were granted and not used, and where more is charged if it was used. Thread-safe. */
interface Returns {

    /**
     * Gives permits back.
     *
     * @return completes once they are back; fails as {@link Buckets#decide} does
     */
    CompletableFuture<Void> giveBack(String key, long permits, long deadlineNanos);

    /**
     * Charges permits that were used beyond what was granted.
     *
     * @param mostDebt how far below zero that may bring the balance
     * @return completes once they are charged; fails as {@link Buckets#decide} does
     */
    CompletableFuture<Void> charge(String key, long permits, long mostDebt, long deadlineNanos);

    /** To the buckets of a store. */
    static Returns to(Buckets buckets) {
        return new Returns() {
            @Override
            public CompletableFuture<Void> giveBack(String key, long permits, long deadlineNanos) {
                return told(key, new Request.GiveBack(permits), deadlineNanos);
            }

            @Override
            public CompletableFuture<Void> charge(String key, long permits, long mostDebt, long deadlineNanos) {
                return told(key, new Request.Charge(permits, mostDebt), deadlineNanos);
            }

            private CompletableFuture<Void> told(String key, Request request, long deadlineNanos) {
                return buckets.decide(key, List.of(request), deadlineNanos).thenAccept(answers -> {});
            }
        };
    }
}
