package io.weir;

import io.weir.store.Answer;
import io.weir.store.Trial;
import java.util.concurrent.CompletableFuture;

/**
 * Permits that are waited for.
 *
 * @param decision completes by the limit's deadline; granted if the permits will be there in time
 * @param trial gives them back
 */
record Reservation(CompletableFuture<Decision> decision, Trial trial) {

    /** How long until they may be used, from when it was answered: zero unless the store reserved them. */
    long waitNanos() {
        if (trial.answer().isCompletedExceptionally()) {
            return 0; // a failure policy reserves nothing
        }
        Answer answer = trial.answer().join();
        return answer.usableAtNanos() - answer.nowNanos();
    }
}
