package io.weir.hazelcast;

import com.hazelcast.client.impl.clientside.HazelcastClientProxy;
import com.hazelcast.cluster.Member;
import com.hazelcast.config.Config;
import com.hazelcast.config.InMemoryFormat;
import com.hazelcast.config.MapConfig;
import com.hazelcast.config.MergePolicyConfig;
import com.hazelcast.config.SplitBrainProtectionConfig;
import com.hazelcast.core.HazelcastInstance;
import com.hazelcast.map.IMap;
import com.hazelcast.spi.merge.DiscardMergePolicy;
import com.hazelcast.splitbrainprotection.SplitBrainProtectionOn;
import io.weir.algorithm.Bandwidth;
import io.weir.algorithm.Rule;
import io.weir.algorithm.TokenBucket;
import io.weir.store.Board;
import io.weir.store.Buckets;
import io.weir.store.Directives;
import io.weir.store.Leasing;
import io.weir.store.NanoClock;
import io.weir.store.OwnerHealth;
import io.weir.store.Store;
import io.weir.store.StoreUnavailableException;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Buckets that a whole Hazelcast cluster shares: the limit in the configuration is the limit that all members and clients
 * enforce together.
 *
 * <p>Buckets live in one map for each {@code namespace}. A check is one operation on the member that owns the key, first
 * touch included; on a grant the new state is on the backup before the caller hears of it. Calls of one node on one key are
 * combined: while one is in flight, later ones queue up and leave together.
 *
 * <p>Assumes:
 *
 * <ol>
 *   <li>this jar, in versions no further apart than one release, on the class path of every member of the cluster;
 *   <li>members configured with {@link #configure}; what departs from it is reported when the store joins;
 *   <li>members' clocks that differ by less than 5 s.
 * </ol>
 *
 * <p>Guarantees, for any number of nodes and threads:
 *
 * <ol>
 *   <li>calls on a key are decided one after another, by its owner's clock; callers' clocks do not matter;
 *   <li>a call that Hazelcast delivers twice charges once, and one that is delivered after its deadline charges
 *       nothing: to within a round trip, and to within 2 s if it was sent to an owner that had never answered before;
 *   <li>no call takes longer than its deadline, except for a few milliseconds and what scheduling adds, and except with
 *       Hazelcast's back pressure, which holds up whoever sends;
 *   <li>no thread is started for a call, no continuation of the caller's runs on a thread of Hazelcast's, whatever its
 *       executor does (unless the machine has no thread left to give), and nothing blocks one.
 * </ol>
 *
 * <p>The store does not close the Hazelcast instance, which is the application's.
 */
public final class HazelcastStore implements Store {

    /** How many asynchronous requests may wait at once, unless the store was built with another number. */
    public static final int DEFAULT_MAX_WAITING = 100_000;

    private static final System.Logger LOG = System.getLogger(HazelcastStore.class.getName());

    private static final Pattern NAMESPACE = Pattern.compile("[A-Za-z0-9._-]{1,64}");
    private static final String MAP_PREFIX = "weir.";

    /** No namespace's map begins like this. */
    private static final String ROSTER_PREFIX = "weir-nodes.";

    /** Nor like this. */
    private static final String DIRECTIVES_PREFIX = "weir-directives.";

    /** Nor like this. */
    private static final String BOARD_PREFIX = "weir-board.";

    /** Several times in the life of a lease. */
    private static final Duration TENDING_INTERVAL = Breakers.TENDING_INTERVAL;

    private static final Duration LOOKING_INTERVAL = Duration.ofSeconds(10);

    private static final Duration PATIENCE_FOR_A_GREETING = Duration.ofSeconds(1);

    /** Ample for a cluster that is there. One that is not there keeps nobody from starting. */
    private static final Duration PATIENCE_FOR_THE_CLUSTER = Duration.ofSeconds(5);

    private final HazelcastInstance hazelcast;
    private final Arrival arrival;
    private final Node node;
    private final ExecutorService courier;
    private final Map<String, HazelcastBuckets> buckets = new ConcurrentHashMap<>();
    private final ScheduledExecutorService tending;
    private final Remembering remembering;
    private final boolean client;
    private final Nodes nodes;
    private final UUID membershipListener;

    /** Null until somebody asks for them: who only wants buckets asks nobody for directives. Guarded by this. */
    private @Nullable ClusterDirectives directives;

    private final String directivesName;
    private final HazelcastBoard board;

    private long lookedNanos; // touched by the tending thread only

    /** Starts no thread: nothing is left behind if it throws. */
    private HazelcastStore(Builder builder) {
        this.hazelcast = builder.hazelcast;
        this.client = hazelcast instanceof HazelcastClientProxy;
        MapConfig wanted = mapConfig(builder.namespace);
        MapConfig wantedOfDirectives = directivesConfig(builder.namespace);
        this.directivesName = wantedOfDirectives.getName();
        SettingsCheck.inspect(hazelcast, client, wanted, wantedOfDirectives);
        this.arrival = new Arrival("weir-arrival", () -> {
            SettingsCheck.addIfMissing(hazelcast, client, wanted);
            SettingsCheck.addIfMissing(hazelcast, client, wantedOfDirectives);
            return new Arrival.Maps(
                    OwnerCalls.from(hazelcast, wanted.getName()), hazelcast.getMap(ROSTER_PREFIX + builder.namespace));
        });

        NanoClock clock = NanoClock.monotonic();
        // A member knows the cluster's time; what a client takes for it is its own date.
        OwnerClocks ownerClocks =
                new OwnerClocks(clock, () -> hazelcast.getCluster().getClusterTime() * 1_000_000);
        this.courier = Executors.newSingleThreadExecutor(task -> daemon(task, "weir-courier"));
        UUID identity = UUID.randomUUID();
        this.nodes = Nodes.in(arrival::rosters, identity, clock);
        this.node = new Node(
                identity,
                clock,
                arrival,
                ownerClocks,
                courier,
                new PooledContinuations(builder.continuations),
                new Deadlines(clock),
                builder.maxWaiting);
        this.board = new HazelcastBoard(hazelcast, client, boardConfig(builder.namespace), identity, nodes::known);
        this.remembering = builder.remembering;
        this.tending = Executors.newSingleThreadScheduledExecutor(task -> daemon(task, "weir-leases"));
        this.membershipListener =
                hazelcast.getCluster().addMembershipListener(new MembershipWatch(this::membersChanged, node::forget));
    }

    private void begin() {
        try {
            node.deadlines().start("weir-deadlines");
            if (!client) {
                Owner.of(hazelcast); // begin to tick now rather than at the first call, on a partition thread
            }
            var unused = tending.scheduleWithFixedDelay( // ends with the store; tend() lets nothing escape
                    this::tend, TENDING_INTERVAL.toMillis(), TENDING_INTERVAL.toMillis(), TimeUnit.MILLISECONDS);
            arrival.begin(PATIENCE_FOR_THE_CLUSTER);
            greet();
            nodes.begin();
        } catch (RuntimeException | Error e) {
            close();
            throw e;
        }
    }

    /**
     * The store of {@code namespace} in a cluster. If that is not there yet (a client that starts asynchronously or
     * reconnects, a cluster that is passive), limits are answered by their failure policies, and exactly from when it is: that
     * takes no second call. Waits up to 7 s for a cluster that does not answer.
     *
     * @param hazelcast a running member, full or lite, or a client
     * @param namespace whose limits these are: two applications that share a cluster keep their buckets apart by it.
     *     1 to 64 of {@code A-Z a-z 0-9 . _ -}
     * @throws IllegalArgumentException if the namespace is not one, or if {@code hazelcast} is wrapped in a class that is
     *     neither a member nor a client
     * @throws IllegalStateException if Hazelcast is too old, naming its version and the one that is needed, or cannot read
     *     Weir's classes, naming what is in the way
     */
    public static HazelcastStore join(HazelcastInstance hazelcast, String namespace) {
        return builder(hazelcast, namespace).join();
    }

    /** As {@link #join(HazelcastInstance, String)}, with more to choose. */
    public static Builder builder(HazelcastInstance hazelcast, String namespace) {
        return new Builder(hazelcast, namespace);
    }

    /**
     * The configuration of a namespace's map: one synchronous backup, nothing that drops a bucket before its time, the merge
     * policy {@link LowerBalance}, and the name of the protection that {@link #configure} adds. For those who change it: call
     * {@code configure} first, and then add what became of this. A store that joins a cluster without it adds it then, but
     * protection cannot be added to a member that runs.
     *
     * @param namespace as for {@link #join(HazelcastInstance, String)}
     */
    public static MapConfig mapConfig(String namespace) {
        return new MapConfig(mapName(namespace))
                .setInMemoryFormat(InMemoryFormat.BINARY)
                .setBackupCount(1)
                .setAsyncBackupCount(0)
                .setStatisticsEnabled(false)
                .setSplitBrainProtectionName(Majority.NAME)
                .setMergePolicyConfig(new MergePolicyConfig().setPolicy(LowerBalance.class.getName()));
    }

    /**
     * The configuration of the map of a namespace's directives, {@code weir-directives.} and the namespace, which holds one small entry. For those who change it, as
     * {@link #mapConfig}.
     *
     * @param namespace as for {@link #join(HazelcastInstance, String)}
     */
    public static MapConfig directivesConfig(String namespace) {
        mapName(namespace); // refuses what is none
        return new MapConfig(DIRECTIVES_PREFIX + namespace)
                // Asked often and changed seldom: it is not to be read anew from bytes for each question.
                .setInMemoryFormat(InMemoryFormat.OBJECT)
                .setBackupCount(1)
                .setAsyncBackupCount(0)
                .setStatisticsEnabled(false)
                .setSplitBrainProtectionName(Majority.NAME)
                .setMergePolicyConfig(new MergePolicyConfig().setPolicy(HigherVersion.class.getName()));
    }

    /**
     * The configuration of the map of a namespace's {@linkplain io.weir.store.Board notes}, {@code weir-board.} and the namespace. Nothing is kept in it
     * unless somebody looks at a console, and then a note for each node, which nobody misses if it is lost: no backup, and no protection,
     * so that each side of a split can be looked at. For those who change it, as {@link #mapConfig}.
     *
     * @param namespace as for {@link #join(HazelcastInstance, String)}
     */
    public static MapConfig boardConfig(String namespace) {
        mapName(namespace); // refuses what is none
        return new MapConfig(BOARD_PREFIX + namespace)
                .setInMemoryFormat(InMemoryFormat.BINARY)
                .setBackupCount(0)
                .setAsyncBackupCount(0)
                .setStatisticsEnabled(false)
                .setMergePolicyConfig(new MergePolicyConfig().setPolicy(DiscardMergePolicy.class.getName()));
    }

    /**
     * Adds what a namespace needs to a member's configuration, before the member starts: its maps, and the protection that
     * lets only a majority of the members decide ({@link Majority}). To be called on every member, once for each
     * namespace; again changes nothing.
     *
     * @param namespace as for {@link #join(HazelcastInstance, String)}
     * @return {@code config}
     */
    public static Config configure(Config config, String namespace) {
        return config.addMapConfig(mapConfig(namespace))
                .addMapConfig(directivesConfig(namespace))
                .addMapConfig(boardConfig(namespace))
                .addSplitBrainProtectionConfig(protection());
    }

    /** The same for every namespace. By class name, since members must not share one. */
    static SplitBrainProtectionConfig protection() {
        SplitBrainProtectionConfig protection =
                new SplitBrainProtectionConfig(Majority.NAME, true).setProtectOn(SplitBrainProtectionOn.READ_WRITE);
        protection.setFunctionClassName(Majority.class.getName());
        return protection;
    }

    /** The name of the map in which a namespace's buckets live: {@code weir.} and the namespace. */
    public static String mapName(String namespace) {
        if (!NAMESPACE.matcher(namespace).matches()) {
            throw new IllegalArgumentException("namespace must be 1 to 64 of A-Z a-z 0-9 . _ - but is \""
                    + namespace.substring(0, Math.min(64, namespace.length())).replaceAll("[^ -~]", "?") + "\"");
        }
        return MAP_PREFIX + namespace;
    }

    @Override
    public Buckets buckets(String limit, Rule rule, Leasing leasing) {
        Remembering what =
                remembering == Remembering.ALL && leasing == Leasing.NEVER ? Remembering.DENIALS : remembering;
        HazelcastBuckets found = buckets.computeIfAbsent(limit, name -> new HazelcastBuckets(node, name, rule, what));
        found.change(rule);
        return found;
    }

    /**
     * The last number of nodes that was stable: stores of this namespace, on members and on clients. One that is closed is
     * subtracted within seconds, and one that was lost without a word after 5 minutes; what happens during a fault changes
     * nothing. Before the cluster has answered for the first time it is the number of members and, on a client, empty.
     */
    @Override
    public OptionalInt nodes() {
        OptionalInt known = nodes.stable();
        return known.isPresent() || client
                ? known
                : OptionalInt.of(Math.max(1, Membership.of(hazelcast).members().stable()));
    }

    /**
     * Hazelcast checks the configuration of a map when it is first asked for it, and a member that lacks Weir's classes logs a
     * stack trace then. So nobody asks before the roster has answered, which names none of them in its configuration.
     */
    private IMap<String, StoredDirectives> directivesMap() {
        if (nodes.stable().isEmpty()) {
            throw StoreUnavailableException.beforeSending(
                    StoreUnavailableException.Reason.UNREACHABLE, "the roster of nodes has not answered yet");
        }
        return hazelcast.getMap(directivesName);
    }

    /**
     * Those of the namespace, the same for every node. The first call has this node follow them from then on, and waits for the
     * first answer, for a second at most.
     */
    @Override
    public synchronized Directives directives() {
        ClusterDirectives made = directives;
        if (made == null) {
            made = new ClusterDirectives(
                    this::directivesMap,
                    node.clock(),
                    () -> hazelcast.getCluster().getClusterTime());
            directives = made;
            if (node.isClosed()) {
                made.close();
            } else {
                made.begin(PATIENCE_FOR_A_GREETING);
            }
        }
        return made;
    }

    private synchronized void closeDirectives() {
        if (directives != null) {
            directives.close();
        }
    }

    /** That of the namespace. It asks the cluster for nothing until it is used. */
    @Override
    public Board board() {
        return board;
    }

    @Override
    public List<OwnerHealth> owners() {
        Map<UUID, String> addresses = new HashMap<>();
        if (hazelcast.getLifecycleService().isRunning()) {
            hazelcast
                    .getCluster()
                    .getMembers()
                    .forEach(each ->
                            addresses.put(each.getUuid(), each.getAddress().toString()));
        }
        return node.breakers().health(owner -> addresses.getOrDefault(owner, owner.toString()));
    }

    @Override
    public void close() {
        if (!node.close()) {
            return;
        }
        closeDirectives();
        board.close();
        arrival.close();
        tending.shutdown();
        PendingReturns returns = new PendingReturns(node.clock());
        buckets.values().forEach(each -> each.close(returns::mayBegin, returns::ended));
        returns.await();
        if (hazelcast.getLifecycleService().isRunning()) {
            nodes.end();
        }
        node.deadlines().close();
        courier.shutdown();
        if (hazelcast.getLifecycleService().isRunning()) {
            hazelcast.getCluster().removeMembershipListener(membershipListener);
        }
    }

    private void membersChanged() {
        nodes.hurry();
        node.membersChanged();
    }

    private void tend() {
        try {
            node.tend();
            nodes.tend();
            forgetStrangers();
            buckets.values().forEach(HazelcastBuckets::tend);
        } catch (RuntimeException | Error e) { // a bug of ours; one that is thrown on would end all tending for good
            LOG.log(System.Logger.Level.ERROR, "Leases could not be looked after; they expire.", e);
        }
    }

    /** A call that was routed by an old table may have made this node know a member again after it had left. */
    private void forgetStrangers() {
        long now = node.clock().nanoTime();
        if (now - lookedNanos < LOOKING_INTERVAL.toNanos()
                || !hazelcast.getLifecycleService().isRunning()) {
            return;
        }
        lookedNanos = now;
        Set<UUID> members = hazelcast.getCluster().getMembers().stream()
                .map(Member::getUuid)
                .collect(Collectors.toSet());
        if (!members.isEmpty()) { // a client that is cut off from all of them
            node.forgetAllBut(members);
        }
    }

    /**
     * A free peek, of a key that no limit can have. It learns an owner's clock before the first deadline goes by it, and
     * finds out now rather than at the first request whether this version of Hazelcast has what {@link OwnerCalls} needs.
     */
    private void greet() {
        Rule any = new Rule(1, new TokenBucket(List.of(Bandwidth.of(1, 1, Duration.ofSeconds(1)))));
        try {
            new HazelcastBuckets(node, "", any, Remembering.NOTHING).take("", 0, PATIENCE_FOR_A_GREETING.toNanos());
        } catch (StoreUnavailableException e) {
            LOG.log(
                    System.Logger.Level.WARNING,
                    "The cluster cannot decide yet ({0}). Limits are answered by their failure policies until it can.",
                    e.getMessage());
        }
    }

    private static Thread daemon(Runnable task, String name) {
        Thread thread = new Thread(task, name);
        thread.setDaemon(true);
        return thread;
    }

    /** Collects what a store is built with. Not thread-safe. */
    public static final class Builder {
        private final HazelcastInstance hazelcast;
        private final String namespace;
        private @Nullable Executor continuations;
        private int maxWaiting = DEFAULT_MAX_WAITING;
        private Remembering remembering = Remembering.ALL;

        private Builder(HazelcastInstance hazelcast, String namespace) {
            mapName(namespace); // refuses what is none
            this.hazelcast = hazelcast;
            this.namespace = namespace;
        }

        /**
         * Where the futures of asynchronous calls are completed, and so where continuations run that are added without an
         * executor of their own. A few threads of the store's if not called.
         *
         * @param value not closed by the store. A future whose completion it refuses fails with
         *     {@link io.weir.store.StoreUnavailableException.Reason#OVERLOADED}
         */
        public Builder continuations(Executor value) {
            this.continuations = value;
            return this;
        }

        /**
         * How many asynchronous requests may wait at once; what goes beyond fails with
         * {@link io.weir.store.StoreUnavailableException.Reason#OVERLOADED}. {@value #DEFAULT_MAX_WAITING} if not called.
         *
         * @param value 1 or more
         * @throws IllegalArgumentException if it is less than 1
         */
        public Builder maxWaiting(int value) {
            if (value < 1) {
                throw new IllegalArgumentException("maxWaiting must be at least 1 but is " + value);
            }
            this.maxWaiting = value;
            return this;
        }

        /** For tests. */
        Builder remembering(Remembering value) {
            this.remembering = value;
            return this;
        }

        /**
         * Joins, as {@link HazelcastStore#join(HazelcastInstance, String)} does.
         *
         * @throws IllegalArgumentException if the instance is neither a member nor a client
         * @throws IllegalStateException if Hazelcast is too old, or cannot read Weir's classes, naming what is in the way
         */
        public HazelcastStore join() {
            HazelcastVersion.require();
            try {
                HazelcastStore store = new HazelcastStore(this);
                store.begin();
                return store;
            } catch (LinkageError e) {
                throw HazelcastVersion.lacks(e);
            }
        }
    }
}
