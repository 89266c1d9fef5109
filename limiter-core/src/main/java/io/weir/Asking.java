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
 * How one limit comes to a decision, which nobody has counted yet. Thread-safe.
 *
 * <pre>
 *   switched off          granted
 *   the key is blocked    denied
 *   the store answers     what the store says, under the key's own numbers if it has any
 *   it does not           what the failure policy says
 * </pre>
 */
final class Asking {

    private final Buckets buckets;
    private final Returns returns;
    private final Shares shares;
    private final Outage outage;
    private final Meters.@Nullable OfLimit meters;

    /** Whether calls of the store are timed: not if it decides in memory, in less time than it takes to read a clock. */
    private final boolean timed;

    private final NanoClock clock;

    /** Also holds on to what follows the directives about this limit, for as long as somebody asks it. */
    private final LiveLimits live;

    private final Blocks blocks = new Blocks();
    private final Overrides overrides;

    private volatile Asked asked;
    private volatile boolean on = true;

    /** @param remote whether asking {@code buckets} may leave the memory of this JVM */
    Asking(
            Limit limit,
            Buckets buckets,
            boolean remote,
            Shares shares,
            Meters.@Nullable OfLimit meters,
            NanoClock clock,
            LiveLimits live) {
        this.buckets = buckets;
        this.returns = Returns.to(buckets);
        this.shares = shares;
        this.outage = new Outage(limit, clock, meters);
        this.meters = meters;
        this.timed = meters != null && remote;
        this.clock = clock;
        this.live = live;
        this.overrides = new Overrides(limit, buckets, returns);
        this.asked = new Asked(limit, returns);
    }

    Limit limit() {
        return asked.limit();
    }

    Outage outage() {
        return outage;
    }

    /** Keys that are denied under this limit. */
    Blocks blocks() {
        return blocks;
    }

    /** Keys that have numbers of their own. */
    Overrides overrides() {
        return overrides;
    }

    boolean isOn() {
        return on;
    }

    /** Decides from now on, or grants everything unasked. */
    void switchTo(boolean decides) {
        on = decides;
    }

    /** Puts other numbers in force. */
    void change(Limit changed) {
        overrides.change(changed); // first: it may refuse
        asked = new Asked(changed, returns);
        buckets.change(changed.rule());
        shares.change(changed.rule());
        overrides.release(); // last: what they go by from here on is in force
    }

    /** Does what does not wait for a request. */
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

    Decision ask(String key, long permits) {
        requireArguments(key, permits);
        Asked present = askedUnder(key);
        Limit limit = present.limit();
        Decision unasked = unasked(limit, key, permits);
        if (unasked != null) {
            return unasked;
        }
        long began = began();
        try {
            return answered(buckets.take(key, permits, limit.deadlineNanos(), present), began);
        } catch (StoreUnavailableException failure) {
            return failed(limit, key, permits, failure, began);
        }
    }

    CompletableFuture<Decision> askAsync(String key, long permits) {
        requireArguments(key, permits);
        Asked present = askedUnder(key);
        Limit limit = present.limit();
        Decision unasked = unasked(limit, key, permits);
        if (unasked != null) {
            return CompletableFuture.completedFuture(unasked);
        }
        long began = began();
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

    /** Asks on trial, for a decision that other limits have a say in. */
    Reservation tryOut(String key, long permits) {
        requireArguments(key, permits);
        Asked present = askedUnder(key);
        Limit limit = present.limit();
        Decision unasked = unasked(limit, key, permits);
        if (unasked != null) {
            return new Reservation(CompletableFuture.completedFuture(unasked), null);
        }
        long began = began();
        Trial trial = orFailed(() -> buckets.tryOut(key, permits, limit.deadlineNanos()));
        return new Reservation(tried(present, key, permits, trial, began), trial);
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

    /** Asks for permits that may be used within a time. */
    Reservation reserve(String key, long permits, long longestWaitNanos) {
        requireArguments(key, permits);
        Asked present = askedUnder(key);
        if (permits == 0 || unasked(present.limit(), key, permits) != null) {
            return new Reservation(askAsync(key, permits), null);
        }
        long began = began();
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

    /** Whether permits that cannot be put aside are not waited for: there is no room in the queue. */
    boolean queues() {
        return limit().rule().algorithm().kind() == Algorithm.Kind.LEAKY_BUCKET;
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

    /** What the failure policy answers somebody who waited when the limits were closed. */
    Decision closed(String key, long permits) {
        StoreUnavailableException failure = StoreUnavailableException.beforeSending(
                StoreUnavailableException.Reason.CLOSED, "the limits were closed while it was waited for permits");
        return failed(askedUnder(key).limit(), key, permits, failure, clock.nanoTime());
    }

    /** What is known of a key; asks its owner. */
    KeyLook look(String key, @Nullable Directive override, List<KeyLook.Seen> decisions) {
        return new KeyLook(
                ask(key, 0),
                Duration.ofNanos(blockedNanos(key, 1)),
                override,
                buckets.held(key),
                buckets.lastKnown(key).orElse(null),
                decisions);
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

    /** What is decided without a store: the limit is switched off, or the key blocked. Null of every other request. */
    private @Nullable Decision unasked(Limit limit, String key, long permits) {
        if (!on) {
            return Decision.uncounted(limit, permits, Verdict.GRANTED, Source.SWITCHED_OFF);
        }
        long blockedNanos = blockedNanos(key, permits);
        return blockedNanos > 0 ? Decision.blocked(limit, permits, blockedNanos) : null;
    }

    /** For how long a request is still to be denied unasked; zero if it is not. A peek takes nothing, and may look. */
    long blockedNanos(String key, long permits) {
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

    /** When a call began, if that is timed. */
    private long began() {
        return timed ? clock.nanoTime() : 0;
    }

    static void requireArguments(String key, long permits) {
        Objects.requireNonNull(key, "key must not be null: choose what a request without a key counts as");
        if (permits < 0) {
            throw new IllegalArgumentException("permits must not be negative but is " + permits);
        }
    }
}
