package io.weir.hazelcast;

import io.weir.algorithm.Rule;
import io.weir.store.NanoClock;
import io.weir.store.StoreUnavailableException;
import io.weir.store.StoreUnavailableException.Reason;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * This node's side of every call: who it is, what time it has, and how it reaches the owners.
 *
 * <p>Knows Hazelcast only through {@link OwnerCalls} and {@code ownerOf}, so that tests can put any network there.
 */
final class Node {

    /** The most calls that Hazelcast is working on for this node, the ones that were given up included. */
    static final int MAX_CALLS = 10_000;

    private final NanoClock clock;
    private final OwnerCalls calls;
    private final OwnerClocks ownerClocks;
    private final Function<String, @Nullable UUID> ownerOf;
    private final Executor courier;
    private final Executor continuations;
    private final Deadlines deadlines;
    private final int maxWaiting;

    /** Fresh for each store, so that nothing a former one left behind is taken for this one's (L9). */
    private final UUID identity = UUID.randomUUID();

    /** One counter for all keys, so that a number does not come back when a key's record has been dropped (L9). */
    private final AtomicLong numbers = new AtomicLong();

    private final AtomicInteger callsOut = new AtomicInteger();
    private final AtomicInteger futuresWaiting = new AtomicInteger();
    private volatile boolean closed;

    /**
     * @param ownerOf the member that owns a stored key, as far as this node knows; null if none does
     * @param courier sends what cannot be sent from a thread of Hazelcast's; ours, and never handed to user code
     * @param continuations where futures are completed
     * @param maxWaiting how many futures may wait at once
     */
    Node(
            NanoClock clock,
            OwnerCalls calls,
            OwnerClocks ownerClocks,
            Function<String, @Nullable UUID> ownerOf,
            Executor courier,
            Executor continuations,
            Deadlines deadlines,
            int maxWaiting) {
        this.clock = clock;
        this.calls = calls;
        this.ownerClocks = ownerClocks;
        this.ownerOf = ownerOf;
        this.courier = courier;
        this.continuations = continuations;
        this.deadlines = deadlines;
        this.maxWaiting = maxWaiting;
    }

    NanoClock clock() {
        return clock;
    }

    Executor continuations() {
        return continuations;
    }

    Deadlines deadlines() {
        return deadlines;
    }

    boolean isClosed() {
        return closed;
    }

    void close() {
        closed = true;
    }

    void requireOpen() {
        if (closed) {
            throw closedFailure();
        }
    }

    static StoreUnavailableException closedFailure() {
        return new StoreUnavailableException(Reason.CLOSED, "the Hazelcast store is closed", null);
    }

    /** Counts a future that is going to wait; {@link #futureEnded} counts it out again. */
    void futureWaits() {
        if (futuresWaiting.incrementAndGet() > maxWaiting) {
            futuresWaiting.decrementAndGet();
            throw new StoreUnavailableException(
                    Reason.OVERLOADED, maxWaiting + " asynchronous requests are waiting already", null);
        }
    }

    void futureEnded() {
        futuresWaiting.decrementAndGet();
    }

    /** Sends a call under the next number. Its end, also at once, is told to {@code landed} exactly once. */
    void send(String key, Rule rule, KeyLine.Flight flight, OwnerCalls.Callback landed) {
        if (callsOut.incrementAndGet() > MAX_CALLS) {
            callsOut.decrementAndGet();
            landed.ended(
                    null,
                    new StoreUnavailableException(
                            Reason.OVERLOADED, "Hazelcast has not ended " + MAX_CALLS + " earlier calls yet", null));
            return;
        }
        try {
            UUID owner = ownerOf.apply(key);
            List<BucketCall.Timed> requests = new ArrayList<>();
            for (Waiter waiter : flight.waiters()) {
                long deadline = ownerClocks.inOwnersTime(owner, waiter.deadlineNanos());
                waiter.requests().forEach(each -> requests.add(new BucketCall.Timed(each, deadline)));
            }
            BucketCall call = new BucketCall(identity, numbers.incrementAndGet(), rule, requests);
            long sent = clock.nanoTime();
            calls.send(key, call, (answer, failure) -> {
                callsOut.decrementAndGet();
                if (answer != null) {
                    ownerClocks.observe(answer.owner(), sent, clock.nanoTime(), answer.ownerNanos());
                }
                landed.ended(answer, failure);
            });
        } catch (RuntimeException e) {
            callsOut.decrementAndGet();
            landed.ended(null, e);
        }
    }

    /** Runs a task on the courier or, once that has been closed with this node, on the spot. */
    void onCourier(Runnable task) {
        try {
            courier.execute(task);
        } catch (RejectedExecutionException e) {
            task.run();
        }
    }
}
