package io.weir.spring;

import io.weir.algorithm.Request;
import io.weir.algorithm.Rule;
import io.weir.store.Answer;
import io.weir.store.Buckets;
import io.weir.store.Leasing;
import io.weir.store.Store;
import io.weir.store.StoreUnavailableException;
import io.weir.store.StoreUnavailableException.Reason;
import java.util.List;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;

/** A store that is away. Who asks without waiting is told so when a test says. */
final class AwayStore implements Store {

    private final CompletableFuture<Answer> later = new CompletableFuture<>();

    /** Ends what is asked without waiting. */
    void tell() {
        later.completeExceptionally(away());
    }

    private static StoreUnavailableException away() {
        return new StoreUnavailableException(Reason.UNREACHABLE, "the cluster is away", null);
    }

    @Override
    public Buckets buckets(String limit, Rule rule, Leasing leasing) {
        return new Buckets() {
            @Override
            public Answer take(String key, long permits, long deadlineNanos) {
                throw away();
            }

            @Override
            public CompletableFuture<Answer> takeAsync(String key, long permits, long deadlineNanos) {
                return later;
            }

            @Override
            public CompletableFuture<List<Answer>> decide(String key, List<Request> requests, long deadlineNanos) {
                return CompletableFuture.failedFuture(away());
            }

            @Override
            public void change(Rule changed) {}
        };
    }

    @Override
    public OptionalInt nodes() {
        return OptionalInt.of(1);
    }

    @Override
    public void close() {}
}
