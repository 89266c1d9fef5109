package io.weir.chaos;

import io.weir.Decision;
import io.weir.Limiter;
import java.util.Collections;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAccumulator;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;

/** The threads that make a {@link Load}. */
final class Writers {

    private final Load load;
    private final Limiter limiter;
    private final int process;
    private final Durations decisions;
    private final Consumer<Outcome> onOutcome;

    private volatile boolean stopped;
    private final AtomicLong begun = new AtomicLong();
    private final LongAdder ended = new LongAdder();
    private final LongAdder granted = new LongAdder();
    private final LongAdder denied = new LongAdder();
    private final LongAdder unanswered = new LongAdder();
    private final LongAccumulator slowestNanos = new LongAccumulator(Math::max, 0);

    /**
     * @param process whose number outcomes bear
     * @param decisions where to write down how long each took
     * @param onOutcome told of each grant, and of each answer of the failure policy
     */
    Writers(Load load, Limiter limiter, int process, Durations decisions, Consumer<Outcome> onOutcome) {
        this.process = process;
        this.decisions = decisions;
        this.load = load;
        this.limiter = limiter;
        this.onOutcome = onOutcome;
    }

    /**
     * Makes the load, and returns when it is done.
     *
     * @throws ExecutionException if a call threw, which no fault of a cluster may make it do
     */
    Tally run() throws InterruptedException, ExecutionException {
        long began = System.nanoTime();
        Callable<Void> writer = () -> {
            while (!stopped
                    && begun.get() < load.calls()
                    && System.nanoTime() - began < load.length().toNanos()) {
                long number = begun.getAndIncrement();
                if (number < load.calls()) {
                    call(load.keys().get((int) (number % load.keys().size())));
                }
            }
            return null;
        };
        ExecutorService threads = Executors.newFixedThreadPool(load.threads());
        try {
            for (Future<Void> each : threads.invokeAll(Collections.nCopies(load.threads(), writer))) {
                each.get();
            }
        } finally {
            threads.shutdown();
        }
        return new Tally(ended.sum(), granted.sum(), denied.sum(), unanswered.sum(), slowestNanos.get());
    }

    /** Ends it after the calls that are being made. */
    void stop() {
        stopped = true;
    }

    private void call(String key) {
        long start = System.nanoTime();
        Decision decision = limiter.tryAcquire(key, load.permits());
        long end = System.nanoTime();
        ended.increment();
        slowestNanos.accumulate(end - start);
        decisions.add(start, end);
        Outcome outcome = new Outcome(process, key, start, end, load.permits(), decision.source(), decision.granted());
        if (outcome.isByPolicy()) {
            unanswered.increment();
        } else if (!decision.granted()) {
            denied.increment();
        }
        if (decision.granted()) {
            granted.increment();
        }
        if (outcome.granted() || outcome.isByPolicy()) {
            onOutcome.accept(outcome);
        }
        LockSupport.parkNanos(load.pause().toNanos());
    }
}
