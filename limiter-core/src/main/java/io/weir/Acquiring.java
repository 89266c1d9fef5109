package io.weir;

import io.weir.store.NanoClock;
import io.weir.store.Source;
import io.weir.store.StoredKey;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * Waits for permits of one limit. Thread-safe.
 *
 * <pre>
 *   the limit's algorithm     whoever waits                                         order
 *   reserves                  asks once, and sleeps until the owner's instant       the owner's, over all nodes
 *   does not                  asks, sleeps as long as the denial says, asks again   as they came, on one node
 * </pre>
 *
 * <p>Nobody asks to find out whether something has changed: an answer says when to come back.
 */
final class Acquiring {

    private final Limiter limiter;
    private final Asking asking;
    private final NanoClock clock;
    private final Limiter.@Nullable Pause pause;
    private final Turns turns = new Turns();
    private final Waiting waiting = new Waiting();

    /** @param pause how a thread waits, for tests; null for really */
    Acquiring(Limiter limiter, Asking asking, NanoClock clock, Limiter.@Nullable Pause pause) {
        this.limiter = limiter;
        this.asking = asking;
        this.clock = clock;
        this.pause = pause;
    }

    /** @throws InterruptedException if the thread is interrupted; nothing is charged then */
    Decision acquire(String key, long permits, Duration longestWait) throws InterruptedException {
        requireWait(longestWait);
        Asking.requireArguments(key, permits);
        requireNotInterrupted();
        limiter.askShadows(key, permits); // once: a wait is one request
        long longestNanos = saturatedNanos(longestWait);
        long began = clock.nanoTime();
        Turns.Turn turn = asking.reserves() ? null : turns.queue(StoredKey.of(key));
        try {
            if (turn != null && !comes(turn, longestNanos)) {
                return limiter.conclude(key, asking.ask(key, permits)); // out of turn, for the last time
            }
            return acquire(key, permits, longestNanos, began);
        } finally {
            if (turn != null) {
                turn.end();
            }
        }
    }

    private Decision acquire(String key, long permits, long longestNanos, long began) throws InterruptedException {
        while (true) {
            requireNotInterrupted();
            long left = Math.max(0, longestNanos - (clock.nanoTime() - began));
            Reservation reservation = asking.reserve(key, permits, left);
            Decision decision = Joined.of(reservation.decision()); // by the limit's deadline
            if (decision.granted()) {
                return used(key, permits, reservation, decision);
            }
            Duration wait = decision.retryAfter().orElse(null);
            left = longestNanos - (clock.nanoTime() - began);
            if (wait == null || saturatedNanos(wait) > left || isFinal(decision)) {
                limiter.conclude(key, decision); // the denials that were waited out were not the caller's
                return decision;
            }
            sleep(wait);
        }
    }

    /** A block ends when it ends; a queue that is full is full, and who comes later does not wait for room in it. */
    private boolean isFinal(Decision denial) {
        return waiting.closed().isDone() || denial.source() == Source.BLOCKED || asking.queues();
    }

    /** Waits until reserved permits may be used. */
    private Decision used(String key, long permits, Reservation reservation, Decision granted)
            throws InterruptedException {
        long wait = reservation.waitNanos();
        if (wait > 0) {
            waiting.enter(reservation);
            try {
                sleep(Duration.ofNanos(wait));
            } catch (InterruptedException e) {
                waiting.giveBack(reservation);
                throw e;
            }
            if (!waiting.leave(reservation)) {
                return limiter.conclude(key, asking.closed(key, permits));
            }
        }
        limiter.conclude(key, granted);
        return granted;
    }

    private boolean comes(Turns.Turn turn, long longestNanos) throws InterruptedException {
        try {
            turn.begun().get(longestNanos, TimeUnit.NANOSECONDS);
            return true;
        } catch (TimeoutException e) {
            return false;
        } catch (ExecutionException e) {
            throw new IllegalStateException("a turn only ever begins", e);
        }
    }

    private void sleep(Duration wait) throws InterruptedException {
        if (pause != null) {
            pause.sleep(wait);
            return;
        }
        try {
            waiting.closed().get(saturatedNanos(wait), TimeUnit.NANOSECONDS);
        } catch (TimeoutException e) {
            // the wait is over, and nothing was closed meanwhile
        } catch (ExecutionException e) {
            throw new IllegalStateException("closing does not fail", e);
        }
    }

    /** The same without a thread. Cancelling what is returned gives back what is reserved. */
    CompletableFuture<Decision> acquireAsync(String key, long permits, Duration longestWait) {
        requireWait(longestWait);
        Asking.requireArguments(key, permits);
        limiter.askShadows(key, permits);
        // Each takes some memory; what finds no room is answered at once.
        long longestNanos = waiting.isCrowded() ? 0 : saturatedNanos(longestWait);
        long began = clock.nanoTime();
        CompletableFuture<Decision> outcome = new CompletableFuture<>();
        if (asking.reserves()) {
            tryOnce(key, permits, longestNanos, began, outcome);
            return outcome;
        }
        Turns.Turn turn = turns.queue(StoredKey.of(key));
        afterwards(outcome, turn::end);
        CompletableFuture<?> tooLate = after(longestWait, outcome);
        CompletableFuture<?> either = CompletableFuture.anyOf(turn.begun(), tooLate);
        orFail(
                either.thenRun(() -> {
                    tooLate.cancel(false);
                    tryOnce(key, permits, turn.begun().isDone() ? longestNanos : 0, began, outcome);
                }),
                outcome);
        return outcome;
    }

    private void tryOnce(String key, long permits, long longestNanos, long began, CompletableFuture<Decision> outcome) {
        if (outcome.isDone()) {
            return;
        }
        long left = Math.max(0, longestNanos - (clock.nanoTime() - began));
        Reservation reservation = asking.reserve(key, permits, left);
        orFail(
                reservation.decision().thenAccept(decision -> {
                    if (decision.granted()) {
                        use(key, permits, reservation, decision, outcome);
                        return;
                    }
                    Duration wait = decision.retryAfter().orElse(null);
                    boolean inTime = wait != null && saturatedNanos(wait) <= longestNanos - (clock.nanoTime() - began);
                    if (wait != null && inTime && !isFinal(decision)) {
                        Runnable again = () -> tryOnce(key, permits, longestNanos, began, outcome);
                        orFail(after(wait, outcome).thenRun(again), outcome);
                    } else if (outcome.complete(decision)) {
                        limiter.conclude(key, decision);
                    }
                }),
                outcome);
    }

    private void use(
            String key, long permits, Reservation reservation, Decision granted, CompletableFuture<Decision> outcome) {
        waiting.enter(reservation);
        afterwards(outcome, () -> waiting.giveBack(reservation)); // unless it has left
        long wait = reservation.waitNanos();
        CompletableFuture<Void> over =
                wait > 0 ? after(Duration.ofNanos(wait), outcome) : CompletableFuture.completedFuture(null);
        orFail(
                over.thenRun(() -> {
                    if (waiting.leave(reservation)) {
                        if (outcome.complete(granted)) {
                            limiter.conclude(key, granted);
                        } else { // cancelled in the last moment
                            reservation.rollBack();
                        }
                    } else if (!outcome.isDone()) { // it was given back: the limits are closed
                        outcome.complete(limiter.conclude(key, asking.closed(key, permits)));
                    }
                }),
                outcome);
    }

    /** A wait that does not outlive the outcome: who gives up leaves no timer behind. */
    private CompletableFuture<Void> after(Duration wait, CompletableFuture<?> outcome) {
        CompletableFuture<Void> over = waiting.after(wait);
        afterwards(outcome, () -> over.cancel(false));
        return over;
    }

    @SuppressWarnings("FutureReturnValueIgnored") // it ends as the outcome does
    private static void afterwards(CompletableFuture<?> outcome, Runnable step) {
        outcome.whenComplete((decision, thrown) -> step.run());
    }

    /** Whatever a step throws is a bug, and not to be waited for. */
    @SuppressWarnings("FutureReturnValueIgnored") // it cannot fail
    private static void orFail(CompletableFuture<?> step, CompletableFuture<?> outcome) {
        step.whenComplete((done, bug) -> {
            if (bug != null && !outcome.isDone()) {
                outcome.completeExceptionally(bug);
            }
        });
    }

    /** Ends all waits: what is reserved goes back, and the failure policy answers. */
    void close() {
        waiting.close();
    }

    private void requireNotInterrupted() throws InterruptedException {
        if (Thread.interrupted()) {
            throw new InterruptedException("interrupted while waiting for permits of limit "
                    + limiter.limit().name());
        }
    }

    private static void requireWait(Duration longestWait) {
        Objects.requireNonNull(longestWait, "longestWait");
        if (longestWait.isNegative()) {
            throw new IllegalArgumentException("longestWait must not be negative but is " + longestWait);
        }
    }

    static long saturatedNanos(Duration duration) {
        return duration.compareTo(Duration.ofNanos(Long.MAX_VALUE)) >= 0 ? Long.MAX_VALUE : duration.toNanos();
    }
}
