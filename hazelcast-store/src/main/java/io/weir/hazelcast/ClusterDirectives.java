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
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
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
 * The directives that all nodes of a namespace go by: how this node keeps {@linkplain KnownDirectives its copy} up to date.
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

    private static final String KEY = "directives";

    private static final System.Logger LOG = System.getLogger(HazelcastStore.class.getName());

    private final Supplier<IMap<String, StoredDirectives>> map;
    private final NanoClock clock;
    private final LongSupplier clusterMillis;
    private final ScheduledExecutorService thread;
    private final CountDownLatch firstHeard = new CountDownLatch(1);
    private final KnownDirectives known = new KnownDirectives(this::nowMillis);

    private volatile long heardNanos;

    /** The owner's clock less this node's; null before the first answer. */
    private volatile @Nullable Long aheadNanos;

    // Touched by the thread only:
    private boolean asking;
    private boolean askAgain;
    private long askedNanos;
    private long notBeforeNanos;
    private long tidiedNanos;
    private volatile @Nullable UUID watch; // read when it is closed, too

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
        return known.find(id);
    }

    @Override
    public Collection<Directive> all() {
        return known.all();
    }

    @Override
    public void listen(Listener listener) {
        known.listen(listener);
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
                known.tidy();
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
        List<Directive> offered = known.owed();
        var unused = ask(offered).whenComplete((answer, failure) -> { // on this thread
            asking = false;
            if (answer != null) {
                known.settle(offered, answer.outcomes());
                if (askAgain || known.owesAny()) {
                    askAgain = false;
                    read();
                }
            } else if (failure != null && Failures.isUnreadable(failure)) {
                notBeforeNanos = clock.nanoTime() + CALM.toNanos();
            }
        });
    }

    /** Asks the owner, and applies what it answers before the future completes. All of it on this thread. */
    private CompletableFuture<DirectiveAnswer> ask(List<Directive> offered) {
        long sent = clock.nanoTime();
        CompletableFuture<DirectiveAnswer> call;
        try {
            call = map.get().submitToKey(KEY, known.question(offered)).toCompletableFuture();
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
        aheadNanos = answer.ownerNanos() - (sentNanos + (now - sentNanos) / 2);
        known.heard(answer, now - heardNanos < REMEMBERED.toNanos());
        heardNanos = now;
        firstHeard.countDown();
        return answer;
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
