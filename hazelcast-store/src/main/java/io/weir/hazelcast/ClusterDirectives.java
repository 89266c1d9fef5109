package io.weir.hazelcast;

import com.hazelcast.core.EntryEvent;
import com.hazelcast.map.IMap;
import com.hazelcast.map.listener.EntryAddedListener;
import com.hazelcast.map.listener.EntryMergedListener;
import com.hazelcast.map.listener.EntryUpdatedListener;
import io.weir.store.Directive;
import io.weir.store.Directives;
import io.weir.store.NanoClock;
import io.weir.store.StoreUnavailableException;
import io.weir.store.StoreUnavailableException.Reason;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The directives that all nodes of a namespace go by: this node's copy of the table, and how it is kept up to date.
 *
 * <p>The table is one entry of a map of its own. A node asks its owner for what has changed since it last heard: when the map
 * tells it that the entry was written, and every {@link #INTERVAL} in any case, since events can be lost. What a new owner, or a cluster
 * that lost its table, does not know any more, it is told by every node that does.
 *
 * <p>One thread of its own asks and applies; nothing here runs on a thread of Hazelcast's.
 */
final class ClusterDirectives implements Directives, AutoCloseable {

    /** Between two questions. */
    static final Duration INTERVAL = Duration.ofMillis(500);

    /** A question that was not answered for so long is asked again, beside the first. */
    private static final Duration PATIENCE = Duration.ofSeconds(2);

    private static final Duration PATIENCE_FOR_PUBLISHING = Duration.ofSeconds(5);

    /** While some member lacks Weir's classes: each question makes it log a stack trace. */
    private static final Duration CALM = Duration.ofSeconds(30);

    private static final Duration TIDYING_INTERVAL = Duration.ofSeconds(10);

    /** What one call carries of what the table has lost. */
    private static final int MOST_AT_ONCE = 500;

    private static final String KEY = "directives";

    /** No revision: whoever knows the table as of it is told all of it. */
    private static final long ALL = -1;

    private static final System.Logger LOG = System.getLogger(HazelcastStore.class.getName());

    private final Supplier<IMap<String, StoredDirectives>> map;
    private final NanoClock clock;
    private final LongSupplier clusterMillis;
    private final ScheduledExecutorService thread;
    private final CountDownLatch firstHeard = new CountDownLatch(1);
    private final ConcurrentHashMap<Directive.Id, Directive> known = new ConcurrentHashMap<>();

    /** Guarded by this, as is the telling: each listener hears of all changes, in one order. */
    private final List<Listener> listeners = new ArrayList<>();

    private volatile long heardNanos;

    /** The owner's clock less this node's; null before the first answer. */
    private volatile @Nullable Long aheadNanos;

    // Touched by the thread only:
    private @Nullable UUID line;
    private long revision;
    private boolean asking;
    private boolean askAgain;
    private long askedNanos;
    private long notBeforeNanos;
    private long tidiedNanos;
    private volatile @Nullable UUID watch; // read when it is closed, too

    /** What the table has lost, or never had: this node's to put there. */
    private List<Directive> owed = new ArrayList<>();

    /**
     * @param map where the table lives; throws {@link StoreUnavailableException} as long as that is not known
     * @param clusterMillis the time before the owner has told its own, in milliseconds since 1970
     */
    ClusterDirectives(Supplier<IMap<String, StoredDirectives>> map, NanoClock clock, LongSupplier clusterMillis) {
        this.map = map;
        this.clock = clock;
        this.clusterMillis = clusterMillis;
        this.heardNanos = clock.nanoTime();
        this.notBeforeNanos = heardNanos;
        this.tidiedNanos = heardNanos;
        this.thread = Executors.newSingleThreadScheduledExecutor(task -> {
            Thread made = new Thread(task, "weir-directives");
            made.setDaemon(true);
            return made;
        });
    }

    /** Begins to ask, and waits for the first answer, though not for long. */
    void begin(Duration patience) {
        var unused = thread.scheduleWithFixedDelay( // ends with the store; tend() lets nothing escape
                this::tend, 0, INTERVAL.toMillis(), TimeUnit.MILLISECONDS);
        try {
            if (!firstHeard.await(patience.toNanos(), TimeUnit.NANOSECONDS)) {
                LOG.log(
                        System.Logger.Level.DEBUG,
                        "The table of directives has not answered within {0}; until it does, limits are as configured.",
                        patience);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public CompletableFuture<Outcome> publish(Directive directive) {
        CompletableFuture<Outcome> result = new CompletableFuture<>();
        try {
            thread.execute(() -> {
                var unused = ask(List.of(directive)).whenComplete((answer, failure) -> end(result, answer, failure));
            });
        } catch (RejectedExecutionException e) {
            result.completeExceptionally(closedFailure());
        }
        return result.orTimeout(PATIENCE_FOR_PUBLISHING.toNanos(), TimeUnit.NANOSECONDS)
                .exceptionallyCompose(failure -> CompletableFuture.failedFuture(outage(failure)));
    }

    /** Not on this thread: whoever goes on from there may block. */
    private static void end(
            CompletableFuture<Outcome> result, @Nullable DirectiveAnswer answer, @Nullable Throwable failure) {
        if (answer != null) {
            var unused = result.completeAsync(() -> answer.outcomes().get(0));
        } else {
            Throwable cause = failure == null ? new IllegalStateException("no answer at all") : failure;
            var unused = CompletableFuture.runAsync(() -> result.completeExceptionally(cause));
        }
    }

    private static Throwable outage(Throwable failure) {
        Throwable cause =
                failure instanceof CompletionException && failure.getCause() != null ? failure.getCause() : failure;
        return cause instanceof TimeoutException
                ? new StoreUnavailableException(
                        Reason.DEADLINE,
                        "the table of directives has not answered within " + PATIENCE_FOR_PUBLISHING,
                        null)
                : Failures.of(cause);
    }

    @Override
    public Optional<Directive> find(Directive.Id id) {
        return Optional.ofNullable(known.get(id));
    }

    @Override
    public Collection<Directive> all() {
        return List.copyOf(known.values());
    }

    @Override
    public synchronized void listen(Listener listener) {
        for (Directive each : known.values()) {
            if (!listener.changed(each)) {
                return;
            }
        }
        listeners.add(listener);
    }

    @Override
    public long nowMillis() {
        Long ahead = aheadNanos;
        return ahead == null ? clusterMillis.getAsLong() : (clock.nanoTime() + ahead) / 1_000_000;
    }

    /** Zero while no two questions in a row have gone unanswered. */
    @Override
    public Duration behind() {
        long behind = clock.nanoTime() - heardNanos;
        return behind < PATIENCE.plus(INTERVAL).toNanos() ? Duration.ZERO : Duration.ofNanos(behind);
    }

    private void tend() {
        try {
            long now = clock.nanoTime();
            if (now - tidiedNanos >= TIDYING_INTERVAL.toNanos()) {
                tidiedNanos = now;
                long nowMillis = nowMillis();
                known.values()
                        .removeIf(each ->
                                each.hasEnded(nowMillis - Duration.ofMinutes(1).toMillis()));
            }
            if (now - notBeforeNanos >= 0) {
                watch();
                read();
            }
        } catch (StoreUnavailableException e) {
            LOG.log(System.Logger.Level.TRACE, "The table of directives cannot be reached; tries again.", e);
        } catch (RuntimeException | Error e) { // a bug of ours; one that is thrown on would end the reading for good
            LOG.log(System.Logger.Level.ERROR, "Directives could not be read; it is tried again.", e);
        }
    }

    /** Has the map tell when the table changes; once, when the map is there. */
    private void watch() {
        if (watch == null) {
            watch = map.get().addEntryListener(new Watching(this::changed), KEY, false);
        }
    }

    /** On a thread of Hazelcast's. */
    private void changed() {
        try {
            thread.execute(() -> {
                askAgain = asking; // what is on its way may have been answered before the change
                if (!asking) {
                    tend();
                }
            });
        } catch (RejectedExecutionException e) {
            LOG.log(System.Logger.Level.TRACE, "closed: there is nobody to tell", e);
        }
    }

    private void read() {
        long now = clock.nanoTime();
        if (asking && now - askedNanos < PATIENCE.toNanos()) {
            return;
        }
        asking = true;
        askedNanos = now;
        List<Directive> offered = List.copyOf(owed.subList(0, Math.min(MOST_AT_ONCE, owed.size())));
        var unused = ask(offered).whenComplete((answer, failure) -> { // on this thread
            asking = false;
            if (answer != null) {
                settle(offered, answer.outcomes());
                if (askAgain || !owed.isEmpty()) {
                    askAgain = false;
                    read();
                }
            } else if (failure != null && Failures.isUnreadable(failure)) {
                notBeforeNanos = clock.nanoTime() + CALM.toNanos();
            }
        });
    }

    /** More than the table can hold is known: what it has forgotten was not told. */
    private boolean isTooMuch() {
        return known.size() > MOST + MOST / 10;
    }

    /** Asks the owner, and applies what it answers before the future completes. All of it on this thread. */
    private CompletableFuture<DirectiveAnswer> ask(List<Directive> offered) {
        long sent = clock.nanoTime();
        CompletableFuture<DirectiveAnswer> call;
        try {
            call = map.get()
                    .submitToKey(KEY, new DirectiveCall(line, isTooMuch() ? ALL : revision, offered))
                    .toCompletableFuture();
        } catch (RuntimeException e) {
            call = CompletableFuture.failedFuture(e);
        }
        return call.handleAsync((answer, failure) -> heard(answer, failure, sent), thread);
    }

    private DirectiveAnswer heard(@Nullable DirectiveAnswer answer, @Nullable Throwable failure, long sentNanos) {
        if (failure != null) {
            throw failure instanceof CompletionException wrapped ? wrapped : new CompletionException(failure);
        }
        if (answer == null || !answer.isFromOwner()) {
            throw new StoreUnavailableException(
                    Reason.UNREACHABLE,
                    "the owner of the directives slept, and waits for its membership to be confirmed",
                    null);
        }
        long now = clock.nanoTime();
        boolean lost = !answer.line().equals(line) || answer.revision() < revision;
        boolean puts = lost && now - heardNanos < REMEMBERED.toNanos();
        aheadNanos = answer.ownerNanos() - (sentNanos + (now - sentNanos) / 2);
        if (answer.isComplete()) {
            replace(answer, puts);
        } else if (answer.line().equals(line)) {
            answer.directives().forEach(this::apply);
            revision = Math.max(revision, answer.revision());
        } // else: of a table that has been replaced by another since it was asked
        heardNanos = now;
        firstHeard.countDown();
        return answer;
    }

    /**
     * Takes over a whole table. What it lacks was forgotten on purpose, or lost.
     *
     * @param puts whether it was lost, and this node heard of it so lately that nothing it knows can have been withdrawn and forgotten
     *     since: then it puts back what it knows
     */
    private void replace(DirectiveAnswer answer, boolean puts) {
        Map<Directive.Id, Directive> told = new HashMap<>();
        answer.directives().forEach(each -> told.put(each.id(), each));
        List<Directive> lost = new ArrayList<>();
        for (Directive mine : known.values()) {
            Directive theirs = told.get(mine.id());
            if (theirs == null || theirs.version() < mine.version()) {
                lost.add(mine);
            }
        }
        line = answer.line();
        revision = answer.revision();
        if (puts) {
            long nowMillis = nowMillis();
            lost.removeIf(each -> each.hasEnded(nowMillis));
            owed = lost;
        } else {
            lost.forEach(this::forget);
        }
        told.values().forEach(this::apply);
    }

    /** What was offered is not owed any more; what found no room in the table is not in force here either. */
    private void settle(List<Directive> offered, List<Outcome> outcomes) {
        if (offered.isEmpty()) {
            return;
        }
        Set<Directive> done = new HashSet<>(offered);
        owed.removeIf(done::contains);
        for (int i = 0; i < offered.size(); i++) {
            if (outcomes.get(i) == Outcome.FULL) {
                forget(offered.get(i));
            }
        }
    }

    /**
     * The owner's word counts, also where both have the same version, since two sides of a split may have set it; and over a block that
     * has ended, which the owner may have dropped before, so that versions began anew.
     */
    private synchronized void apply(Directive told) {
        Directive mine = known.get(told.id());
        boolean older = mine == null || mine.version() <= told.version() || mine.hasEnded(nowMillis());
        if (older && !told.equals(mine)) {
            known.put(told.id(), told);
            tell(told);
        }
    }

    private synchronized void forget(Directive mine) {
        if (!known.remove(mine.id(), mine)) {
            return;
        }
        if (!mine.isWithdrawn()) {
            tell(new Directive(mine.id(), mine.version(), new Directive.Withdrawn(), mine.actor(), mine.setMillis()));
        }
        listeners.forEach(each -> each.forgotten(mine.id()));
    }

    private void tell(Directive directive) {
        listeners.removeIf(each -> !told(each, directive));
    }

    private static boolean told(Listener listener, Directive directive) {
        try {
            return listener.changed(directive);
        } catch (RuntimeException e) { // a bug of the listener's; the others, and the next directive, come all the same
            LOG.log(System.Logger.Level.ERROR, "A listener for directives threw.", e);
            return true;
        }
    }

    private static StoreUnavailableException closedFailure() {
        return StoreUnavailableException.beforeSending(Reason.CLOSED, "the Hazelcast store is closed");
    }

    /** Asks no more, and has the map tell nothing any more; waits for neither. */
    @Override
    public void close() {
        thread.execute(this::unwatch);
        thread.shutdown();
    }

    /** Has the map tell nothing any more. */
    void unwatch() {
        UUID registered = watch;
        if (registered == null) {
            return;
        }
        try {
            map.get().removeEntryListener(registered);
        } catch (RuntimeException e) { // Hazelcast is shut down, say, and its listeners with it
            LOG.log(System.Logger.Level.TRACE, "The listener for directives could not be removed.", e);
        }
    }

    /** Told on a thread of Hazelcast's that the entry was written, or put there by a merge. */
    private record Watching(Runnable changed)
            implements EntryAddedListener<String, StoredDirectives>,
                    EntryUpdatedListener<String, StoredDirectives>,
                    EntryMergedListener<String, StoredDirectives> {

        @Override
        public void entryAdded(EntryEvent<String, StoredDirectives> event) {
            changed.run();
        }

        @Override
        public void entryUpdated(EntryEvent<String, StoredDirectives> event) {
            changed.run();
        }

        @Override
        public void entryMerged(EntryEvent<String, StoredDirectives> event) {
            changed.run();
        }
    }
}
