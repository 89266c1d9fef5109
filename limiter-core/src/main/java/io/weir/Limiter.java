package io.weir;

import io.weir.algorithm.Verdict;
import io.weir.store.Answer;
import io.weir.store.Buckets;
import io.weir.store.Directive;
import io.weir.store.NanoClock;
import io.weir.store.Source;
import io.weir.store.StoreUnavailableException;
import io.weir.store.StoredKey;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;

/**
 * Asks one limit. Thread-safe; get it once from {@link Weir#limiter} and keep it.
 *
 * <p>Every call is answered by the limit's deadline at the latest: by the owner of the bucket or, where that did not
 * answer in time, by the limit's {@link FailurePolicy}. A key is any string; keys are counted apart. Only mistakes are
 * thrown: a null key is a {@link NullPointerException}, a negative number of permits an
 * {@link IllegalArgumentException}, and neither is charged or counted.
 */
public final class Limiter {

    private static final System.Logger LOG = System.getLogger(Limiter.class.getName());

    private final Buckets buckets;
    private final Returns returns;
    private final Shares shares;
    private final Outage outage;
    private final Meters.@Nullable OfLimit meters;
    private final @Nullable WatchedKeys keys;

    /** Whether calls of the store are timed: not if it decides in memory, in less time than it takes to read a clock. */
    private final boolean timed;

    private final NanoClock clock;
    private final Pause pause;

    /** Also holds on to what follows the directives about this limit, for as long as somebody asks it. */
    private final LiveLimits live;

    private final Blocks blocks = new Blocks();
    private final Overrides overrides;

    /** Null unless they are to be remembered. */
    private final @Nullable LastDecisions last;

    private volatile Asked asked;
    private volatile boolean on = true;

    /**
     * @param remote whether asking {@code buckets} may leave the memory of this JVM
     */
    Limiter(
            Limit limit,
            Buckets buckets,
            boolean remote,
            Shares shares,
            @Nullable Meters meters,
            @Nullable WatchedKeys keys,
            NanoClock clock,
            Pause pause,
            LiveLimits live,
            @Nullable LastDecisions last) {
        this.live = live;
        this.last = last;
        this.returns = Returns.to(buckets);
        this.asked = new Asked(limit, returns);
        this.overrides = new Overrides(limit, buckets, returns);
        this.buckets = buckets;
        this.shares = shares;
        this.keys = keys;
        this.meters =
                meters == null ? null : new GuardedMeters(limit.name(), meters.of(limit.name(), limit.failurePolicy()));
        if (this.meters != null) {
            this.meters.leases(buckets::leases);
            this.meters.headroom(keys == null ? () -> Double.NaN : keys::headroom);
        }
        this.timed = meters != null && remote;
        this.outage = new Outage(limit, clock, this.meters);
        this.clock = clock;
        this.pause = pause;
    }

    /** The limit as it is now. */
    public Limit limit() {
        return asked.limit();
    }

    /** Asks for one permit. */
    public Decision tryAcquire(String key) {
        return tryAcquire(key, 1);
    }

    /**
     * Asks for permits: all of them, or none is charged. Never waits for permits, and for the answer no longer than the
     * limit's deadline.
     *
     * @param key who asks
     * @param permits how many; zero is a {@linkplain #peek peek}
     * @throws IllegalArgumentException if {@code permits} is negative
     */
    public Decision tryAcquire(String key, long permits) {
        return count(key, ask(key, permits));
    }

    /** Asks for one permit without waiting for the answer. */
    public CompletableFuture<Decision> tryAcquireAsync(String key) {
        return tryAcquireAsync(key, 1);
    }

    /**
     * {@link #tryAcquire(String, long)} without waiting for the answer.
     *
     * @return completes by the limit's deadline, on a thread of the store's executor for continuations or, if the answer
     *     was there at once, on the caller's; exceptionally only if the store has a bug
     * @throws IllegalArgumentException at once, if {@code permits} is negative
     */
    public CompletableFuture<Decision> tryAcquireAsync(String key, long permits) {
        return askAsync(key, permits)
                .thenApply(keys == null && last == null ? this::meter : decision -> count(key, decision));
    }

    /**
     * What {@link #tryAcquire} would find: the balance of a key. Free, creates nothing, and is always
     * {@linkplain Decision#granted() granted}, also while nothing remains.
     */
    public Decision peek(String key) {
        return ask(key, 0);
    }

    /** {@link #peek} without waiting for the answer. */
    public CompletableFuture<Decision> peekAsync(String key) {
        return askAsync(key, 0);
    }

    /**
     * Asks for permits and waits until they are granted, if that can be within {@code longestWait}.
     *
     * <p>Gives up at once, without sleeping, when the wait could not be met: more is asked for than the capacity, the
     * permits return too late, or nobody can say when they return. Callers that wait for one key are not served in any
     * order.
     *
     * @param key who asks
     * @param permits how many
     * @param longestWait how long to wait for permits, zero or more; the last answer may take the limit's deadline longer
     * @return the last decision: granted, or the denial that could not be waited out
     * @throws InterruptedException if the thread is interrupted before or while it waits; nothing is charged then
     * @throws IllegalArgumentException if {@code permits} or {@code longestWait} is negative
     */
    public Decision acquire(String key, long permits, Duration longestWait) throws InterruptedException {
        Objects.requireNonNull(longestWait, "longestWait");
        if (longestWait.isNegative()) {
            throw new IllegalArgumentException("longestWait must not be negative but is " + longestWait);
        }
        long began = clock.nanoTime();
        while (true) {
            if (Thread.interrupted()) {
                throw new InterruptedException("interrupted while waiting for permits of limit " + limit().name());
            }
            Decision decision = ask(key, permits);
            Duration wait = decision.retryAfter().orElse(null);
            Duration waited = Duration.ofNanos(clock.nanoTime() - began);
            if (wait == null || waited.plus(wait).compareTo(longestWait) > 0) {
                return count(key, decision); // the denials that were waited out were not the caller's
            }
            pause.sleep(wait);
        }
    }

    /**
     * The kill switch: from now on every request is granted without being counted, until {@link #switchOn()}. On this
     * node only.
     */
    public void switchOff() {
        on = false;
        LOG.log(System.Logger.Level.WARNING, "Limit \"{0}\" is switched off: everything is granted.", limit().name());
    }

    /** Ends {@link #switchOff()}. */
    public void switchOn() {
        on = true;
        LOG.log(System.Logger.Level.INFO, "Limit \"{0}\" is switched on.", limit().name());
    }

    /** Whether the limit is enforced, rather than switched off. */
    public boolean isOn() {
        return on;
    }

    /** Whether the failure policy has been answering lately, at least for some keys; {@link #health} says why. */
    public boolean isDegraded() {
        return outage.ongoing();
    }

    /** How this limit stands on this node. */
    public LimitHealth health() {
        return outage.health();
    }

    /**
     * The keys that asked this node for most over the last 30 to 60 seconds.
     *
     * @param n how many at most, zero or more
     * @return the busiest first; none unless keys are {@linkplain Weir.Builder#watchKeys watched}, or once the {@link Weir} is
     *     closed
     * @throws IllegalArgumentException if {@code n} is negative
     */
    public List<BusyKey> busiestKeys(int n) {
        if (n < 0) {
            throw new IllegalArgumentException("n must not be negative but is " + n);
        }
        return keys == null ? List.of() : keys.busiest(n);
    }

    /** Does what does not wait for a request. To be called a few times a second, from one thread. */
    void tend() {
        try {
            outage.tend();
        } finally { // whatever meters throw
            shares.tend(!outage.isUnanswered(), limit().deadlineNanos());
            long now = clock.nanoTime();
            blocks.tend(now);
            live.everywhere().tend(now);
        }
    }

    /** {@link #tend} for the keys that are watched. */
    void tendKeys() {
        if (keys != null) {
            keys.tend();
        }
    }

    /** Watches no keys any more. */
    void forgetKeys() {
        if (keys != null) {
            keys.close();
        }
    }

    /** Keys that are denied under this limit. */
    Blocks blocks() {
        return blocks;
    }

    /** Keys that have numbers of their own. */
    Overrides overrides() {
        return overrides;
    }

    /** What is known of a key; asks its owner. */
    KeyLook look(String key, @Nullable Directive override) {
        return new KeyLook(
                peek(key),
                Duration.ofNanos(blockedNanos(key, 1)),
                override,
                buckets.held(key),
                buckets.lastKnown(key).orElse(null),
                last == null ? List.of() : last.of(key));
    }

    /** Fills a key's bucket. What is leased is out still, and the bucket stays short of its capacity by that. */
    CompletableFuture<Void> reset(String key, long deadlineNanos) {
        Objects.requireNonNull(key, "key");
        return returns.giveBack(key, Long.MAX_VALUE, deadlineNanos);
    }

    /** Puts other numbers in force on this node. */
    void change(Limit changed) {
        overrides.change(changed); // first: it may refuse
        asked = new Asked(changed, returns);
        buckets.change(changed.rule());
    }

    private Decision ask(String key, long permits) {
        requireArguments(key, permits);
        Asked present = askedUnder(key);
        Limit limit = present.limit();
        if (!on) {
            return Decision.uncounted(limit, permits, Verdict.GRANTED, Source.SWITCHED_OFF);
        }
        long blockedNanos = blockedNanos(key, permits);
        if (blockedNanos > 0) {
            return Decision.blocked(limit, permits, blockedNanos);
        }
        long began = timed ? clock.nanoTime() : 0;
        try {
            return answered(buckets.take(key, permits, limit.deadlineNanos(), present), began);
        } catch (StoreUnavailableException failure) {
            return failed(limit, key, permits, failure, began);
        }
    }

    private CompletableFuture<Decision> askAsync(String key, long permits) {
        requireArguments(key, permits);
        Asked present = askedUnder(key);
        Limit limit = present.limit();
        if (!on) {
            return CompletableFuture.completedFuture(
                    Decision.uncounted(limit, permits, Verdict.GRANTED, Source.SWITCHED_OFF));
        }
        long blockedNanos = blockedNanos(key, permits);
        if (blockedNanos > 0) {
            return CompletableFuture.completedFuture(Decision.blocked(limit, permits, blockedNanos));
        }
        long began = timed ? clock.nanoTime() : 0;
        CompletableFuture<Answer> asking;
        try {
            asking = buckets.takeAsync(key, permits, limit.deadlineNanos());
        } catch (StoreUnavailableException failure) { // a store should not; but an outage is an outage
            return CompletableFuture.completedFuture(failed(limit, key, permits, failure, began));
        }
        return asking.handle((answer, thrown) -> {
            if (thrown == null) {
                return answered(present.answered(key, permits, answer), began);
            }
            Throwable cause =
                    thrown instanceof CompletionException && thrown.getCause() != null ? thrown.getCause() : thrown;
            if (cause instanceof StoreUnavailableException failure) {
                return failed(limit, key, permits, failure, began);
            }
            throw cause instanceof RuntimeException bug ? bug : new CompletionException(cause);
        });
    }

    /** For how long a request is still to be denied unasked; zero if it is not. A peek takes nothing, and may look. */
    private long blockedNanos(String key, long permits) {
        if (permits == 0 || (blocks.isEmpty() && live.everywhere().isEmpty())) {
            return 0;
        }
        String stored = StoredKey.wellFormed(key);
        long now = clock.nanoTime();
        return Math.max(blocks.leftNanos(stored, now), live.everywhere().leftNanos(stored, now));
    }

    private Asked askedUnder(String key) {
        Asked own = overrides.isEmpty() ? null : overrides.of(key);
        return own == null ? asked : own;
    }

    private Decision answered(Decision decision, long began) {
        Source source = decision.source();
        if (meters != null && timed && source == Source.CLUSTER) { // all others are from memory
            meters.storeAsked(true, clock.nanoTime() - began);
        }
        if (source == Source.CLUSTER || source == Source.LOCAL) { // what this node remembers says nothing about owners
            outage.answered();
        }
        return decision;
    }

    private Decision failed(Limit limit, String key, long permits, StoreUnavailableException failure, long began) {
        if (meters != null && timed) {
            meters.storeAsked(false, clock.nanoTime() - began);
        }
        outage.failed(failure);
        if (permits > limit.smallestCapacity()) {
            return Decision.uncounted(limit, permits, Verdict.NEVER, Source.POLICY); // with or without an owner (I5)
        }
        return switch (limit.failurePolicy()) {
            case DENY ->
                Decision.uncounted(limit, permits, permits == 0 ? Verdict.GRANTED : Verdict.DENIED, Source.POLICY);
            case GRANT -> Decision.uncounted(limit, permits, Verdict.GRANTED, Source.POLICY);
            case LOCAL_SHARE -> shares.decide(limit, key, permits, !failure.mayHaveCharged());
        };
    }

    private Decision meter(Decision decision) {
        if (meters != null && decision.permits() > 0) {
            meters.decided(decision.verdict(), decision.source());
        }
        return decision;
    }

    private Decision count(String key, Decision decision) {
        if (keys != null && decision.permits() > 0) {
            // Unguarded, unlike meters: all of it is Weir's own, and calls nothing of the application's.
            keys.decided(key, decision);
        }
        if (last != null && decision.permits() > 0) {
            last.add(key, decision);
        }
        return meter(decision);
    }

    private static void requireArguments(String key, long permits) {
        Objects.requireNonNull(key, "key must not be null: choose what a request without a key counts as");
        if (permits < 0) {
            throw new IllegalArgumentException("permits must not be negative but is " + permits);
        }
    }

    /** How {@link #acquire} waits. */
    @FunctionalInterface
    interface Pause {
        void sleep(Duration duration) throws InterruptedException;
    }
}
