package io.weir;

import io.weir.store.Source;
import java.util.concurrent.CompletableFuture;

/**
 * One limit's part in a joint decision: permits that count as taken, until all the other limits have decided.
 *
 * @param key who asks
 * @param decision completes by the limit's deadline
 * @param rollBack has what the store granted go back, off the caller's path
 */
record Part(Limiter limiter, String key, CompletableFuture<Decision> decision, Runnable rollBack) {

    /** The decision, once it is there. */
    Decision decided() {
        return decision.join();
    }

    /** Counts what this limit decided. */
    void conclude() {
        limiter.conclude(key, decided());
    }

    /** Gives back what was granted, if anything was. Whatever a failure policy grants by itself took nothing. */
    @SuppressWarnings("FutureReturnValueIgnored") // a share is memory
    void undo() {
        Decision decided = decided();
        if (!decided.granted()) {
            return;
        }
        if (decided.source() == Source.SHARE) {
            decided.refund();
        } else if (decided.settleElsewhere()) {
            rollBack.run();
        }
    }
}
