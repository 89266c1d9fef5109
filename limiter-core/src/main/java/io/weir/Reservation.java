package io.weir;

import io.weir.store.Answer;
import io.weir.store.Trial;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Permits that are waited for.
 *
 * @param decision completes by the limit's deadline; granted if the permits will be there in time
 * @param trial gives them back; null if no store was asked
 */
record Reservation(
        CompletableFuture<Decision> decision, @Nullable Trial trial) {

    /** How long until they may be used, from when it was answered: zero unless the store reserved them. */
    long waitNanos() {
        if (trial == null || trial.answer().isCompletedExceptionally()) {
            return 0; // who does not ask, and a failure policy, reserves nothing
        }
        Answer answer = trial.answer().join();
        return answer.usableAtNanos() - answer.nowNanos();
    }

    /** Has the permits go back, if any were taken. */
    void rollBack() {
        if (trial != null) {
            trial.rollBack();
        }
    }
}
