package io.weir.hazelcast;

import com.hazelcast.cluster.Member;
import com.hazelcast.config.MapConfig;
import com.hazelcast.core.HazelcastInstance;
import com.hazelcast.core.HazelcastInstanceNotActiveException;
import com.hazelcast.map.IMap;
import io.weir.store.Board;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The notes of a namespace's nodes, each an entry of one map that expires by itself.
 *
 * <p>What a member says, and what is said to it, lies in a partition that this very member owns, wherever there is one: so it looks for a
 * watcher and posts without leaving its JVM, and a member that hangs takes nobody's notes with it but its own. A client's lie anywhere.
 * Clients are found by the roster of nodes, which does not tell them from members; so each note begins with its node's identity
 * there.
 *
 * <p>Everything is asked from one thread of its own, and answered on it. Of each question there is one under way at a time: who does not
 * answer is not asked again until the call has ended.
 */
final class HazelcastBoard implements Board, AutoCloseable {

    private static final System.Logger LOG = System.getLogger(HazelcastStore.class.getName());

    private static final String NOTE = "note/";
    private static final String WATCH = "watch/";
    private static final byte[] WATCHED = {1};

    /** With so many names a key is almost always in a partition of its member: all but 3 in 100,000 times among a hundred members. */
    private static final int NAMES = 1_024;

    /** Nobody looks at more nodes at once. */
    private static final int MOST_NODES = 1_000;

    private static final int IDENTITY_BYTES = 2 * Long.BYTES;

    private final HazelcastInstance hazelcast;
    private final boolean client;
    private final MapConfig wanted;
    private final UUID identity;
    private final Supplier<Set<UUID>> nodes;
    private final ExecutorService thread;

    /** What waits for the thread: one of each kind. */
    private final Set<String> queued = ConcurrentHashMap.newKeySet();

    // Touched by the thread only:
    private final Set<String> underWay = new HashSet<>();
    private @Nullable IMap<String, byte[]> map;

    /** Of members that have posted: what each is called in the roster. */
    private final Map<UUID, UUID> identities = new HashMap<>();

    /**
     * @param wanted the map of notes as it should be
     * @param identity of this node in the roster
     * @param nodes the identities in the roster, as far as it is known
     */
    HazelcastBoard(
            HazelcastInstance hazelcast, boolean client, MapConfig wanted, UUID identity, Supplier<Set<UUID>> nodes) {
        this.hazelcast = hazelcast;
        this.client = client;
        this.wanted = wanted;
        this.identity = identity;
        this.nodes = nodes;
        this.thread = Executors.newSingleThreadExecutor(task -> {
            Thread made = new Thread(task, "weir-board");
            made.setDaemon(true);
            return made;
        });
    }

    @Override
    public List<Peer> members() {
        return present().stream()
                .map(each -> new Peer(
                        each.getUuid().toString(), each.getAddress().toString(), !client && each.localMember()))
                .toList();
    }

    private Collection<Member> present() {
        try {
            return hazelcast.getLifecycleService().isRunning()
                    ? hazelcast.getCluster().getMembers()
                    : List.of();
        } catch (HazelcastInstanceNotActiveException e) { // shut down meanwhile
            LOG.log(System.Logger.Level.TRACE, "Hazelcast is shut down: there are no members.", e);
            return List.of();
        }
    }

    @Override
    public void watch() {
        enqueue("watch", () -> {
            List<String> keys = new ArrayList<>();
            othersOfMembers().forEach(each -> keys.add(near(WATCH, each)));
            othersOfClients().forEach(each -> keys.add(WATCH + each));
            keys.forEach(key -> ask(
                    key,
                    there -> there.setAsync(key, WATCHED, WATCH_SECONDS, TimeUnit.SECONDS),
                    (done, failure) -> {}));
        });
    }

    @Override
    public CompletionStage<Boolean> isWatched() {
        CompletableFuture<Boolean> result = new CompletableFuture<>();
        boolean enqueued = enqueue(
                "isWatched",
                () -> ask("isWatched", there -> there.getAsync(ownKey(WATCH)), (mark, failure) -> {
                    if (failure == null) {
                        result.complete(mark != null);
                    } else {
                        result.completeExceptionally(failure);
                    }
                }));
        return enqueued ? result : CompletableFuture.failedStage(new IllegalStateException("closed, or busy"));
    }

    @Override
    public void post(byte[] note) {
        Board.requireShort(note);
        byte[] framed = ByteBuffer.allocate(IDENTITY_BYTES + note.length)
                .putLong(identity.getMostSignificantBits())
                .putLong(identity.getLeastSignificantBits())
                .put(note)
                .array();
        enqueue(
                "post",
                () -> ask(
                        "post",
                        there -> there.setAsync(ownKey(NOTE), framed, NOTE_SECONDS, TimeUnit.SECONDS),
                        (done, failure) -> {}));
    }

    @Override
    public void read(Consumer<Note> reader) {
        enqueue("read", () -> {
            identities
                    .keySet()
                    .retainAll(present().stream().map(Member::getUuid).toList());
            for (UUID member : othersOfMembers()) {
                String key = near(NOTE, member);
                ask(key, there -> there.getAsync(key), (framed, failure) -> {
                    UUID node = arrived(member, framed, reader);
                    if (node != null) {
                        identities.put(member, node);
                    }
                });
            }
            for (UUID node : othersOfClients()) {
                String key = NOTE + node;
                ask(key, there -> there.getAsync(key), (framed, failure) -> arrived(node, framed, reader));
            }
        });
    }

    /** Returns the identity of the node that the note is of; null if there is none. */
    private static @Nullable UUID arrived(UUID from, byte @Nullable [] framed, Consumer<Note> reader) {
        if (framed == null || framed.length < IDENTITY_BYTES) {
            return null;
        }
        ByteBuffer buffer = ByteBuffer.wrap(framed);
        UUID node = new UUID(buffer.getLong(), buffer.getLong());
        byte[] content = new byte[buffer.remaining()];
        buffer.get(content);
        reader.accept(new Note(from.toString(), content));
        return node;
    }

    private List<UUID> othersOfMembers() {
        return present().stream()
                .filter(each -> client || !each.localMember())
                .map(Member::getUuid)
                .limit(MOST_NODES)
                .toList();
    }

    /** And of members that have not posted yet, which look elsewhere and post elsewhere: asked in vain, once or twice. */
    private List<UUID> othersOfClients() {
        Set<UUID> members = Set.copyOf(identities.values());
        return nodes.get().stream()
                .filter(each -> !each.equals(identity) && !members.contains(each))
                .limit(MOST_NODES)
                .toList();
    }

    private String ownKey(String prefix) {
        return client
                ? prefix + identity
                : near(prefix, hazelcast.getLocalEndpoint().getUuid());
    }

    /** A key in a partition of a member; any other if none is found, as for one that owns none. */
    private String near(String prefix, UUID member) {
        for (int i = 0; i < NAMES; i++) {
            String key = prefix + member + "/" + i;
            Member owner = hazelcast.getPartitionService().getPartition(key).getOwner();
            if (owner != null && owner.getUuid().equals(member)) {
                return key;
            }
        }
        return prefix + member;
    }

    /** Has the thread do something, unless the same waits for it already, or all is over: then it returns false. */
    private boolean enqueue(String what, Runnable task) {
        if (!queued.add(what)) {
            return false;
        }
        try {
            thread.execute(() -> {
                queued.remove(what);
                try {
                    task.run();
                } catch (RuntimeException e) { // Hazelcast is shut down, say: it is tried again with the next call
                    LOG.log(System.Logger.Level.DEBUG, "The board of notes cannot be reached.", e);
                }
            });
            return true;
        } catch (RejectedExecutionException e) {
            LOG.log(System.Logger.Level.TRACE, "closed: there is nobody to ask", e);
            return false;
        }
    }

    /** Asks, unless the same is being asked; on the thread, and so is {@code then}, whatever comes of it. */
    private <T> void ask(
            String what,
            Function<IMap<String, byte[]>, CompletionStage<T>> call,
            BiConsumer<@Nullable T, @Nullable Throwable> then) {
        if (!underWay.add(what)) {
            then.accept(null, new IllegalStateException("has not answered yet"));
            return;
        }
        CompletionStage<T> asked;
        try {
            asked = call.apply(map());
        } catch (RuntimeException e) { // the cluster is not there, say
            asked = CompletableFuture.failedStage(e);
        }
        var unused = asked.whenCompleteAsync(
                (answer, failure) -> {
                    underWay.remove(what);
                    if (failure != null) {
                        LOG.log(System.Logger.Level.DEBUG, "The board of notes did not answer.", failure);
                    }
                    then.accept(answer, failure);
                },
                this::runUnlessClosed);
    }

    /** Whatever it throws would end up with Hazelcast, in the middle of its shutdown. */
    private void runUnlessClosed(Runnable answered) {
        try {
            thread.execute(answered);
        } catch (RejectedExecutionException e) {
            LOG.log(System.Logger.Level.TRACE, "closed: there is nobody to answer", e);
        }
    }

    /** Not before somebody uses the board: to configure a map may take as long as the cluster likes. */
    private IMap<String, byte[]> map() {
        IMap<String, byte[]> there = map;
        if (there == null) {
            SettingsCheck.addIfMissing(hazelcast, client, wanted);
            there = hazelcast.getMap(wanted.getName());
            map = there;
        }
        return there;
    }

    /** Asks no more. */
    @Override
    public void close() {
        thread.shutdown();
    }
}
