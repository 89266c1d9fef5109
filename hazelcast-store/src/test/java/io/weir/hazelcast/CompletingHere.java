package io.weir.hazelcast;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;

/** An executor whose task is over when it returns, and that still runs it on another thread, as an executor should. */
final class CompletingHere implements Executor {

    @Override
    public void execute(Runnable task) {
        CompletableFuture.runAsync(task).join();
    }
}
