package io.weir;

import io.weir.algorithm.Request;
import io.weir.algorithm.Rule;
import io.weir.algorithm.State;
import io.weir.store.Answer;
import io.weir.store.Buckets;
import io.weir.store.LastKnown;
import io.weir.store.Leasing;
import io.weir.store.LocalStore;
import io.weir.store.OwnerHealth;
import io.weir.store.Source;
import io.weir.store.Store;
import io.weir.store.StoreUnavailableException;
import io.weir.store.StoreUnavailableException.Reason;
import io.weir.store.Trial;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** A local store that fails when a test says so, by the rules of the SPI. */
final class FaultyStore implements Store {

    private final AtomicLong nowNanos;
    private OptionalInt nodes;
    private final LocalStore working;
    private final List<CompletableFuture<?>> hanging = new ArrayList<>();
    private @Nullable RuntimeException fault;
    private boolean throwsAtOnce;
    private boolean hangs;
    private boolean late;
    private Source source = Source.LOCAL;
    private final Map<String, State> heard = new ConcurrentHashMap<>();
    private final Map<String, Long> heardAtNanos = new ConcurrentHashMap<>();
    private final List<Request.Charge> charges = new CopyOnWriteArrayList<>();
    private @Nullable RuntimeException chargeFault;
    private @Nullable RuntimeException nextChargeFault;
    private List<OwnerHealth> owners = List.of();

    FaultyStore(AtomicLong nowNanos, OptionalInt nodes) {
        this.nowNanos = nowNanos;
        this.nodes = nodes;
        this.working = LocalStore.create(nowNanos::get, 1_000);
    }

    /** From now on, this is how many nodes it knows of. */
    void knowsOf(OptionalInt known) {
        nodes = known;
    }

    /** What the members that own its buckets are like. */
    void ownedBy(OwnerHealth... members) {
        owners = List.of(members);
    }

    /** From now on, every charge fails with this, whatever else does; null to end that. */
    void failChargesWith(@Nullable RuntimeException thrown) {
        chargeFault = thrown;
    }

    /** The next charge, and no other, fails with this. */
    void failNextChargeWith(RuntimeException thrown) {
        nextChargeFault = thrown;
    }

    /** Every charge that it was asked for. */
    List<Request.Charge> charges() {
        return charges;
    }

    /** What it holds of a key, whatever it says to callers. */
    long held(String limit, Rule rule, String key) {
        return working.buckets(limit, rule).take(key, 0, 1).state().level(0);
    }

    /** From now on, every call fails with this. */
    void failWith(RuntimeException thrown) {
        fault = thrown;
    }

    /** From now on, every call throws this, also those whose futures should fail. */
    void throwAtOnce(RuntimeException thrown) {
        fault = thrown;
        throwsAtOnce = true;
    }

    /** From now on, no call is answered before its deadline. */
    void hang() {
        hangs = true;
    }

    /** From now on, what is taken is charged, and its answer comes too late. */
    void answerLate() {
        late = true;
    }

    /** How many futures hang. */
    int hanging() {
        return hanging.size();
    }

    /** The deadline of every future that hangs. */
    void reachDeadlines() {
        hanging.forEach(future -> future.completeExceptionally(deadline()));
    }

    /** From now on, whatever it answers comes from there. */
    void answerFrom(Source place) {
        source = place;
    }

    private Answer told(String key, Answer answer) {
        heard.put(key, answer.state());
        heardAtNanos.put(key, nowNanos.get());
        return source == Source.LOCAL ? answer : Answer.of(answer.verdict(), answer.state(), answer.nowNanos(), source);
    }

    void recover() {
        fault = null;
        throwsAtOnce = false;
        hangs = false;
        late = false;
    }

    @Override
    public Buckets buckets(String limit, Rule rule, Leasing leasing) {
        Buckets buckets = working.buckets(limit, rule, leasing);
        return new Buckets() {
            @Override
            public Answer take(String key, long permits, long deadlineNanos) {
                if (fault != null) {
                    throw fault;
                }
                if (hangs) {
                    nowNanos.addAndGet(deadlineNanos);
                    throw deadline();
                }
                Answer answer = buckets.take(key, permits, deadlineNanos);
                if (late) {
                    throw deadline();
                }
                return told(key, answer);
            }

            @Override
            public CompletableFuture<Answer> takeAsync(String key, long permits, long deadlineNanos) {
                return unlessFaulty(
                        () -> buckets.takeAsync(key, permits, deadlineNanos).thenApply(answer -> told(key, answer)));
            }

            /** Of a thread that waits: if it hangs, the deadline passes. */
            @Override
            public Trial reserve(String key, long permits, long longestWaitNanos, long deadlineNanos) {
                CompletableFuture<Answer> answer = new CompletableFuture<>();
                try {
                    answer.complete(take(key, permits, deadlineNanos));
                } catch (RuntimeException e) {
                    answer.completeExceptionally(e);
                }
                return Trial.of(answer, granted -> {});
            }

            @Override
            public CompletableFuture<List<Answer>> decide(String key, List<Request> requests, long deadlineNanos) {
                if (requests.get(0) instanceof Request.Charge charge) {
                    charges.add(charge);
                    RuntimeException thrown = nextChargeFault == null ? chargeFault : nextChargeFault;
                    nextChargeFault = null;
                    if (thrown != null) {
                        return CompletableFuture.failedFuture(thrown);
                    }
                }
                return unlessFaulty(() -> buckets.decide(key, requests, deadlineNanos));
            }

            @Override
            public Optional<LastKnown> lastKnown(String key) {
                State state = heard.get(key);
                return state == null
                        ? Optional.empty()
                        : Optional.of(new LastKnown(state, nowNanos.get() - heardAtNanos.getOrDefault(key, 0L)));
            }

            @Override
            public void change(Rule changed) {
                buckets.change(changed);
            }

            @Override
            public void override(String storedKey, @Nullable Rule rule) {
                buckets.override(storedKey, rule);
            }
        };
    }

    private <T> CompletableFuture<T> unlessFaulty(Supplier<CompletableFuture<T>> call) {
        if (fault != null) {
            if (throwsAtOnce) {
                throw fault;
            }
            return CompletableFuture.failedFuture(fault);
        }
        if (hangs) {
            CompletableFuture<T> future = new CompletableFuture<>();
            hanging.add(future);
            return future;
        }
        return call.get();
    }

    /** Known before a request leaves: an open breaker's answer. */
    static StoreUnavailableException unreachable() {
        return StoreUnavailableException.beforeSending(Reason.UNREACHABLE, "the owner left");
    }

    private static StoreUnavailableException deadline() {
        return new StoreUnavailableException(Reason.DEADLINE, "no answer in time", null);
    }

    @Override
    public OptionalInt nodes() {
        return nodes;
    }

    @Override
    public List<OwnerHealth> owners() {
        return owners;
    }

    @Override
    public void close() {
        working.close();
    }
}
