package io.weir.console;

import io.weir.Weir;
import io.weir.store.NanoClock;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A page that shows an application's limits as they are enforced now, on all nodes of its cluster. It reads and changes nothing.
 * Thread-safe; make one on every node, also on those that serve no page: it tells the others how the node's limits stand.
 *
 * <pre>{@code
 * ConsoleMeters meters = ConsoleMeters.beside(MicrometerMeters.in(registry));
 * Weir weir = Weir.over(store).limit(perClient).meters(meters).watchKeys(KeyWatch.create()).build();
 * Console console = Console.of(weir, meters).node("n1").build();
 * }</pre>
 *
 * <p>{@link ConsoleServlet} serves it in a servlet container, and {@link #answer} anywhere else. It asks nobody who he is: whoever can
 * reach it sees limits, members' addresses and clients' keys, so that the application has to guard it.
 *
 * <p>While nobody looks, a node asks once a second whether anybody does, and that is all. While somebody does, each node posts a note each second, and the
 * one that is looked at puts them together, once for all who look at it. All of that is done by one thread; who asks gets bytes
 * that are ready.
 */
public final class Console implements AutoCloseable {

    private static final System.Logger LOG = System.getLogger(Console.class.getName());

    private static final Duration INTERVAL = Duration.ofSeconds(1);

    /** After which the notes of others have arrived, of those who can be reached. */
    private static final Duration ARRIVAL = Duration.ofMillis(250);

    /** What is older is not shown: whoever comes after a while waits for what is new. */
    private static final Duration STALE = Duration.ofMillis(2_500);

    private static final int MOST_WAITING = 64;
    private static final Duration PATIENCE = Duration.ofSeconds(2);

    /** Different questions that are remembered until the next second. */
    private static final int MOST_RENDERED = 64;

    private static final String JSON = "application/json";
    private static final String TEXT = "text/plain; charset=utf-8";

    private final Watching watching;
    private final ConsoleFiles files = ConsoleFiles.load();
    private final NanoClock clock;
    private final InstantSource wall;
    private final ScheduledExecutorService thread;

    /** For those who wait for what is not ready. */
    private final Semaphore places = new Semaphore(MOST_WAITING);

    private volatile @Nullable Published published;

    /** A snapshot, and what of it was asked for so far. */
    private record Published(Snapshot snapshot, long atNanos, Map<DataQuery, ConsoleAnswer> rendered) {}

    private Console(Builder builder) {
        this.watching =
                new Watching(builder.weir, builder.meters, builder.node, builder.mask, builder.masked, builder.quotas);
        this.clock = builder.clock;
        this.wall = builder.wall;
        this.thread = Executors.newSingleThreadScheduledExecutor(task -> {
            Thread made = new Thread(task, "weir-console");
            made.setDaemon(true);
            return made;
        });
        if (builder.runsByItself) {
            var unused = thread.scheduleAtFixedRate( // ends with the console; guarded() lets nothing escape
                    () -> guarded(this::round), INTERVAL.toNanos(), INTERVAL.toNanos(), TimeUnit.NANOSECONDS);
        }
    }

    /**
     * Begins a console.
     *
     * @param weir whose limits it shows
     * @param meters which {@code weir} was built with
     */
    public static Builder of(Weir weir, ConsoleMeters meters) {
        return new Builder(Objects.requireNonNull(weir, "weir"), Objects.requireNonNull(meters, "meters"));
    }

    /**
     * What a server is to answer a request with. Waits for up to 2 s where that is not ready: if nobody has looked for a while, and for the
     * first who asks for something after each look. If too many wait, it is 503 at once.
     *
     * @param method as in the request: {@code GET} and {@code HEAD} are answered
     * @param mount the path of the page, without a slash at its end: {@code /weir}
     * @param path what follows it in the request's path, decoded: {@code /} for the page, empty for a request without that slash
     * @param query the request's query, not decoded; null if there is none
     */
    public ConsoleAnswer answer(String method, String mount, String path, @Nullable String query) {
        if (!method.equals("GET") && !method.equals("HEAD")) {
            return text(405, "this page is only read", Map.of("Allow", "GET, HEAD"));
        }
        if (path.isEmpty()) {
            // A relative one: who stands between may know this server by another name and path.
            String last = mount.substring(mount.lastIndexOf('/') + 1);
            return text(308, "the page is one slash further on", Map.of("Location", "./" + last + "/"));
        }
        return path.equals("/data")
                ? data(query)
                : files.at(path).orElseGet(() -> text(404, "there is no such file", Map.of()));
    }

    private ConsoleAnswer data(@Nullable String query) {
        DataQuery asked;
        try {
            asked = DataQuery.of(query);
        } catch (IllegalArgumentException e) {
            return text(
                    400,
                    "the query cannot be read: limits is 0 to " + DataQuery.MOST + ", filter is short text",
                    Map.of());
        }
        watching.viewed(clock.nanoTime());
        Published present = published;
        if (present != null && isFresh(present)) {
            ConsoleAnswer ready = present.rendered().get(asked);
            if (ready != null) {
                return ready;
            }
        }
        return later(asked);
    }

    private boolean isFresh(Published present) {
        return clock.nanoTime() - present.atNanos() < STALE.toNanos();
    }

    /** By the console's thread, so that however many ask, one core at most is busy with it. */
    private ConsoleAnswer later(DataQuery asked) {
        if (!places.tryAcquire()) {
            return away();
        }
        try {
            return CompletableFuture.supplyAsync(() -> rendered(asked), thread)
                    .whenComplete((answer, failure) -> places.release())
                    .get(PATIENCE.toNanos(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return away();
        } catch (RejectedExecutionException e) {
            places.release();
            return away(); // it is closed
        } catch (TimeoutException e) {
            LOG.log(System.Logger.Level.DEBUG, "The console has not answered in time.", e);
            return away();
        } catch (ExecutionException e) { // a bug of ours
            LOG.log(System.Logger.Level.ERROR, "The console cannot be shown.", e.getCause());
            return away();
        }
    }

    private static ConsoleAnswer away() {
        return text(503, "nothing to show yet", Map.of("Retry-After", "1"));
    }

    private ConsoleAnswer rendered(DataQuery asked) {
        Published present = published;
        if (present == null || !isFresh(present)) {
            look();
            publish();
            present = published;
        }
        if (present == null) {
            return away();
        }
        Snapshot snapshot = present.snapshot();
        Map<DataQuery, ConsoleAnswer> rendered = present.rendered();
        if (rendered.size() >= MOST_RENDERED) {
            rendered.clear();
        }
        return rendered.computeIfAbsent(
                asked,
                query -> new ConsoleAnswer(200, Fields.of(JSON, "no-store"), SnapshotJson.bytes(snapshot, query)));
    }

    private void round() {
        look();
        if (watching.isViewed(clock.nanoTime())) {
            var unused = thread.schedule(() -> guarded(this::publish), ARRIVAL.toNanos(), TimeUnit.NANOSECONDS);
        } else {
            published = null;
        }
    }

    /** Also for tests: the first half of a round, after which notes arrive. */
    void look() {
        watching.look(clock.nanoTime());
    }

    /** Also for tests: the other half. */
    void publish() {
        long now = clock.nanoTime();
        Snapshot snapshot = watching.together(now, wall.instant());
        published = snapshot == null ? null : new Published(snapshot, now, new ConcurrentHashMap<>());
    }

    /** Whatever goes wrong, the next round comes. */
    private static void guarded(Runnable task) {
        try {
            task.run();
        } catch (RuntimeException | Error e) {
            LOG.log(System.Logger.Level.ERROR, "The console could not look; it is tried again.", e);
        }
    }

    private static ConsoleAnswer text(int status, String text, Map<String, String> more) {
        Map<String, String> fields = new HashMap<>(Fields.of(TEXT, "no-store"));
        fields.putAll(more);
        return new ConsoleAnswer(status, fields, (text + "\n").getBytes(StandardCharsets.UTF_8));
    }

    /** Looks no more, and tells others nothing any more. To be closed before the {@link Weir}. */
    @Override
    public void close() {
        thread.shutdownNow();
    }

    /** Collects what a console is made with. Not thread-safe. */
    public static final class Builder {
        private final Weir weir;
        private final ConsoleMeters meters;
        private String node = "this node";
        private KeyMask mask = KeyMask.none();
        private boolean masked;
        private Supplier<List<QuotaLine>> quotas = List::of;
        private NanoClock clock = NanoClock.monotonic();
        private InstantSource wall = InstantSource.system();
        private boolean runsByItself = true;

        private Builder(Weir weir, ConsoleMeters meters) {
            this.weir = weir;
            this.meters = meters;
        }

        /**
         * What this node is called on the page, {@code this node} if nobody says. Members are listed by their addresses; clients, which have none, by
         * this.
         *
         * @param value 1 to 64 characters
         * @throws IllegalArgumentException if it is longer, or empty
         */
        public Builder node(String value) {
            if (value.isEmpty() || value.length() > 64) {
                throw new IllegalArgumentException("node must have 1 to 64 characters but has " + value.length());
            }
            this.node = Shown.text(value);
            return this;
        }

        /**
         * How keys are shown, as they are if nobody says. Of nodes that mask differently each masks its own; a node that masks never shows a key
         * of another as it is.
         */
        public Builder maskKeys(KeyMask value) {
            this.mask = Objects.requireNonNull(value, "mask");
            this.masked = true;
            return this;
        }

        /**
         * Shows quotas, too, up to 200.
         *
         * @param value asked once a second while somebody looks, by the console's thread, and so is to answer from memory. What it throws is logged
         */
        public Builder quotas(Supplier<List<QuotaLine>> value) {
            this.quotas = Objects.requireNonNull(value, "quotas");
            return this;
        }

        /** For tests: no round runs by itself. */
        Builder time(NanoClock ticking, InstantSource date) {
            this.clock = ticking;
            this.wall = date;
            this.runsByItself = false;
            return this;
        }

        /**
         * A console that tells others how this node stands from now on, and can be looked at.
         *
         * @throws IllegalStateException if the chart's library, {@code org.webjars.npm:uplot}, is not on the class path
         */
        public Console build() {
            return new Console(this);
        }
    }
}
