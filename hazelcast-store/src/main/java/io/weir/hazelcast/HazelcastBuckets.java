package io.weir.hazelcast;

import io.weir.algorithm.Request;
import io.weir.algorithm.Rule;
import io.weir.algorithm.State;
import io.weir.algorithm.Verdict;
import io.weir.store.Answer;
import io.weir.store.Buckets;
import io.weir.store.LastKnown;
import io.weir.store.LeaseCounts;
import io.weir.store.Source;
import io.weir.store.StoreUnavailableException;
import io.weir.store.StoreUnavailableException.Reason;
import io.weir.store.StoredKey;
import io.weir.store.Trial;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Supplier;
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

    /**
     * Beyond so many lines, those that nobody waits in are dropped at once unless they hold a lease: their keys are decided
     * by the owner each time.
     */
    static final int MAX_REMEMBERED = 32_768;

    private static final Duration SAY_LOST_INTERVAL = Duration.ofSeconds(10);

    /** For those who want the answer itself. */
    static final Receiver<Answer> ANSWER = (key, permits, answer) -> answer;

    private static final System.Logger LOG = System.getLogger(HazelcastStore.class.getName());

    private final Node node;
    private final String limit;
    private final Remembering remembering;
    private final LeaseTotals leases = new LeaseTotals();
    private final ConcurrentHashMap<String, KeyLine> lines = new ConcurrentHashMap<>();
    private final LastHeard lastHeard = new LastHeard();
    private volatile Rule rule;

    /** Of keys that have one of their own. */
    private final ConcurrentHashMap<String, Rule> rulesOfKeys = new ConcurrentHashMap<>();

    // For who tends: what could not be given back, and has not been spoken of.
    private double lost;
    private long sayLostNotBeforeNanos = Long.MIN_VALUE;

    HazelcastBuckets(Node node, String limit, Rule rule, Remembering remembering) {
        this.node = node;
        this.limit = limit;
        this.rule = rule;
        this.remembering = remembering;
    }

    @Override
    public Answer take(String key, long permits, long deadlineNanos) {
        return take(key, permits, deadlineNanos, ANSWER);
    }

    @Override
    public <R> R take(String key, long permits, long deadlineNanos, Receiver<R> receiver) {
        node.requireOpen();
        long now = node.clock().nanoTime();
        R known = fromMemory(key, permits, now, receiver);
        if (known != null) {
            return known;
        }
        node.requireAnswering(() -> storedKey(key), deadlineNanos);
        Waiter.Parked waiter = new Waiter.Parked(List.of(new Request.Take(permits)), now + deadlineNanos);
        submit(key, waiter);
        if (!waiter.await(node.clock())) {
            expire(key, waiter, deadlineNanos);
        }
        return receiver.answered(key, permits, waiter.answersOrThrow().get(0));
    }

    @Override
    public CompletableFuture<Answer> takeAsync(String key, long permits, long deadlineNanos) {
        long now = node.clock().nanoTime();
        Answer known = node.isClosed() ? null : fromMemory(key, permits, now, ANSWER);
        return known != null
                ? CompletableFuture.completedFuture(known)
                : decide(key, List.of(new Request.Take(permits)), deadlineNanos, now)
                        .thenApply(answers -> answers.get(0));
    }

    /**
     * The hot path. One look-up of the key, the one reading of the clock before it, and for a grant one compare-and-set; no
     * lock, no message. What the receiver makes of it is all that is allocated: of a decision, its 72 bytes. Nothing else is
     * made, so that there is nothing for the JIT to remove.
     */
    private <R> @Nullable R fromMemory(String key, long permits, long nowNanos, Receiver<R> receiver) {
        KeyLine line = lines.get(StoredKey.of(key));
        if (line == null) {
            return null;
        }
        Memory memory = line.memory();
        if (!memory.spend(permits, nowNanos)) {
            return memory.denied(key, permits, nowNanos, receiver);
        }
        if (memory.borrower().isRunningLow(nowNanos)) {
            departSoon(line, nowNanos); // ahead of need, and not on the way of this request
        }
        return memory.granted(key, permits, nowNanos, receiver);
    }

    @Override
    public CompletableFuture<List<Answer>> decide(String key, List<Request> requests, long deadlineNanos) {
        Buckets.requireBatch(requests);
        Objects.requireNonNull(key, "key");
        return decide(key, requests, deadlineNanos, node.clock().nanoTime());
    }

    private CompletableFuture<List<Answer>> decide(
            String key, List<Request> requests, long deadlineNanos, long nowNanos) {
        try {
            node.requireOpen();
            node.requireAnswering(() -> storedKey(key), deadlineNanos);
            return promised(key, requests, deadlineNanos, nowNanos, null).future();
        } catch (StoreUnavailableException e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    private Waiter.Promised promised(
            String key, List<Request> requests, long deadlineNanos, long nowNanos, @Nullable Consumer<Answer> owe) {
        Waiter.Promised waiter = new Waiter.Promised(List.copyOf(requests), nowNanos + deadlineNanos, node, owe);
        node.deadlines().watch(waiter, deadlineNanos, late -> expire(key, late, deadlineNanos));
        submit(key, waiter);
        return waiter;
    }

    @Override
    public Optional<Answer> knownDenial(String key, long permits) {
        KeyLine line = node.isClosed() ? null : lines.get(StoredKey.of(key));
        long now = node.clock().nanoTime();
        return line == null || line.memory().lease().held() >= permits
                ? Optional.empty()
                : Optional.ofNullable(line.memory().denied(key, permits, now, ANSWER));
    }

    @Override
    public Trial tryOut(String key, long permits, long deadlineNanos) {
        return tryOut(key, new Request.Take(permits), deadlineNanos);
    }

    private Trial tryOut(String key, Request request, long deadlineNanos) {
        long permits = request.permits();
        try {
            node.requireOpen();
            long now = node.clock().nanoTime();
            Trial known = outOfLease(key, permits, now);
            if (known == null && request instanceof Request.Take) { // a denial of now says nothing of later
                known = deniedFromMemory(key, permits, now);
            }
            if (known != null) {
                return known;
            }
            node.requireAnswering(() -> storedKey(key), deadlineNanos);
            Consumer<Answer> owe = granted -> owe(StoredKey.of(key), () -> storedKey(key), request, granted);
            return new OwnersTrial(promised(key, List.of(request), deadlineNanos, now, owe));
        } catch (StoreUnavailableException e) {
            return Trial.of(CompletableFuture.failedFuture(e), granted -> {});
        }
    }

    @Override
    public Trial reserve(String key, long permits, long longestWaitNanos, long deadlineNanos) {
        return tryOut(key, new Request.Reserve(permits, longestWaitNanos), deadlineNanos);
    }

    private @Nullable Trial deniedFromMemory(String key, long permits, long nowNanos) {
        KeyLine line = lines.get(StoredKey.of(key));
        Answer denied = line == null ? null : line.memory().denied(key, permits, nowNanos, ANSWER);
        return denied == null ? null : Trial.of(CompletableFuture.completedFuture(denied), granted -> {});
    }

    private @Nullable Trial outOfLease(String key, long permits, long nowNanos) {
        KeyLine line = lines.get(StoredKey.of(key));
        if (line == null) {
            return null;
        }
        Memory memory = line.memory();
        int looks = memory.lease().looks();
        if (!memory.spend(permits, nowNanos)) {
            return null;
        }
        if (memory.borrower().isRunningLow(nowNanos)) {
            departSoon(line, nowNanos);
        }
        Answer leased = memory.granted(key, permits, nowNanos, ANSWER);
        return Trial.of(CompletableFuture.completedFuture(leased), granted -> {
            if (!line.putBack(permits, looks, node.clock().nanoTime())) {
                owe(line.name(), line::key, new Request.Take(permits), granted);
            }
        });
    }

    /** Permits that were granted on trial go back with the next call. */
    private void owe(String name, Supplier<String> storedKey, Request request, Answer granted) {
        long now = node.clock().nanoTime();
        KeyLine line;
        do {
            if (node.isClosed()) {
                return; // with everything else that is not settled by then
            }
            line = lines.computeIfAbsent(name, any -> newLine(name, storedKey.get(), now));
        } while (!line.owe(request, granted));
        departSoon(line, now);
    }

    @Override
    public void change(Rule changed) {
        synchronized (this) {
            rule = rule.orNewer(changed);
        }
        lines.values().forEach(line -> line.memory().forgetDenial());
    }

    /** Not on the way of a request that is answered from memory: what is remembered of another rule is forgotten here. */
    @Override
    public void override(String storedKey, @Nullable Rule own) {
        if (own == null) {
            rulesOfKeys.remove(storedKey);
            return;
        }
        rulesOfKeys.merge(storedKey, own, Rule::orNewer);
        if (storedKey.length() <= StoredKey.MAX_LITERAL_LENGTH) {
            KeyLine line = lines.get(storedKey);
            if (line != null) {
                line.memory().forgetDenial();
            }
        } else { // a line may have another name: a look at all of them, for a key that hardly anybody has
            lines.values().forEach(line -> line.memory().forgetDenial());
        }
    }

    private Rule ruleOf(KeyLine line) {
        if (rulesOfKeys.isEmpty()) {
            return rule;
        }
        Rule own = rulesOfKeys.get(StoredKey.wellFormedOf(line.name()));
        Rule all = rule;
        // One that is older was said of a definition that is in force no more: in a store that outlives who was built
        // on it.
        return own == null || own.version() < all.version() ? all : own;
    }

    @Override
    public long held(String key) {
        KeyLine line = lines.get(StoredKey.of(key));
        return line == null ? 0 : line.memory().borrower().lease().held();
    }

    @Override
    public Optional<LastKnown> lastKnown(String key) {
        String name = StoredKey.of(key);
        KeyLine line = lines.get(name);
        Balance inLine = line == null ? null : line.memory().balance();
        Balance known = inLine == null ? lastHeard.of(name) : inLine;
        long now = node.clock().nanoTime();
        return known == null
                ? Optional.empty()
                : Optional.of(new LastKnown(known.state(), Math.max(0, now - known.receivedNanos())));
    }

    @Override
    public LeaseCounts leases() {
        return leases.counts();
    }

    private void submit(String key, Waiter waiter) {
        submitTo(StoredKey.of(key), () -> storedKey(key), waiter);
    }

    /** The same key under two limits is two keys: a limit's name has no colon. */
    private String storedKey(String key) {
        return limit + ':' + StoredKey.wellFormed(key);
    }

    private void submitTo(String name, Supplier<String> storedKey, Waiter waiter) {
        long now = node.clock().nanoTime();
        KeyLine line;
        do {
            line = lines.get(name);
            if (line == null) {
                line = lines.computeIfAbsent(name, any -> newLine(name, storedKey.get(), now));
            }
        } while (!line.join(waiter));
        if (node.isClosed()) { // after joining: close() disbands the lines it finds after setting this
            waiter.fail(Node.closedFailure());
        }
        depart(line);
    }

    private KeyLine newLine(String name, String storedKey, long nowNanos) {
        return new KeyLine(name, storedKey, new Memory(remembering, leases, nowNanos));
    }

    private void depart(KeyLine line) {
        long now = node.clock().nanoTime();
        line.serve(now).forEach(served -> deliver(line, served.waiter(), List.of(served.answer())));
        KeyLine.Flight flight = line.depart(node::nextNumber, ruleOf(line), now);
        if (flight != null) {
            node.send(line, flight, (answer, failure) -> landed(line, flight, answer, failure));
        } else {
            retireIfIdle(line, now);
        }
    }

    private void retireIfIdle(KeyLine line, long nowNanos) {
        if (line.retireIfIdle(lines.mappingCount() > MAX_REMEMBERED, nowNanos)) {
            keepBalance(line, nowNanos); // first: there is never a moment at which it is not known
            lines.remove(line.name(), line);
        }
    }

    private void keepBalance(KeyLine line, long nowNanos) {
        if (remembering != Remembering.NOTHING) {
            lastHeard.keep(line.name(), line.memory().balance(), nowNanos);
        }
    }

    private void landed(KeyLine line, KeyLine.Flight flight, @Nullable CallAnswer answer, @Nullable Throwable failure) {
        long now = node.clock().nanoTime();
        if (!line.land(flight, answer, now)) {
            return; // given up: its waiters have left, and what was granted to them is lost (L7)
        }
        if (!flight.rule()
                .equals(ruleOf(line))) { // read after landing, as change() forgets after it has put the rule in force
            line.memory().forgetDenial();
        }
        boolean boards = line.boardAfter(flight, now);
        try {
            tell(line, flight, answer, failure);
        } finally {
            if (boards || line.boardAfter(flight, now)) { // who was found late has queued up again, say
                departByCourier(line);
            } else {
                retireIfIdle(line, now);
            }
        }
    }

    private void departSoon(KeyLine line, long nowNanos) {
        if (line.board(nowNanos)) {
            departByCourier(line);
        }
    }

    private void departByCourier(KeyLine line) {
        node.onCourier(() -> {
            line.closeDoors();
            depart(line);
        });
    }

    private void tell(KeyLine line, KeyLine.Flight flight, @Nullable CallAnswer answer, @Nullable Throwable failure) {
        if (answer != null && answer.outcome() == CallAnswer.Outcome.DECIDED && answer.state() != null) {
            deliver(line, flight, answer, answer.state());
        } else {
            Throwable problem = answer != null ? refused(answer) : Failures.of(failure);
            flight.waiters().forEach(waiter -> waiter.fail(problem));
        }
    }

    private void deliver(KeyLine line, KeyLine.Flight flight, CallAnswer answer, State state) {
        List<Waiter> late = new ArrayList<>(0);
        List<Request> inTime = new ArrayList<>(answer.verdicts().size());
        List<Verdict> verdicts = new ArrayList<>(answer.verdicts().size());
        int next = 0;
        for (Waiter waiter : flight.waiters()) {
            for (Request request : waiter.requests()) {
                Verdict verdict = answer.verdicts().get(next++);
                if (verdict != null) {
                    inTime.add(request);
                    verdicts.add(verdict);
                }
            }
        }
        Iterator<Answer> decided = Answer.of(verdicts, inTime, state, answer.ownerNanos(), Source.CLUSTER)
                .iterator();
        next = 0;
        for (Waiter waiter : flight.waiters()) {
            List<Answer> answers = new ArrayList<>(waiter.requests().size());
            for (Request request : waiter.requests()) {
                if (answer.verdicts().get(next++) != null) {
                    answers.add(line.memory().completed(decided.next(), request.permits()));
                }
            }
            if (answers.size() == waiter.requests().size()) {
                deliver(line, waiter, answers);
            } else if (waiter.isWaiting()) {
                late.add(waiter);
            }
        }
        if (!late.isEmpty()) {
            sendAgain(line, late);
        }
    }

    private void deliver(KeyLine line, Waiter waiter, List<Answer> answers) {
        if (!waiter.answer(answers) && waiter.isOnTrial() && answers.get(0).verdict() == Verdict.GRANTED) {
            owe(line.name(), line::key, waiter.requests().get(0), answers.get(0)); // it has left, and its trial with it
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
            again.forEach(waiter -> node.onCourier(() -> submitTo(line.name(), line::key, waiter)));
        }
    }

    /** A deadline has passed: the waiter leaves, and a call that nobody waits for any more is given up. */
    private void expire(String key, Waiter waiter, long deadlineNanos) {
        waiter.fail(new StoreUnavailableException(
                Reason.DEADLINE, "no answer within " + Duration.ofNanos(deadlineNanos), null));
        KeyLine line = lines.get(StoredKey.of(key));
        if (line != null) {
            long now = node.clock().nanoTime();
            KeyLine.Flight givenUp = line.giveUpExpired(now);
            if (givenUp != null) {
                node.gaveUp(line, givenUp, now);
            }
            departSoon(line, now); // not here: Hazelcast may hold up whoever sends (back pressure)
        }
    }

    /**
     * Looks after leases: renews what is in use, gives back what is not, lets go of what has expired, and forgets keys that
     * are not asked for any more. To be called several times in the life of a lease, from one thread.
     */
    void tend() {
        long now = node.clock().nanoTime();
        for (KeyLine line : lines.values()) {
            lost += line.takeLost();
            if (line.tend(now)) {
                depart(line);
            } else {
                retireIfIdle(line, now);
            }
        }
        lastHeard.sweep(now);
        sayWhatIsLost(now);
    }

    private void sayWhatIsLost(long nowNanos) {
        if (lost > 0 && nowNanos >= sayLostNotBeforeNanos) {
            LOG.log(
                    System.Logger.Level.WARNING,
                    "Up to {0} permits of limit \"{1}\", for requests that another limit denied or that nobody waits for any"
                            + " more, may stay charged: their owners did not answer for {2}.",
                    lost,
                    limit,
                    Corrections.LIFE);
            lost = 0;
            sayLostNotBeforeNanos = nowNanos + SAY_LOST_INTERVAL.toNanos();
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

    /**
     * Ends every wait, and sends back what is leased.
     *
     * @param mayReturn asked before each return; what is not sent expires
     * @param returned told of the end of each return that was sent
     */
    void close(BooleanSupplier mayReturn, Runnable returned) {
        for (KeyLine line : lines.values()) {
            long now = node.clock().nanoTime();
            line.disband(now).forEach(waiter -> waiter.fail(Node.closedFailure()));
            keepBalance(line, now); // shares go on from there
            KeyLine.Flight flight = line.lastReturn(node::nextNumber, ruleOf(line), now);
            if (flight != null && mayReturn.getAsBoolean()) {
                node.send(line, flight, (answer, failure) -> returned.run());
            }
        }
        lines.clear();
    }

    /** How many keys are remembered or waited for. */
    int lines() {
        return lines.size();
    }
}
