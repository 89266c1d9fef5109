package io.weir;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

/** Waiting for a future as if its work had been done here: a bug surfaces as itself, and not wrapped. */
final class Joined {

    private Joined() {}

    static <T> T of(CompletableFuture<T> future) {
        try {
            return future.join();
        } catch (CompletionException e) {
            throw e.getCause() instanceof RuntimeException bug ? bug : e;
        }
    }
}
