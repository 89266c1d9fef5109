package io.weir;

import io.weir.algorithm.Verdict;
import io.weir.store.Buckets;
import io.weir.store.Directive;
import io.weir.store.NanoClock;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
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

    private final Asking asking;
    private final Acquiring acquiring;
    private final Observation observation;
    private final Meters.@Nullable OfLimit meters;

    /** Null unless they are watched. */
    private final @Nullable WatchedKeys keys;

    /** Null unless the limit punishes. */
    private final @Nullable Strikes strikes;

    /** Null unless they are to be remembered. */
    private final @Nullable LastDecisions last;

    /** Those that are asked beside this one: an array, since a request that has none must not pay for looking. */
    private volatile Limiter[] shadows = {};

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
        this.keys = keys;
        this.last = last;
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
        this.asking = new Asking(limit, buckets, remote, shares, this.meters, clock, live);
        this.acquiring = new Acquiring(this, asking, clock, pause);
        this.observation = new Observation(limit.name(), this.meters);
        this.strikes = strikes == null
                ? null
                : new Strikes(
                        limit.name(), limit.penalty().orElseThrow(), strikes, live.directives(), clock, this.meters);
    }

    /** The limit as it is now. */
    public Limit limit() {
        return asking.limit();
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
        return conclude(key, asking.ask(key, permits));
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
        return asking.askAsync(key, permits)
                .thenApply(
                        keys == null && last == null && strikes == null
                                ? this::meter
                                : decision -> conclude(key, decision));
    }

    /**
     * Asks for permits without anybody waiting for the answer, which is counted and reported and nothing else: for limits that are a
     * {@linkplain Limit#isShadow shadow}, and have nothing to say to who asks. What the store has failed to answer is counted as
     * missed, and so is what comes while 1,000 requests are on their way.
     *
     * @throws IllegalArgumentException if {@code permits} is negative
     */
    public void observe(String key, long permits) {
        Asking.requireArguments(key, permits);
        observation.ask(() -> tryAcquireAsync(key, permits));
    }

    /**
     * Counts a strike of a key, for a reason of the application's own: a login that failed, say. A denial is one by itself. Returns at once;
     * what becomes of it, {@link Limit.Builder#penalty} says. Of a key that is blocked, or while the limit is switched off, none is counted.
     *
     * @throws IllegalStateException if the limit does not punish
     */
    public void strike(String key) {
        Asking.requireArguments(key, 1);
        if (strikes == null) {
            throw new IllegalStateException(
                    "limit \"" + limit().name() + "\" does not punish, and counts no strikes: give it a .penalty(..)");
        }
        if (asking.isOn() && asking.blockedNanos(key, 1) == 0) {
            strikes.strike(key);
        }
    }

    /**
     * What {@link #tryAcquire} would find: the balance of a key. Free, creates nothing, and is always
     * {@linkplain Decision#granted() granted}, also while nothing remains.
     */
    public Decision peek(String key) {
        return asking.ask(key, 0);
    }

    /** {@link #peek} without waiting for the answer. */
    public CompletableFuture<Decision> peekAsync(String key) {
        return asking.askAsync(key, 0);
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
        return acquiring.acquireAsync(key, permits, longestWait);
    }

    /**
     * The kill switch: from now on every request is granted without being counted, until {@link #switchOn()}. On this
     * node only.
     */
    public void switchOff() {
        asking.switchTo(false);
        LOG.log(System.Logger.Level.WARNING, "Limit \"{0}\" is switched off: everything is granted.", limit().name());
    }

    /** Ends {@link #switchOff()}. */
    public void switchOn() {
        asking.switchTo(true);
        LOG.log(System.Logger.Level.INFO, "Limit \"{0}\" is switched on.", limit().name());
    }

    /** Whether the limit is enforced, rather than switched off. */
    public boolean isOn() {
        return asking.isOn();
    }

    /** Whether the failure policy has been answering lately, at least for some keys; {@link #health} says why. */
    public boolean isDegraded() {
        return asking.outage().ongoing();
    }

    /** How this limit stands on this node. */
    public LimitHealth health() {
        return asking.outage().health();
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
        asking.tend();
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

    /** How it decides. */
    Asking asking() {
        return asking;
    }

    /** What is known of a key; asks its owner. */
    KeyLook look(String key, @Nullable Directive override) {
        return asking.look(key, override, last == null ? List.of() : last.of(key));
    }

    /** Has a key begin without strikes; completes with whether it had any, at once if the limit does not punish. */
    CompletableFuture<Boolean> forgetStrikes(String key, long deadlineNanos) {
        return strikes == null ? CompletableFuture.completedFuture(false) : strikes.forget(key, deadlineNanos);
    }

    /** Puts other numbers in force on this node. */
    void change(Limit changed) {
        asking.change(changed); // first: it may refuse
        if (strikes != null) {
            strikes.change(changed.penalty().orElseThrow(), changed.rule().version());
        }
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

    /** Ends all waits. */
    void close() {
        acquiring.close();
    }

    /**
     * Asks on trial, for a decision that other limits have a say in. Not counted until it is {@linkplain #conclude
     * concluded}.
     */
    Part part(String key, long permits) {
        askShadows(key, permits);
        Reservation tried = asking.tryOut(key, permits);
        return new Part(this, key, tried.decision(), tried::rollBack);
    }

    private Decision meter(Decision decision) {
        if (meters != null && decision.permits() > 0) {
            meters.decided(decision.verdict(), decision.source());
        }
        return decision;
    }

    /** Counts a decision: for the meters, the keys that are watched, and what the limit punishes. Returns it. */
    Decision conclude(String key, Decision decision) {
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

    /** For tests: how {@link #acquire} waits. */
    @FunctionalInterface
    interface Pause {
        void sleep(Duration duration) throws InterruptedException;
    }
}
