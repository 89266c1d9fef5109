package io.weir.http;

import io.weir.algorithm.Request;
import io.weir.algorithm.Rule;
import io.weir.store.Answer;
import io.weir.store.Buckets;
import io.weir.store.Leasing;
import io.weir.store.Store;
import io.weir.store.StoreUnavailableException;
import java.util.List;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;

/** A store that answers what a test tells it to. */
final class ScriptedStore implements Store {

    /** What is answered to a request for permits under a rule. */
    interface Script {
        Answer take(Rule rule, long permits);
    }

    private final Script script;

    ScriptedStore(Script script) {
        this.script = script;
    }

    /** A store that is away. */
    static ScriptedStore away() {
        return new ScriptedStore((rule, permits) -> {
            throw new StoreUnavailableException(StoreUnavailableException.Reason.UNREACHABLE, "nobody there", null);
        });
    }

    @Override
    public Buckets buckets(String limit, Rule rule, Leasing leasing) {
        return new Buckets() {
            @Override
            public Answer take(String key, long permits, long deadlineNanos) {
                return script.take(rule, permits);
            }

            @Override
            public CompletableFuture<Answer> takeAsync(String key, long permits, long deadlineNanos) {
                throw new UnsupportedOperationException("these tests wait for their answers");
            }

            @Override
            public CompletableFuture<List<Answer>> decide(String key, List<Request> requests, long deadlineNanos) {
                throw new UnsupportedOperationException("these tests give nothing back");
            }

            @Override
            public void change(Rule changed) {
                throw new UnsupportedOperationException("these tests change nothing");
            }
        };
    }

    @Override
    public OptionalInt nodes() {
        return OptionalInt.of(1);
    }

    @Override
    public void close() {}
}
