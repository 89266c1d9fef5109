package io.weir.store.contract;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Supplier;
import java.util.stream.Stream;

/** Many threads that do the same at the same time. */
final class Threads {

    private Threads() {}

    /** What each thread returns. None begins before all of them are there; whatever one throws is thrown here. */
    static <T> List<T> together(int count, Supplier<T> work) {
        ExecutorService threads = Executors.newFixedThreadPool(count);
        try {
            CountDownLatch missing = new CountDownLatch(count);
            List<CompletableFuture<T>> results = Stream.generate(() -> CompletableFuture.supplyAsync(
                            () -> {
                                missing.countDown();
                                await(missing);
                                return work.get();
                            },
                            threads))
                    .limit(count)
                    .toList();
            return results.stream().map(CompletableFuture::join).toList();
        } finally {
            threads.shutdownNow();
        }
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException("interrupted before all threads were there", e);
        }
    }
}
