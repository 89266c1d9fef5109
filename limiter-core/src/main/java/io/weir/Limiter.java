package io.weir;

import io.weir.algorithm.Algorithm;
import io.weir.algorithm.Verdict;
import io.weir.store.Answer;
import io.weir.store.Buckets;
import io.weir.store.Directive;
import io.weir.store.NanoClock;
import io.weir.store.Source;
import io.weir.store.StoreUnavailableException;
import io.weir.store.StoredKey;
import io.weir.store.Trial;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Supplier;
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
    private final Acquiring acquiring;
    private final Observation observation;

    /** Those that are asked beside this one: an array, since a request that has none must not pay for looking. */
    private volatile Limiter[] shadows = {};

    /** Also holds on to what follows the directives about this limit, for as long as somebody asks it. */
    private final LiveLimits live;

    private final Blocks blocks = new Blocks();
    private final Overrides overrides;

    /** Null unless the limit punishes. */
    private final @Nullable Strikes strikes;

    /** Null unless they are to be remembered. */
    private final @Nullable LastDecisions last;

    private volatile Asked asked;
    private volatile boolean on = true;

    /**
     * @param remote whether asking {@code buckets} may leave the memory of this JVM
     * @param strikes where strikes are counted; null unless the limit punishes
     */
    Limiter(
            Limit limit,
            Buckets buckets,
            boolean remote,
            Shares shares,
            @Nullable Meters meters,
            @Nullable WatchedKeys keys,
            NanoClock clock,
            @Nullable Pause pause,
            LiveLimits live,
            @Nullable Buckets strikes,
            @Nullable LastDecisions last) {
        this.live = live;
        this.last = last;
        this.returns = Returns.to(buckets);
        this.asked = new Asked(limit, returns);
        this.overrides = new Overrides(limit, buckets, returns);
        this.buckets = buckets;
        this.shares = shares;
        this.keys = keys;
        this.meters = meters == null
                ? null
                : new GuardedMeters(
                        limit.name(),
                        limit.isShadow()
                                ? meters.ofShadow(limit.name(), limit.failurePolicy())
                                : meters.of(limit.name(), limit.failurePolicy()));
        if (this.meters != null) {
            this.meters.leases(buckets::leases);
            this.meters.headroom(keys == null ? () -> Double.NaN : keys::headroom);
        }
        this.timed = meters != null && remote;
        this.outage = new Outage(limit, clock, this.meters);
        this.clock = clock;
        this.acquiring = new Acquiring(this, clock, pause);
        this.observation = new Observation(limit.name(), this.meters);
        this.strikes = strikes == null
                ? null
                : new Strikes(
                        limit.name(), limit.penalty().orElseThrow(), strikes, live.directives(), clock, this.meters);
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
        askShadows(key, permits);
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
        askShadows(key, permits);
        return askAsync(key, permits)
                .thenApply(
                        keys == null && last == null && strikes == null
                                ? this::meter
                                : decision -> count(key, decision));
    }

    /**
     * Asks for permits without anybody waiting for the answer, which is counted and reported and nothing else: for limits that are a
     * {@linkplain Limit#isShadow shadow}, and have nothing to say to who asks. What the store has failed to answer is counted as
     * missed, and so is what comes while 1,000 requests are on their way.
     *
     * @throws IllegalArgumentException if {@code permits} is negative
     */
    public void observe(String key, long permits) {
        requireArguments(key, permits);
        observation.ask(() -> tryAcquireAsync(key, permits));
    }

    /**
     * Counts a strike of a key, for a reason of the application's own: a login that failed, say. A denial is one by itself. Returns at once;
     * what becomes of it, {@link Limit.Builder#penalty} says. Of a key that is blocked, or while the limit is switched off, none is counted.
     *
     * @throws IllegalStateException if the limit does not punish
     */
    public void strike(String key) {
        requireArguments(key, 1);
        if (strikes == null) {
            throw new IllegalStateException(
                    "limit \"" + limit().name() + "\" does not punish, and counts no strikes: give it a .penalty(..)");
        }
        if (on && blockedNanos(key, 1) == 0) {
            strikes.strike(key);
        }
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
     * Asks for permits and waits until they may be used, if that can be within {@code longestWait}.
     *
     * <p>Under a token bucket or a leaky bucket the owner is asked once: it puts the permits aside and says when they may be
     * used. So those who wait are served in the order in which they reached the owner, whatever node they wait on, and before
     * whoever asks later, with {@link #tryAcquire} too. Under the windows, which put nothing aside, they ask one after the other
     * on each node, in the order in which they came, each when the denial before said.
     *
     * <p>Gives up at once, without sleeping, when the wait could not be met: more is asked for than the capacity, the
     * permits return too late, the queue of a leaky bucket is full, the key is blocked, or nobody can say when they return. What was put aside goes back if the thread is interrupted,
     * or the {@link Weir} closed; the failure policy answers then. Waiting holds no lock, and pins no virtual thread.
     *
     * @param key who asks
     * @param permits how many
     * @param longestWait how long to wait for permits, zero or more; the last answer may take the limit's deadline longer
     * @return the last decision: granted, or the denial that could not be waited out
     * @throws InterruptedException if the thread is interrupted before or while it waits; nothing is charged then
     * @throws IllegalArgumentException if {@code permits} or {@code longestWait} is negative
     */
    public Decision acquire(String key, long permits, Duration longestWait) throws InterruptedException {
        askShadows(key, permits); // once: a wait is one request
        return acquiring.acquire(key, permits, longestWait);
    }

    /**
     * {@link #acquire} without a thread that waits.
     *
     * @return completes once the permits may be used, or with the denial that could not be waited out, on a thread where
     *     continuations may block. To {@linkplain CompletableFuture#cancel cancel} it gives back what was put aside
     * @throws IllegalArgumentException at once, as above
     */
    public CompletableFuture<Decision> acquireAsync(String key, long permits, Duration longestWait) {
        askShadows(key, permits);
        return acquiring.acquireAsync(key, permits, longestWait);
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

    /** How often a key's own numbers were set or cleared, as far as its bucket knows; asks its owner. */
    CompletableFuture<Long> timesOverridden(String key, long deadlineNanos) {
        return buckets.takeAsync(key, 0, deadlineNanos)
                .thenApply(answer -> KeyVersion.timesOf(answer.state().rule()));
    }

    /** Fills a key's bucket. What is leased is out still, and the bucket stays short of its capacity by that. */
    CompletableFuture<Void> reset(String key, long deadlineNanos) {
        Objects.requireNonNull(key, "key");
        return returns.giveBack(key, Long.MAX_VALUE, deadlineNanos);
    }

    /** Has a key begin without strikes; completes at once if the limit does not punish. */
    CompletableFuture<Void> forgetStrikes(String key, long deadlineNanos) {
        return strikes == null ? CompletableFuture.completedFuture(null) : strikes.forget(key, deadlineNanos);
    }

    /** Puts other numbers in force on this node. */
    void change(Limit changed) {
        overrides.change(changed); // first: it may refuse
        if (strikes != null) {
            strikes.change(changed.penalty().orElseThrow(), changed.rule().version());
        }
        asked = new Asked(changed, returns);
        buckets.change(changed.rule());
    }

    /** From now on, whoever asks this limit asks those as well; nobody, if it is a shadow itself. */
    void beside(List<Limiter> observing) {
        shadows = limit().isShadow() ? new Limiter[0] : observing.toArray(Limiter[]::new);
    }

    void askShadows(String key, long permits) {
        Limiter[] observing = shadows;
        if (observing.length == 0 || permits <= 0) {
            return;
        }
        for (Limiter shadow : observing) {
            shadow.observe(key, permits);
        }
    }

    private Decision ask(String key, long permits) {
        requireArguments(key, permits);
        Asked present = askedUnder(key);
        Limit limit = present.limit();
        Decision unasked = unasked(limit, key, permits);
        if (unasked != null) {
            return unasked;
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
        Decision unasked = unasked(limit, key, permits);
        if (unasked != null) {
            return CompletableFuture.completedFuture(unasked);
        }
        long began = timed ? clock.nanoTime() : 0;
        CompletableFuture<Answer> asking;
        try {
            asking = buckets.takeAsync(key, permits, limit.deadlineNanos());
        } catch (StoreUnavailableException failure) { // a store should not; but an outage is an outage
            return CompletableFuture.completedFuture(failed(limit, key, permits, failure, began));
        }
        return asking.handle((answer, thrown) -> thrown == null
                ? answered(present.answered(key, permits, answer), began)
                : failed(limit, key, permits, outage(thrown), began));
    }

    /** @throws RuntimeException if it is none */
    private static StoreUnavailableException outage(Throwable thrown) {
        Throwable cause =
                thrown instanceof CompletionException && thrown.getCause() != null ? thrown.getCause() : thrown;
        if (cause instanceof StoreUnavailableException failure) {
            return failure;
        }
        throw cause instanceof RuntimeException bug ? bug : new CompletionException(cause);
    }

    /**
     * Asks on trial, for a decision that other limits have a say in. Not counted until it is {@linkplain #conclude
     * concluded}.
     */
    Part part(String key, long permits) {
        requireArguments(key, permits);
        askShadows(key, permits);
        Asked present = askedUnder(key);
        Limit limit = present.limit();
        Decision unasked = unasked(limit, key, permits);
        if (unasked != null) {
            return new Part(this, key, CompletableFuture.completedFuture(unasked), () -> {});
        }
        long began = timed ? clock.nanoTime() : 0;
        Trial trial = orFailed(() -> buckets.tryOut(key, permits, limit.deadlineNanos()));
        return new Part(this, key, tried(present, key, permits, trial, began), trial::rollBack);
    }

    private CompletableFuture<Decision> tried(Asked present, String key, long permits, Trial trial, long began) {
        return trial.answer()
                .handle((answer, thrown) -> thrown == null
                        ? answered(present.answered(key, permits, answer), began)
                        // What is not answered in time goes back: only what a share grants is charged.
                        : failed(present.limit(), key, permits, outage(thrown), true, began));
    }

    /** Whether permits that are waited for are put aside, rather than asked for again. */
    boolean reserves() {
        return limit().rule().algorithm().reserves();
    }

    /** Asks for permits that may be used within a time. Not counted until it is {@linkplain #conclude concluded}. */
    Reservation reserve(String key, long permits, long longestWaitNanos) {
        requireArguments(key, permits);
        Asked present = askedUnder(key);
        if (permits == 0 || unasked(present.limit(), key, permits) != null) {
            return new Reservation(askAsync(key, permits), null);
        }
        long began = timed ? clock.nanoTime() : 0;
        long wait = present.limit().isShadow() ? 0 : longestWaitNanos; // nobody waits for a shadow's permits
        Trial trial = orFailed(
                () -> buckets.reserve(key, permits, wait, present.limit().deadlineNanos()));
        return new Reservation(tried(present, key, permits, trial, began), trial);
    }

    /** A store should not throw an outage; but an outage is an outage. */
    private static Trial orFailed(Supplier<Trial> asking) {
        try {
            return asking.get();
        } catch (StoreUnavailableException failure) {
            return Trial.of(CompletableFuture.failedFuture(failure), granted -> {});
        }
    }

    /** Asks on behalf of somebody whose shadows have been asked. */
    Decision askOnce(String key, long permits) {
        return count(key, ask(key, permits));
    }

    /** Answers somebody who waited when the limits were closed: as the failure policy does. */
    Decision answerClosed(String key, long permits) {
        StoreUnavailableException closed = StoreUnavailableException.beforeSending(
                StoreUnavailableException.Reason.CLOSED, "the limits were closed while it was waited for permits");
        return count(key, failed(askedUnder(key).limit(), key, permits, closed, clock.nanoTime()));
    }

    /** Whether permits that cannot be put aside are not waited for: there is no room in the queue. */
    boolean queues() {
        return limit().rule().algorithm().kind() == Algorithm.Kind.LEAKY_BUCKET;
    }

    /** Ends all waits. */
    void close() {
        acquiring.close();
    }

    /** The denial of a request that this node remembers; null if it remembers none. */
    @Nullable
    Decision knownDenial(String key, long permits) {
        requireArguments(key, permits);
        Asked present = askedUnder(key);
        Decision unasked = unasked(present.limit(), key, permits);
        if (unasked != null) {
            return unasked.verdict() == Verdict.GRANTED ? null : unasked;
        }
        return buckets.knownDenial(key, permits)
                .map(denied -> present.answered(key, permits, denied))
                .orElse(null);
    }

    /** Counts a decision that was not asked for by itself. */
    void conclude(String key, Decision decision) {
        count(key, decision);
    }

    /** What is decided without a store: the limit is switched off, or the key blocked. Null of every other request. */
    private @Nullable Decision unasked(Limit limit, String key, long permits) {
        if (!on) {
            return Decision.uncounted(limit, permits, Verdict.GRANTED, Source.SWITCHED_OFF);
        }
        long blockedNanos = blockedNanos(key, permits);
        return blockedNanos > 0 ? Decision.blocked(limit, permits, blockedNanos) : null;
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
        return failed(limit, key, permits, failure, !failure.mayHaveCharged(), began);
    }

    /** @param owed whether the owner is to be charged for what a share grants */
    private Decision failed(
            Limit limit, String key, long permits, StoreUnavailableException failure, boolean owed, long began) {
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
            case LOCAL_SHARE -> shares.decide(limit, key, permits, owed);
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
        if (strikes != null && isStrike(decision)) {
            strikes.strike(key);
        }
        return meter(decision);
    }

    /** Whether the limit itself denied, rather than what stands in for it. */
    private static boolean isStrike(Decision decision) {
        return decision.verdict() != Verdict.GRANTED
                && switch (decision.source()) {
                    case LOCAL, CLUSTER, LEASE, DENY_CACHE -> true;
                    case SHARE, POLICY, SWITCHED_OFF, BLOCKED -> false;
                };
    }

    static void requireArguments(String key, long permits) {
        Objects.requireNonNull(key, "key must not be null: choose what a request without a key counts as");
        if (permits < 0) {
            throw new IllegalArgumentException("permits must not be negative but is " + permits);
        }
    }

    /** For tests: how {@link #acquire} waits. */
    @FunctionalInterface
    interface Pause {
        void sleep(Duration duration) throws InterruptedException;
    }
}
