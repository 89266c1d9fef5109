package io.weir.bench;

import io.weir.Limiter;
import io.weir.store.Source;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.IntConsumer;

/**
 * Many keys, each asked for once and without waiting for the answer, up to {@value InFlight#MOST} at a time.
 *
 * @param count how many
 */
record DistinctKeys(int count) {

    private static final Duration PROGRESS = Duration.ofSeconds(5);

    /** Such as clients have: short. */
    static String key(int number) {
        return "client-" + number;
    }

    /**
     * Asks for all of them.
     *
     * @param progress told every few seconds how many were asked for
     * @return how many were not answered in time
     */
    long ask(Limiter limiter, long permits, IntConsumer progress) throws InterruptedException {
        AtomicLong unanswered = new AtomicLong();
        InFlight inFlight = new InFlight();
        long saidNanos = System.nanoTime();
        for (int i = 0; i < count; i++) {
            inFlight.start();
            var unused = inFlight.track(limiter.tryAcquireAsync(key(i), permits), decision -> {
                if (decision.source() == Source.POLICY) {
                    unanswered.incrementAndGet();
                }
            });
            if (System.nanoTime() - saidNanos >= PROGRESS.toNanos()) {
                saidNanos = System.nanoTime();
                progress.accept(i + 1);
            }
        }
        inFlight.drain();
        return unanswered.get();
    }
}
