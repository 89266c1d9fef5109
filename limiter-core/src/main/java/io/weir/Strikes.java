package io.weir;

import io.weir.algorithm.Algorithm;
import io.weir.algorithm.Bandwidth;
import io.weir.algorithm.Penalty;
import io.weir.algorithm.Request;
import io.weir.algorithm.Rule;
import io.weir.algorithm.Verdict;
import io.weir.store.Answer;
import io.weir.store.Buckets;
import io.weir.store.Directive;
import io.weir.store.Directives;
import io.weir.store.Leasing;
import io.weir.store.NanoClock;
import io.weir.store.Source;
import io.weir.store.Store;
import io.weir.store.StoreUnavailableException;
import io.weir.store.StoredKey;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Counts the strikes of one limit's keys, and has a key cool down that has too many. Thread-safe; nobody waits for it, and it throws
 * nothing.
 *
 * <pre>
 *   strike --&gt; the store's log of the key --denies--&gt; a block is published, unless there is one
 *                                         --grants--&gt; nothing else happens
 * </pre>
 *
 * <p>Strikes of all nodes are counted together, since the log is a bucket of the store, under the limit's name and {@link #SUFFIX}.
 *
 * <p>A cool-down is published over what was said of the key before its strikes left, and over nothing newer. So of nodes that publish at
 * once, one is heard; and a strike of before a {@linkplain Administration#pardon pardon} begins no cool-down after it, however late it is
 * answered. Nor does a log's denial that a store remembers from before: see {@link #isStale}.
 *
 * <p>Clients decide how often this is asked to work, and so all of it is bounded: keys whose strikes are on their way, how many of one key
 * wait behind one that is (more than {@value #MOST_OF_A_KEY} are as many), and blocks that are being published. What else exceeds is counted
 * as missed; the key's next strike begins anew.
 */
final class Strikes {

    /** What the name of a limit's strikes ends with: no other limit may be called that. */
    static final String SUFFIX = ".strikes";

    static final int MOST_KEYS = 1_000;
    static final int MOST_OF_A_KEY = 100;
    static final int MOST_PUBLISHED_AT_ONCE = 16;

    /** After blocks found no room: none is offered for as long. */
    static final Duration CALM = Duration.ofSeconds(10);

    static final String ACTOR = "weir penalty";

    private static final Duration PATIENCE = Duration.ofSeconds(2);

    private static final System.Logger LOG = System.getLogger(Limiter.class.getName());

    private final String limit;
    private final Buckets buckets;
    private final Directives directives;
    private final NanoClock clock;
    private final Meters.@Nullable OfLimit meters;

    /** How many strikes of a key have not been counted yet, that on its way included. */
    private final ConcurrentHashMap<String, Integer> uncounted = new ConcurrentHashMap<>();

    private final Semaphore freeKeys = new Semaphore(MOST_KEYS);
    private final Semaphore freePublications = new Semaphore(MOST_PUBLISHED_AT_ONCE);
    private final AtomicBoolean spokenOf = new AtomicBoolean();
    private final AtomicLong notBeforeNanos;
    private volatile Penalty penalty;

    /** @param buckets as {@link #buckets} gives them for the limit */
    Strikes(
            String limit,
            Penalty penalty,
            Buckets buckets,
            Directives directives,
            NanoClock clock,
            Meters.@Nullable OfLimit meters) {
        this.limit = limit;
        this.penalty = penalty;
        this.buckets = buckets;
        this.directives = directives;
        this.clock = clock;
        this.meters = meters;
        this.notBeforeNanos = new AtomicLong(clock.nanoTime());
    }

    /** Where a limit's strikes are counted; null if it does not punish. */
    static @Nullable Buckets buckets(Limit limit, Store store) {
        Penalty penalty = limit.penalty().orElse(null);
        return penalty == null
                ? null
                : store.buckets(
                        limit.name() + SUFFIX, rule(penalty, limit.rule().version()), Leasing.NEVER);
    }

    private static Rule rule(Penalty penalty, long version) {
        Bandwidth log = Bandwidth.perWindow(penalty.strikes(), penalty.per());
        return new Rule(version, Algorithm.Kind.SLIDING_LOG.with(List.of(log)));
    }

    /**
     * Checks that no limit is called as the strikes of another.
     *
     * @throws IllegalArgumentException naming the two
     */
    static void requireDistinct(Limit limit, Collection<Limit> others) {
        for (Limit other : others) {
            requireNot(limit, other);
            requireNot(other, limit);
        }
    }

    private static void requireNot(Limit punishing, Limit other) {
        if (punishing.penalty().isPresent() && other.name().equals(punishing.name() + SUFFIX)) {
            throw new IllegalArgumentException("limit \"" + other.name() + "\" is called as the strikes of limit \""
                    + punishing.name() + "\": choose another name");
        }
    }

    /** Goes by other numbers from now on. */
    void change(Penalty changed, long version) {
        penalty = changed;
        buckets.change(rule(changed, version));
    }

    /** Counts a strike, off the caller's path. */
    void strike(String key) {
        String stored = StoredKey.wellFormed(key);
        Directive before = said(key); // first: the strike is older than what is said from here on
        Integer waiting = uncounted.compute(stored, (same, queued) -> {
            if (queued != null) {
                return Math.min(MOST_OF_A_KEY, queued + 1);
            }
            return freeKeys.tryAcquire() ? 1 : null;
        });
        if (waiting == null) {
            missed();
        } else if (waiting == 1) { // otherwise whoever counts those before goes on with this one
            countNext(key, stored, before);
        }
    }

    private @Nullable Directive said(String key) {
        return directives.find(Directive.Id.ofBlock(limit, key)).orElse(null);
    }

    /**
     * Has a key begin without strikes.
     *
     * @return completes with whether it had any
     */
    CompletableFuture<Boolean> forget(String key, long deadlineNanos) {
        List<Request> allAndNone = List.of(new Request.Take(penalty.strikes()), new Request.GiveBack(Long.MAX_VALUE));
        return buckets.decide(key, allAndNone, deadlineNanos)
                .thenApply(answers -> answers.get(0).verdict() != Verdict.GRANTED);
    }

    @SuppressWarnings("FutureReturnValueIgnored") // that is what this is for
    private void countNext(String key, String stored, @Nullable Directive before) {
        count(key, before).whenComplete((tooMany, failure) -> {
            if (failure != null) {
                failed(failure);
            }
            // What waits behind a strike that was one too many has no more to say; nor has it after a pardon.
            boolean goesOn = failure == null && !tooMany && isSaidStill(key, before);
            Integer left = uncounted.computeIfPresent(
                    stored, (same, queued) -> goesOn && queued > 1 ? Integer.valueOf(queued - 1) : null);
            if (left == null) {
                freeKeys.release();
            } else {
                countNext(key, stored, before);
            }
        });
    }

    /** Whether it was one too many; completes once the key cools down then, if it does. */
    private CompletableFuture<Boolean> count(String key, @Nullable Directive before) {
        try {
            return buckets.takeAsync(key, 1, PATIENCE.toNanos())
                    .thenCompose(answer -> answer.verdict() == Verdict.GRANTED
                            ? CompletableFuture.completedFuture(false)
                            : (isStale(answer, before)
                                            ? CompletableFuture.<Void>completedFuture(null)
                                            : punish(key, before))
                                    .thenApply(done -> true));
        } catch (RuntimeException e) { // a store should not; it must not become a mistake of who asks the limit
            return CompletableFuture.failedFuture(e);
        }
    }

    /** Whether the log may have denied before the key was pardoned: a node hears of the pardon, and not that the log is empty. */
    private static boolean isStale(Answer denial, @Nullable Directive before) {
        return denial.source() == Source.DENY_CACHE && before != null && before.isWithdrawn();
    }

    /** Whether nobody has said anything of the key since. */
    private boolean isSaidStill(String key, @Nullable Directive before) {
        return version(said(key)) == version(before);
    }

    private static long version(@Nullable Directive said) {
        return said == null ? 0 : said.version();
    }

    private CompletableFuture<Void> punish(String key, @Nullable Directive before) {
        if (!isSaidStill(key, before)) {
            return CompletableFuture.completedFuture(null);
        }
        if (clock.nanoTime() - notBeforeNanos.get() < 0 || !freePublications.tryAcquire()) {
            missed();
            return CompletableFuture.completedFuture(null);
        }
        CompletableFuture<Void> published;
        try {
            published = publish(Directive.Id.ofBlock(limit, key), before);
        } catch (RuntimeException e) {
            published = CompletableFuture.failedFuture(e);
        }
        return published.whenComplete((done, failure) -> freePublications.release());
    }

    private CompletableFuture<Void> publish(Directive.Id id, @Nullable Directive before) {
        long now = directives.nowMillis();
        Directive.Block block = Escalation.next(penalty, before, now);
        if (block == null) {
            return CompletableFuture.completedFuture(null);
        }
        Directive directive = new Directive(id, version(before) + 1, block, ACTOR, now);
        return directives.publish(directive).thenAccept(outcome -> {
            switch (outcome) {
                case ACCEPTED -> began(directive);
                case FULL -> noRoom();
                case CONFLICT -> {} // another node was quicker, or the key was pardoned
            }
        });
    }

    private void began(Directive directive) {
        Audit.published(directive);
        if (meters != null) {
            meters.punished();
        }
    }

    private void noRoom() {
        missed();
        long now = clock.nanoTime();
        long before = notBeforeNanos.get();
        if (now - before >= 0 && notBeforeNanos.compareAndSet(before, now + CALM.toNanos())) {
            LOG.log(
                    System.Logger.Level.WARNING,
                    "Limit \"" + limit
                            + "\" has keys with too many strikes that cannot be blocked: as many keys cool down, or"
                            + " as many directives are in force, as there can be. They are still limited. Tries again in "
                            + CALM + ".");
        }
    }

    private void missed() {
        if (meters != null) {
            meters.strikeMissed();
        }
    }

    private void failed(Throwable thrown) {
        missed();
        Throwable failure =
                thrown instanceof CompletionException && thrown.getCause() != null ? thrown.getCause() : thrown;
        boolean outage = failure instanceof StoreUnavailableException; // which the limit itself speaks of
        if (!outage && spokenOf.compareAndSet(false, true)) {
            LOG.log(
                    System.Logger.Level.ERROR,
                    "A strike under limit \"" + limit
                            + "\" could not be counted: there is a bug. Others go on being counted, and this is not spoken of again.",
                    failure);
        }
    }
}
