package io.weir.hazelcast;

import io.weir.algorithm.Request;
import io.weir.algorithm.Rule;
import io.weir.store.NanoClock;
import io.weir.store.StoreUnavailableException;
import io.weir.store.StoreUnavailableException.Reason;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
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
    private final Breakers breakers;
    private final Probes probes = new Probes(this);
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
        this.breakers = new Breakers(clock);
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
            throw StoreUnavailableException.beforeSending(
                    Reason.OVERLOADED, maxWaiting + " asynchronous requests are waiting already");
        }
    }

    void futureEnded() {
        futuresWaiting.decrementAndGet();
    }

    /**
     * Checks that the owner of a key may be asked. Costs nothing while all of them answer.
     *
     * @param storedKey told only if some owner does not
     * @param givenNanos how long it would be given to answer
     * @throws StoreUnavailableException if it is not to be
     */
    void requireAnswering(Supplier<String> storedKey, long givenNanos) {
        if (breakers.anyOpen()) {
            UUID owner;
            try {
                owner = calls.to(storedKey.get()).owner();
            } catch (RuntimeException e) { // Hazelcast is shut down, say: whoever sends is told, and tells its waiters
                return;
            }
            requireClosed(breakers.of(owner), givenNanos);
        }
    }

    private static void requireClosed(Breaker breaker, long givenNanos) {
        Breaker.Opening opening = breaker.opening();
        if (opening != null && opening.covers(givenNanos)) {
            throw opening.answer();
        }
    }

    /**
     * Sends a call, unless it has been given up since it departed. Its end, also at once, is told to {@code landed} exactly
     * once.
     */
    void send(KeyLine line, KeyLine.Flight flight, OwnerCalls.Callback landed) {
        Breaker begun = null;
        try {
            OwnerCalls.Route route = calls.to(line.key());
            UUID owner = route.owner();
            Breaker breaker = breakers.of(owner);
            requireClosed(breaker, flight.givenNanos());
            begin(breaker);
            begun = breaker;
            LeaseReport report = flight.report();
            long ownersDeadline = ownerClocks.inOwnersTime(owner, flight.deadlineNanos());
            flight.isDueBy(ownersDeadline);
            BucketCall call = new BucketCall(
                    identity,
                    flight.number(),
                    flight.rule(),
                    timed(flight, owner),
                    report == null ? null : report.by(ownerClocks.inOwnersTime(owner, report.deadlineNanos())),
                    flight.corrections(),
                    ownersDeadline);
            flight.leavesFor(breaker);
            if (line.isInFlight(flight)) { // else this thread was held up for longer than anybody waits
                route.send(call, ending(breaker, line, flight, landed));
            } else {
                breaker.ended();
            }
        } catch (Throwable e) { // whatever it is, nobody may be left waiting
            if (begun != null) {
                failed(begun, e, line, flight);
            }
            landed.ended(null, e);
        }
    }

    private void begin(Breaker breaker) {
        if (!breaker.begin(clock.nanoTime())) {
            throw StoreUnavailableException.beforeSending(
                    Reason.OVERLOADED,
                    "Hazelcast has not ended " + Breaker.MAX_CALLS_OUT + " earlier calls to the owner yet");
        }
    }

    private OwnerCalls.Callback ending(
            Breaker breaker, KeyLine line, KeyLine.Flight flight, OwnerCalls.Callback landed) {
        long sent = clock.nanoTime();
        return (answer, failure) -> {
            if (answer == null) {
                failed(breaker, failure, line, flight);
            } else {
                long now = clock.nanoTime();
                ownerClocks.observe(answer.owner(), sent, now, answer.ownerNanos());
                if (answer.outcome() == CallAnswer.Outcome.NOT_OWNER) {
                    hopeless(breaker, "slept, and waits to be confirmed as a member", false, line, flight);
                } else {
                    breaker.answered(line.isInFlight(flight), now);
                }
            }
            landed.ended(answer, failure);
        };
    }

    /** A call has failed. A bug of ours, or of the JVM's, is not held against its owner. */
    private void failed(Breaker breaker, @Nullable Throwable failure, KeyLine line, KeyLine.Flight flight) {
        if (Failures.of(failure) instanceof StoreUnavailableException outage) {
            hopeless(breaker, "cannot be reached: " + outage.getMessage(), Failures.isUnreadable(outage), line, flight);
        } else {
            breaker.ended();
        }
    }

    /** A call has failed, and no patience would have helped; if it was given up before, that has been counted. */
    private void hopeless(Breaker breaker, String why, boolean lasting, KeyLine line, KeyLine.Flight flight) {
        if (line.isInFlight(flight)) {
            breakers.failed(breaker, new Breaker.Failure(why, line.key(), flight.sentNanos(), Long.MAX_VALUE, lasting));
        } else {
            breaker.ended();
        }
    }

    /** Nobody waits any more for a call that somebody waited for, or queued behind. */
    void gaveUp(KeyLine line, KeyLine.Flight flight, long nowNanos) {
        Breaker breaker = flight.leftFor();
        if (breaker != null) {
            breakers.gaveUp(
                    breaker,
                    new Breaker.Failure(
                            "does not answer in time",
                            line.key(),
                            flight.sentNanos(),
                            Math.min(flight.givenNanos(), nowNanos - flight.sentNanos()),
                            false),
                    nowNanos);
        }
    }

    /** Asks owners that do not answer whether they do again. To be called every {@link Breakers#TENDING_INTERVAL}. */
    void tend() {
        probes.send(breakers.tend());
    }

    /** Sends a call to find out whether an owner answers, and closes its breaker if it does. */
    void probe(OwnerCalls.Route route, Rule rule, Breakers.Open open) {
        long sent = clock.nanoTime();
        long deadline = sent + open.opening().probeNanos();
        BucketCall.Timed one =
                new BucketCall.Timed(new Request.Take(1), ownerClocks.inOwnersTime(route.owner(), deadline));
        BucketCall call = new BucketCall(identity, nextNumber(), rule, List.of(one), null);
        route.send(call, (answer, failure) -> {
            long now = clock.nanoTime();
            if (answer != null) {
                ownerClocks.observe(answer.owner(), sent, now, answer.ownerNanos());
                boolean decides = answer.outcome() != CallAnswer.Outcome.NOT_OWNER;
                if (decides && now <= deadline && answer.owner().equals(open.owner())) { // which may have moved
                    breakers.close(open.breaker());
                }
            }
        });
    }

    /** The way to a key's owner. */
    OwnerCalls.Route to(String storedKey) {
        return calls.to(storedKey);
    }

    /** Forgets what it knows of owners that are not members any more. */
    void forgetAllBut(Set<UUID> members) {
        breakers.owners().stream().filter(each -> !members.contains(each)).forEach(this::forget);
    }

    Breakers breakers() {
        return breakers;
    }

    private List<BucketCall.Timed> timed(KeyLine.Flight flight, @Nullable UUID owner) {
        List<BucketCall.Timed> requests = new ArrayList<>();
        for (Waiter waiter : flight.waiters()) {
            long deadline = ownerClocks.inOwnersTime(owner, waiter.deadlineNanos());
            waiter.requests().forEach(each -> requests.add(new BucketCall.Timed(each, deadline)));
        }
        return requests;
    }

    /** Members have come or gone: what did not answer for want of another member may do so now. */
    void membersChanged() {
        probes.hurry();
    }

    /** Forgets an owner that has left the cluster. */
    void forget(UUID owner) {
        ownerClocks.forget(owner);
        breakers.forget(owner);
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
