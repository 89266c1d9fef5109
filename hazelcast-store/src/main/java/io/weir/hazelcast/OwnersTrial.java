package io.weir.hazelcast;

import io.weir.store.Answer;
import io.weir.store.StoreUnavailableException;
import io.weir.store.Trial;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;

/** Permits that an owner is asked for on trial. */
final class OwnersTrial implements Trial {

    private final Waiter.Promised waiter;
    private final CompletableFuture<Answer> answer;
    private final AtomicBoolean ended = new AtomicBoolean();

    /** @param waiter on trial */
    OwnersTrial(Waiter.Promised waiter) {
        this.waiter = waiter;
        this.answer = waiter.future().thenApply(answers -> answers.get(0));
    }

    @Override
    public CompletableFuture<Answer> answer() {
        return answer;
    }

    @Override
    public void rollBack() {
        if (!ended.compareAndSet(false, true)) {
            return;
        }
        boolean leaves = waiter.fail(new StoreUnavailableException(
                StoreUnavailableException.Reason.CLOSED, "the trial has ended before its answer", null));
        // A waiter that leaves, or has left, is known to its line: what it is granted all the same goes back from
        // there.
        if (!leaves) {
            waiter.oweGranted();
        }
    }
}
