package io.weir.store;

import io.weir.algorithm.Verdict;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;

/**
 * Permits that are taken on trial: they count as taken from the first, and go back if it turns out that they are not used,
 * because another limit denies the same request, say. Thread-safe.
 *
 * <p>An answer that does not come in time, and every other outage, ends a trial: what was taken, or still is by a call under
 * way, goes back.
 */
public interface Trial {

    /** What the bucket answers. Completes as {@link Buckets#takeAsync} does. */
    CompletableFuture<Answer> answer();

    /**
     * Ends the trial: what was taken, or still is by a call under way, goes back, once, and off the caller's path. It is
     * neither waited for nor told of. Does nothing to a trial that has ended, or that was denied.
     */
    void rollBack();

    /**
     * A trial in a store that can do no better than take and give back. What is on its way when such a store goes away stays
     * charged.
     *
     * @param answer to the request for permits
     * @param giveBack gives them back; told how they were granted
     */
    static Trial of(CompletableFuture<Answer> answer, Consumer<Answer> giveBack) {
        AtomicBoolean ended = new AtomicBoolean();
        return new Trial() {
            @Override
            public CompletableFuture<Answer> answer() {
                return answer;
            }

            @Override
            @SuppressWarnings("FutureReturnValueIgnored") // it fails as the answer does, which its caller sees
            public void rollBack() {
                if (ended.compareAndSet(false, true)) {
                    answer.thenAccept(answered -> {
                        if (answered.verdict() == Verdict.GRANTED) {
                            giveBack.accept(answered);
                        }
                    });
                }
            }
        };
    }
}
