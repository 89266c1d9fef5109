package io.weir.bench;

import java.util.concurrent.CompletionStage;

/** Whom a row on a cluster asks for one permit of a key. */
interface Asked {

    /**
     * Asks, and waits for the answer.
     *
     * @param caller who is told if the answer does not come from where it should
     */
    boolean tryAcquire(String key, Caller caller);

    /** Asks without waiting for the answer. */
    CompletionStage<Boolean> tryAcquireAsync(String key, Caller caller);
}
