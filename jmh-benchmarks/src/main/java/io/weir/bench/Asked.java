package io.weir.bench;

import java.util.concurrent.CompletionStage;

/** Whom a row on a cluster asks for one permit of a key. */
interface Asked {

    /**
     * Asks, and waits for the answer.
     *
     * @param caller who asks, and minds where the answer comes from
     */
    boolean tryAcquire(String key, Caller caller);

    /** Asks without waiting for the answer. */
    CompletionStage<Boolean> tryAcquireAsync(String key, Caller caller);
}
