package io.weir.hazelcast;

import io.weir.store.NanoClock;
import io.weir.store.StoreUnavailableException;
import io.weir.store.StoreUnavailableException.Reason;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * This node's side of every call: who it is, what time it has, and how it reaches the owners.
 *
 * <p>Knows Hazelcast only through {@link OwnerCalls}, so that tests can put any network there.
 */
final class Node {

    private static final AtomicIntegerFieldUpdater<Node> CLOSED =
            AtomicIntegerFieldUpdater.newUpdater(Node.class, "closed");

    private final UUID identity;
    private final NanoClock clock;
    private final OwnerCalls calls;
    private final OwnerClocks ownerClocks;
    private final CallsOut callsOut = new CallsOut();
    private final Executor courier;
    private final Continuations continuations;
    private final Deadlines deadlines;
    private final int maxWaiting;

    /** One counter for all keys, so that a number does not come back when a key's record has been dropped (L9). */
    private final AtomicLong numbers = new AtomicLong();

    private final AtomicInteger futuresWaiting = new AtomicInteger();

    private volatile int closed;

    /**
     * @param identity fresh for each store, so that nothing a former one left behind is taken for this one's (L9)
     * @param courier sends what cannot be sent from a thread of Hazelcast's; runs no user code
     * @param maxWaiting how many futures may wait at once
     */
    Node(
            UUID identity,
            NanoClock clock,
            OwnerCalls calls,
            OwnerClocks ownerClocks,
            Executor courier,
            Continuations continuations,
            Deadlines deadlines,
            int maxWaiting) {
        this.identity = identity;
        this.clock = clock;
        this.calls = calls;
        this.ownerClocks = ownerClocks;
        this.courier = courier;
        this.continuations = continuations;
        this.deadlines = deadlines;
        this.maxWaiting = maxWaiting;
    }

    NanoClock clock() {
        return clock;
    }

    Continuations continuations() {
        return continuations;
    }

    Deadlines deadlines() {
        return deadlines;
    }

    /** The number of this node's next call. */
    long nextNumber() {
        return numbers.incrementAndGet();
    }

    boolean isClosed() {
        return closed != 0;
    }

    /** False if it was closed before. */
    boolean close() {
        return CLOSED.compareAndSet(this, 0, 1);
    }

    void requireOpen() {
        if (isClosed()) {
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

    /**
     * Sends a call, unless it has been given up since it departed. Its end, also at once, is told to {@code landed} exactly
     * once.
     */
    void send(KeyLine line, KeyLine.Flight flight, OwnerCalls.Callback landed) {
        UUID owner = null;
        boolean begun = false;
        try {
            OwnerCalls.Route route = calls.to(line.key());
            owner = route.owner();
            begun = callsOut.begun(owner);
            if (!begun) {
                throw new StoreUnavailableException(
                        Reason.OVERLOADED,
                        "Hazelcast has not ended " + CallsOut.MAX_PER_OWNER + " earlier calls to the owner yet",
                        null);
            }
            LeaseReport report = flight.report();
            BucketCall call = new BucketCall(
                    identity,
                    flight.number(),
                    flight.rule(),
                    timed(flight, owner),
                    report == null ? null : report.by(ownerClocks.inOwnersTime(owner, report.deadlineNanos())));
            if (line.isInFlight(flight)) { // else this thread was held up for longer than anybody waits
                route.send(call, ending(owner, landed));
            } else {
                callsOut.ended(owner);
            }
        } catch (Throwable e) { // whatever it is, nobody may be left waiting
            if (begun) {
                callsOut.ended(owner);
            }
            landed.ended(null, e);
        }
    }

    private OwnerCalls.Callback ending(@Nullable UUID owner, OwnerCalls.Callback landed) {
        long sent = clock.nanoTime();
        return (answer, failure) -> {
            callsOut.ended(owner);
            if (answer != null) {
                ownerClocks.observe(answer.owner(), sent, clock.nanoTime(), answer.ownerNanos());
            }
            landed.ended(answer, failure);
        };
    }

    private List<BucketCall.Timed> timed(KeyLine.Flight flight, @Nullable UUID owner) {
        List<BucketCall.Timed> requests = new ArrayList<>();
        for (Waiter waiter : flight.waiters()) {
            long deadline = ownerClocks.inOwnersTime(owner, waiter.deadlineNanos());
            waiter.requests().forEach(each -> requests.add(new BucketCall.Timed(each, deadline)));
        }
        return requests;
    }

    /** Forgets an owner that has left the cluster. */
    void forget(UUID owner) {
        ownerClocks.forget(owner);
        callsOut.forget(owner);
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
