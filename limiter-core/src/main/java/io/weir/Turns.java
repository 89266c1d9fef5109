package io.weir;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ForkJoinPool;

/**
 * Has those who wait for one key on this node ask one after another, in the order in which they came. For limits that reserve
 * nothing ahead, whose owner therefore cannot keep the order. Thread-safe; as large as there are waiters.
 */
final class Turns {

    private final ConcurrentHashMap<String, Turn> latest = new ConcurrentHashMap<>();

    /** Queues up. Each turn must {@linkplain Turn#end end}, also one that has not begun. */
    @SuppressWarnings("FutureReturnValueIgnored") // it cannot fail
    Turn queue(String key) {
        Turn mine = new Turn(key);
        Turn before = latest.put(key, mine);
        if (before == null) {
            mine.begun.complete(null);
        } else {
            // On another thread, or those who need not wait any more would begin within each other.
            before.over.thenRun(() -> mine.begun.completeAsync(() -> null, ForkJoinPool.commonPool()));
        }
        return mine;
    }

    /** How many keys are waited for. */
    int size() {
        return latest.size();
    }

    /** One waiter's turn. */
    final class Turn {
        private final String key;
        private final CompletableFuture<Void> begun = new CompletableFuture<>();
        private final CompletableFuture<Void> over = new CompletableFuture<>();

        private Turn(String key) {
            this.key = key;
        }

        /** Completes when it is this waiter's turn. */
        CompletableFuture<Void> begun() {
            return begun;
        }

        /** Lets the next one go, once this turn has come. */
        @SuppressWarnings("FutureReturnValueIgnored") // it cannot fail
        void end() {
            begun.thenRun(() -> {
                latest.remove(key, this); // not sooner: who comes next is behind those before this one, too
                over.complete(null);
            });
        }
    }
}
