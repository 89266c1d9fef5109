package io.weir.chaos;

import com.hazelcast.core.HazelcastInstance;
import com.hazelcast.internal.partition.InternalPartition;
import com.hazelcast.map.impl.proxy.MapProxyImpl;
import com.hazelcast.partition.Partition;
import io.weir.Limit;
import io.weir.LimitHealth;
import io.weir.Limiter;
import io.weir.Weir;
import io.weir.hazelcast.HazelcastStore;
import io.weir.store.Store;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** What a process has of Weir: a store, and limits over it. Apart, so that a {@link Role#PLAIN} one never loads it. */
final class Limiting {

    /** What clients divide limits by: the members that most clusters here have. */
    private static final int NODES = 3;

    private final HazelcastInstance hazelcast;
    private final Store store;
    private final Map<String, Weir> weirs = new ConcurrentHashMap<>();
    private final List<Writers> running = new CopyOnWriteArrayList<>();
    private final Durations decisions = new Durations();
    private volatile @Nullable Control control;

    Limiting(HazelcastInstance hazelcast) {
        this.hazelcast = hazelcast;
        this.store = HazelcastStore.join(hazelcast, Instances.NAMESPACE);
    }

    /** Asks by {@code limit} from now on; its name. */
    String add(Limit limit) {
        Weir.Builder weir = Weir.over(store).limit(limit);
        if (store.nodes().isEmpty()) { // a client cannot know
            weir.nodes(NODES);
        }
        weirs.put(limit.name(), weir.build());
        startControl(limit.deadline());
        return limit.name();
    }

    Limiter limiter(String limit) {
        return weir(limit).limiter(limit);
    }

    private Weir weir(String limit) {
        Weir weir = weirs.get(limit);
        if (weir == null) {
            throw new IllegalArgumentException("no limit " + limit + " here, only " + weirs.keySet());
        }
        return weir;
    }

    /** The state of a limit, and why it is degraded. */
    String health(String limit) {
        LimitHealth health = weir(limit).health().limits().get(0);
        return health.state() + " " + Objects.requireNonNullElse(health.why(), "");
    }

    UUID ownerOf(String limit, String key) {
        // As the store composes its keys.
        Partition partition = hazelcast.getPartitionService().getPartition(limit + ':' + key);
        return partition.getOwner().getUuid();
    }

    /** Who holds a key, the owner first, apart by spaces. */
    String copiesOf(String limit, String key) {
        Partition partition = hazelcast.getPartitionService().getPartition(limit + ':' + key);
        InternalPartition internal =
                (InternalPartition) ((MapProxyImpl<?, ?>) hazelcast.getMap(HazelcastStore.mapName(Instances.NAMESPACE)))
                        .getNodeEngine()
                        .getPartitionService()
                        .getPartition(partition.getPartitionId());
        return Stream.of(internal.getReplicasCopy())
                .limit(2) // the next ones are where further backups would be
                .filter(Objects::nonNull)
                .map(replica -> replica.uuid().toString())
                .collect(Collectors.joining(" "));
    }

    /** Makes a load, and returns when it is done. */
    Tally run(Load load, int process, Consumer<Outcome> onOutcome) throws InterruptedException, ExecutionException {
        Writers writers = new Writers(load, limiter(load.limit()), process, decisions, onOutcome);
        running.add(writers);
        try {
            return writers.run();
        } finally {
            running.remove(writers);
        }
    }

    /** Ends all loads; how many there were. */
    int stop() {
        List<Writers> stopped = List.copyOf(running);
        stopped.forEach(Writers::stop);
        return stopped.size();
    }

    Waited waited(long fromNanos, long toNanos) {
        Control parking = control;
        return new Waited(
                decisions.perMille999(fromNanos, toNanos),
                parking == null ? 0 : parking.parked().perMille999(fromNanos, toNanos));
    }

    private synchronized void startControl(Duration deadline) {
        if (control == null) {
            control = new Control(deadline); // all limits of a cell have the same
        }
    }

    Peek peek(String limit, String key) {
        Limiter limiter = limiter(limit);
        return Peek.of(limiter.peek(key), limiter.isDegraded());
    }
}
