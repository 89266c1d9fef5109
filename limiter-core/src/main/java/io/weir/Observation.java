package io.weir;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Asks a limit without anybody waiting for the answer. Thread-safe; throws nothing.
 *
 * <p>What is on its way at once is bounded, so that a store that is slow takes no memory from an application that does not need its
 * answers. What finds no room, and what fails, is counted as missed.
 */
final class Observation {

    static final int MOST_IN_FLIGHT = 1_000;

    private static final System.Logger LOG = System.getLogger(Limiter.class.getName());

    private final String limit;
    private final Meters.@Nullable OfLimit meters;
    private final Semaphore free = new Semaphore(MOST_IN_FLIGHT);
    private final AtomicBoolean spokenOf = new AtomicBoolean();

    Observation(String limit, Meters.@Nullable OfLimit meters) {
        this.limit = limit;
        this.meters = meters;
    }

    @SuppressWarnings("FutureReturnValueIgnored") // that is what this is for
    void ask(Supplier<CompletableFuture<Decision>> asking) {
        if (!free.tryAcquire()) {
            missed();
            return;
        }
        CompletableFuture<Decision> asked;
        try {
            asked = asking.get();
        } catch (Throwable e) { // a store's bug, which must not become that of who asks another limit
            asked = CompletableFuture.failedFuture(e);
        }
        asked.whenComplete((decision, failure) -> {
            free.release();
            if (failure != null) {
                missed();
                speakOf(failure);
            }
        });
    }

    private void missed() {
        if (meters != null) {
            meters.missed();
        }
    }

    private void speakOf(Throwable failure) {
        if (spokenOf.compareAndSet(false, true)) {
            LOG.log(
                    System.Logger.Level.ERROR,
                    "Limit \"" + limit
                            + "\", which only reports, could not be asked: its store has a bug. It goes on being asked, and"
                            + " this is not spoken of again.",
                    failure);
        }
    }
}
