package io.weir.hazelcast;

import io.weir.algorithm.Request;
import io.weir.algorithm.Rule;
import io.weir.algorithm.State;
import io.weir.algorithm.Verdict;
import io.weir.store.Answer;
import io.weir.store.Buckets;
import io.weir.store.Source;
import io.weir.store.StoreUnavailableException;
import io.weir.store.StoreUnavailableException.Reason;
import io.weir.store.StoredKey;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import org.jspecify.annotations.Nullable;

/**
 * The buckets of one limit, as one node asks for them.
 *
 * <pre>
 *   take, decide                          on the caller's thread
 *      |  join the key's line; depart if nothing is in flight
 *      v
 *   Node.send ----&gt; owner
 *                     |
 *   landed  &lt;---------+                   on a thread of Hazelcast's
 *      |  tell the waiters
 *      v
 *   depart with who came meanwhile        on the courier, since Hazelcast's threads may not send
 * </pre>
 *
 * <p>A waiter that leaves at its deadline, and is the last to wait for a call, gives the call up, so that a line is never
 * held by an owner that does not answer.
 */
final class HazelcastBuckets implements Buckets {

    /** How often a request is sent again because the owner's clock was not what this node thought. */
    private static final int MAX_FOUND_LATE = 3;

    private final Node node;
    private final String limit;
    private final ConcurrentMap<String, KeyLine> lines = new ConcurrentHashMap<>();
    private volatile Rule rule;

    HazelcastBuckets(Node node, String limit, Rule rule) {
        this.node = node;
        this.limit = limit;
        this.rule = rule;
    }

    @Override
    public Answer take(String key, long permits, long deadlineNanos) {
        node.requireOpen();
        String stored = storedKey(key);
        Waiter.Parked waiter = new Waiter.Parked(
                List.of(new Request.Take(permits)), node.clock().nanoTime() + deadlineNanos);
        submit(stored, waiter);
        if (!waiter.await(node.clock())) {
            expire(stored, waiter, deadlineNanos);
        }
        return waiter.answersOrThrow().get(0);
    }

    @Override
    public CompletableFuture<Answer> takeAsync(String key, long permits, long deadlineNanos) {
        return decide(key, List.of(new Request.Take(permits)), deadlineNanos).thenApply(answers -> answers.get(0));
    }

    @Override
    public CompletableFuture<List<Answer>> decide(String key, List<Request> requests, long deadlineNanos) {
        Buckets.requireBatch(requests);
        String stored = storedKey(key);
        try {
            node.requireOpen();
            Waiter.Promised waiter =
                    new Waiter.Promised(List.copyOf(requests), node.clock().nanoTime() + deadlineNanos, node);
            node.deadlines().watch(waiter, deadlineNanos, late -> expire(stored, late, deadlineNanos));
            submit(stored, waiter);
            return waiter.future();
        } catch (StoreUnavailableException e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    @Override
    public synchronized void change(Rule changed) {
        rule = rule.orNewer(changed);
    }

    /** The same key under two limits is two keys: a limit's name has no colon. */
    private String storedKey(String key) {
        return limit + ':' + StoredKey.wellFormed(key);
    }

    private void submit(String key, Waiter waiter) {
        KeyLine line;
        do {
            line = lines.computeIfAbsent(key, KeyLine::new);
        } while (!line.join(waiter));
        if (node.isClosed()) { // after joining: close() disbands the lines it finds after setting this
            waiter.fail(Node.closedFailure());
        }
        depart(line);
    }

    private void depart(KeyLine line) {
        KeyLine.Flight flight = line.depart(node::nextNumber);
        if (flight != null) {
            node.send(line, flight, rule, (answer, failure) -> landed(line, flight, answer, failure));
        } else if (line.isRetired()) {
            lines.remove(line.key(), line);
        }
    }

    private void landed(KeyLine line, KeyLine.Flight flight, @Nullable CallAnswer answer, @Nullable Throwable failure) {
        if (!line.land(flight)) {
            return; // given up: its waiters have left, and what was granted to them is lost
        }
        if (answer != null && answer.outcome() == CallAnswer.Outcome.DECIDED && answer.state() != null) {
            deliver(line, flight, answer, answer.state());
        } else {
            Throwable problem = answer != null ? refused(answer) : Failures.of(failure);
            flight.waiters().forEach(waiter -> waiter.fail(problem));
        }
        if (line.retireIfIdle()) {
            lines.remove(line.key(), line);
        } else {
            node.onCourier(() -> depart(line));
        }
    }

    private void deliver(KeyLine line, KeyLine.Flight flight, CallAnswer answer, State state) {
        List<Waiter> late = new ArrayList<>(0);
        int next = 0;
        for (Waiter waiter : flight.waiters()) {
            List<Answer> answers = new ArrayList<>(waiter.requests().size());
            for (int i = 0; i < waiter.requests().size(); i++) {
                Verdict verdict = answer.verdicts().get(next++);
                if (verdict != null) {
                    answers.add(Answer.of(verdict, state, answer.ownerNanos(), Source.CLUSTER));
                }
            }
            if (answers.size() == waiter.requests().size()) {
                waiter.answer(answers);
            } else if (waiter.isWaiting()) {
                late.add(waiter);
            }
        }
        if (!late.isEmpty()) {
            sendAgain(line, late);
        }
    }

    /**
     * The owner found requests late that are still waited for: its clock is not what this node thought. The refusal has
     * just brought its time, so that they go again under the next number.
     */
    private void sendAgain(KeyLine line, List<Waiter> late) {
        List<Waiter> again = new ArrayList<>(late.size());
        for (Waiter waiter : late) {
            if (waiter.countFoundLate() <= MAX_FOUND_LATE) {
                again.add(waiter);
            } else {
                waiter.fail(new StoreUnavailableException(
                        Reason.UNREACHABLE, "the owner's clock jumps: it found every try late", null));
            }
        }
        if (!line.rejoin(again)) { // somebody found it idle since the call landed
            again.forEach(waiter -> node.onCourier(() -> submit(line.key(), waiter)));
        }
    }

    /** A deadline has passed: the waiter leaves, and a call that nobody waits for any more is given up. */
    private void expire(String key, Waiter waiter, long deadlineNanos) {
        waiter.fail(new StoreUnavailableException(
                Reason.DEADLINE, "no answer within " + Duration.ofNanos(deadlineNanos), null));
        KeyLine line = lines.get(key);
        if (line != null) {
            line.giveUpExpired(node.clock().nanoTime());
            node.onCourier(() -> depart(line)); // not here: Hazelcast may hold up whoever sends (back pressure)
        }
    }

    private RuntimeException refused(CallAnswer answer) {
        return switch (answer.outcome()) {
            case NOT_OWNER ->
                new StoreUnavailableException(
                        Reason.UNREACHABLE, "the owner slept, and waits for its membership to be confirmed", null);
            case FAILED ->
                new IllegalStateException("deciding on limit " + limit + " failed on the owner: " + answer.problem());
            case SUPERSEDED, DECIDED ->
                new IllegalStateException("the owner answered " + answer.outcome()
                        + " to the call in flight: two stores share one identity, or numbers went back");
        };
    }

    /** Ends every wait. */
    void close() {
        for (KeyLine line : lines.values()) {
            line.disband().forEach(waiter -> waiter.fail(Node.closedFailure()));
        }
        lines.clear();
    }

    /** How many keys somebody waits for. */
    int lines() {
        return lines.size();
    }
}
