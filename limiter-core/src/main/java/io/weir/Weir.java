package io.weir;

import io.weir.store.Board;
import io.weir.store.Buckets;
import io.weir.store.LocalStore;
import io.weir.store.NanoClock;
import io.weir.store.Store;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.IntSupplier;
import org.jspecify.annotations.Nullable;

/**
 * An application's limits over one store. Thread-safe; make one per application and close it on the way out.
 *
 * <pre>{@code
 * Weir weir = Weir.over(store).limit(perClient).build();
 * Limiter limiter = weir.limiter("per-client");
 * if (limiter.tryAcquire(clientId).granted()) { ... }
 * }</pre>
 */
public final class Weir implements AutoCloseable {

    /** As many keys of a limit as a node keeps shares for. A new key beyond them is denied during an outage. */
    private static final int MAX_SHARES = 100_000;

    private static final int MOST_REMEMBERED = 100_000;

    private final Store store;
    private final LiveLimits live;
    private final Upkeep upkeep;

    /** As configured, or as the store last knew; zero if nobody does. */
    private volatile int nodes;

    private Weir(Builder builder, int nodes) {
        this.store = builder.store;
        this.nodes = nodes;
        KeyWatch watch = builder.watch;
        Telling<KeyAtCap> atCap = watch == null ? null : watch.telling();
        Consumer<LimitHealth> listener = builder.listener;
        Announcements announcements = listener == null ? null : Announcements.to(listener);
        Meters meters = builder.meters;
        NanoClock clock = builder.clock;
        Limiter.Pause pause = builder.pause;
        int remembered = builder.remembered;
        IntSupplier among = builder.nodes > 0 ? () -> nodes : this::lastKnownNodes;
        this.upkeep = new Upkeep(List.of(), store, meters, announcements, atCap);
        this.live = LiveLimits.of(builder.limits, store.directives(), clock, (owner, limit) -> {
            requireNodes(limit, among);
            Buckets buckets = store.buckets(limit.name(), limit.rule(), limit.leasing());
            Limiter limiter = new Limiter(
                    limit,
                    buckets,
                    !(store instanceof LocalStore),
                    new Shares(limit.rule(), buckets, () -> Math.max(1, among.getAsInt()), clock, MAX_SHARES),
                    meters,
                    watch == null ? null : watch.watch(limit.name(), clock, atCap),
                    clock,
                    pause,
                    owner,
                    Strikes.buckets(limit, store),
                    remembered > 0 ? new LastDecisions(remembered, clock) : null);
            upkeep.add(limiter);
            return limiter;
        });
        if (builder.runsByItself) {
            upkeep.start();
        }
    }

    /** For limits that are defined at run time: the builder refuses its own before. */
    private static void requireNodes(Limit limit, IntSupplier among) {
        if (limit.failurePolicy() == FailurePolicy.LOCAL_SHARE && among.getAsInt() < 1) {
            throw new IllegalArgumentException(
                    "limit \"" + limit.name() + "\" falls back to LOCAL_SHARE, but this store does"
                            + " not know among how many nodes: say so with .nodes(n)");
        }
    }

    /**
     * Begins an application's limits.
     *
     * @param store where their buckets live; it is closed along with the {@code Weir} that is built. One {@code Weir} for a
     *     store: two that give one limit different numbers change it under each other's hands
     */
    public static Builder over(Store store) {
        return new Builder(Objects.requireNonNull(store, "store"));
    }

    /** How the limits, and the members that own their buckets, stand on this node. From memory, at once. */
    public Health health() {
        return new Health(
                limiters().stream().map(Limiter::health).toList(),
                store.owners(),
                live.directives().behind());
    }

    /** Where the nodes of this application's store put up notes for one another; the console reads them. */
    public Board board() {
        return store.board();
    }

    /** For tests: one round of what otherwise runs by itself. */
    void tend() {
        upkeep.run();
    }

    /**
     * Changes limits while they are in use, on every node.
     *
     * @param actor who does, for the audit: at most {@value io.weir.store.Directive#MAX_ACTOR} characters, any text
     * @throws IllegalArgumentException if it is longer
     */
    public Administration administration(String actor) {
        return new Administration(live, actor);
    }

    /** A store that does not know any more must not make each node take the whole limit for its share. */
    private int lastKnownNodes() {
        int known = store.nodes().orElse(nodes);
        if (known > 0) {
            nodes = known;
        }
        return nodes;
    }

    /**
     * The limiter of one limit; always the same one.
     *
     * @throws IllegalArgumentException if there is no limit of that name
     */
    public Limiter limiter(String name) {
        return limiter(live.limiters(), name);
    }

    static Limiter limiter(Map<String, Limiter> limiters, String name) {
        Limiter limiter = limiters.get(name);
        if (limiter == null) {
            throw new IllegalArgumentException("there is no limit called \"" + name + "\", only "
                    + limiters.keySet().stream().sorted().toList());
        }
        return limiter;
    }

    /**
     * Asks several limits for one request, a user's and a tenant's and the site's, say: all grant, or none is charged.
     *
     * <p>They are asked at once. What some have granted when others deny goes back, once and off the caller's path, also
     * where an owner is lost or an answer is late. A limit that this node knows to deny spares the others from being asked.
     * Each limit is answered for by its own failure policy when its owner cannot be reached.
     *
     * @param asks 1 to 32, of limiters of this {@code Weir}, no two of one limit and one key
     * @return by the longest of the limits' deadlines
     * @throws IllegalArgumentException if there are none or too many, or if two are of one limit and key
     */
    public JointDecision tryAcquire(List<Ask> asks) {
        return Joined.of(Jointly.decide(asks));
    }

    /**
     * {@link #tryAcquire(List)} without waiting for the answers.
     *
     * @return completes by the longest of the limits' deadlines, on a thread of the store's executor for continuations or, if
     *     the answers were there at once, on the caller's; exceptionally only if the store has a bug
     * @throws IllegalArgumentException at once, as above
     */
    public CompletableFuture<JointDecision> tryAcquireAsync(List<Ask> asks) {
        return Jointly.decide(asks);
    }

    /**
     * Every limiter there is now, in the order in which their limits were added; unmodifiable. A limit that is defined at run time is in
     * what a later call returns.
     */
    public Collection<Limiter> limiters() {
        return live.limiters().values();
    }

    /**
     * Puts a changed limit in force, on this node alone and from the next request on; on every node: {@link Administration#change}.
     * Balances are carried over in proportion.
     *
     * <p>A key whose bucket was last decided under a newer version, by another node, stays under that one.
     *
     * @param changed a limit of the same name, failure policy, exactness and shadow, and of a newer version unless only the deadline differs
     * @throws IllegalArgumentException if there is no such limit, or the change is not one of numbers; the present
     *     limit stays in force then
     */
    public void change(Limit changed) {
        live.change(limiter(changed.name()), changed);
    }

    /**
     * Closes the store. Who {@linkplain Limiter#acquire waits} gives back what was put aside. Requests from now on are answered by their limit's failure policy, and this node's shares go on:
     * what is still on its way while an application shuts down is treated as in an outage. Owners are not charged any more
     * for what was granted without them, and no listener is told anything, and no key is watched. It does not matter
     * which is closed first, this or what the store stands on.
     */
    @Override
    public void close() {
        upkeep.close();
        upkeep.limiters().forEach(Limiter::close); // removed ones too, and first: it goes back through the store
        store.close();
    }

    /** Collects an application's limits. Not thread-safe. */
    public static final class Builder {
        private final Store store;
        private final Map<String, Limit> limits = new LinkedHashMap<>();
        private @Nullable Meters meters;
        private @Nullable Consumer<LimitHealth> listener;
        private @Nullable KeyWatch watch;
        private boolean runsByItself = true;
        private int nodes;
        private int remembered;
        private NanoClock clock = NanoClock.monotonic();
        private Limiter.@Nullable Pause pause;

        private Builder(Store store) {
            this.store = store;
        }

        /**
         * Adds a limit.
         *
         * @throws IllegalArgumentException if a different limit of the same name was added before
         */
        public Builder limit(Limit limit) {
            Limit before = limits.putIfAbsent(limit.name(), limit);
            if (before != null && !before.equals(limit)) {
                throw new IllegalArgumentException(
                        "limit \"" + limit.name() + "\" is given twice and differs: " + before + " and " + limit);
            }
            return this;
        }

        /** Reports to {@code value}; nothing is metered if not called. */
        public Builder meters(Meters value) {
            this.meters = value;
            return this;
        }

        /**
         * Among how many nodes a limit is divided by {@link FailurePolicy#LOCAL_SHARE}; if not called, the store says.
         *
         * @param value everything that limits: members and clients, 1 or more
         * @throws IllegalArgumentException if it is less than 1
         */
        public Builder nodes(int value) {
            if (value < 1) {
                throw new IllegalArgumentException("nodes must be at least 1 but is " + value);
            }
            this.nodes = value;
            return this;
        }

        /**
         * Has {@code value} told when a limit becomes degraded or exact again, within a quarter of a second or so.
         *
         * <p>It is told on a thread that has nothing else to do: one that blocks or throws holds up nobody but itself. Of
         * changes that come while it is busy it is told the last of each limit.
         *
         * <p>A {@code Weir} that nobody refers to any more is forgotten though it was not closed; but not if its listener
         * refers to it, in which case it has to be {@linkplain Weir#close closed}.
         */
        public Builder onChange(Consumer<LimitHealth> value) {
            this.listener = Objects.requireNonNull(value, "listener");
            return this;
        }

        /**
         * Watches the keys of every limit: see {@link Limiter#busiestKeys} and {@link KeyWatch#atCap}. None are watched if
         * not called.
         *
         * <p>If the listener of {@code value} refers to the {@code Weir}, that has to be {@linkplain Weir#close closed}, as
         * with {@link #onChange}.
         */
        public Builder watchKeys(KeyWatch value) {
            this.watch = Objects.requireNonNull(value, "watch");
            return this;
        }

        /**
         * Remembers the last decisions of each limit on this node, for {@link Administration#look}; none if not called. Each costs about
         * 100 bytes besides its key, and every decision a few nanoseconds more.
         *
         * @param value how many of each limit, 1 to 100,000
         * @throws IllegalArgumentException if it is out of range
         */
        public Builder rememberDecisions(int value) {
            if (value < 1 || value > MOST_REMEMBERED) {
                throw new IllegalArgumentException(
                        "remembered decisions must be 1 to " + MOST_REMEMBERED + " but are " + value);
            }
            this.remembered = value;
            return this;
        }

        /**
         * For tests: what outages are timed by, and how {@link Limiter#acquire} waits. Nothing runs by itself then: see
         * {@link Weir#tend}.
         */
        Builder time(NanoClock ticking, Limiter.Pause sleeping) {
            this.runsByItself = false;
            this.clock = ticking;
            this.pause = sleeping;
            return this;
        }

        /**
         * Ready to ask.
         *
         * @throws IllegalArgumentException if there is no limit, or if a limit is to be shared out and neither the store
         *     nor {@link #nodes(int)} says among how many nodes, if a limit is a shadow of one that is not there or is a shadow, or if
         *     one is called as the strikes of another
         * @throws IllegalStateException if keys are to be watched, and the library that this takes is missing
         */
        public Weir build() {
            if (limits.isEmpty()) {
                throw new IllegalArgumentException("there is no limit: add one with .limit(..)");
            }
            limits.values().forEach(each -> LiveLimits.requireEnforcedBeside(each, limits));
            limits.values().forEach(each -> Strikes.requireDistinct(each, limits.values()));
            List<String> shared = limits.values().stream()
                    .filter(limit -> limit.failurePolicy() == FailurePolicy.LOCAL_SHARE)
                    .map(Limit::name)
                    .toList();
            int known = nodes > 0 ? nodes : store.nodes().orElse(0);
            if (!shared.isEmpty() && known < 1) {
                throw new IllegalArgumentException("limits " + shared + " fall back to LOCAL_SHARE, but this store does"
                        + " not know among how many nodes: say so with .nodes(n), counting every member and client"
                        + " that limits, or wait until the store has reached its cluster");
            }
            return new Weir(this, known);
        }
    }
}
