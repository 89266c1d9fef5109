package io.weir.chaos;

import com.hazelcast.core.HazelcastInstance;
import com.hazelcast.partition.Partition;
import io.weir.Limit;
import io.weir.Limiter;
import io.weir.Weir;
import io.weir.hazelcast.HazelcastStore;
import io.weir.store.Store;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;

/** What a process has of Weir: a store, and limits over it. Apart, so that a {@link Role#PLAIN} one never loads it. */
final class Limiting {

    private final HazelcastInstance hazelcast;
    private final Store store;
    private final Map<String, Limiter> limiters = new ConcurrentHashMap<>();

    Limiting(HazelcastInstance hazelcast) {
        this.hazelcast = hazelcast;
        this.store = HazelcastStore.join(hazelcast, Instances.NAMESPACE);
    }

    /** Asks by {@code limit} from now on; its name. */
    String add(Limit limit) {
        limiters.put(limit.name(), Weir.over(store).limit(limit).build().limiter(limit.name()));
        return limit.name();
    }

    Limiter limiter(String limit) {
        Limiter limiter = limiters.get(limit);
        if (limiter == null) {
            throw new IllegalArgumentException("no limit " + limit + " here, only " + limiters.keySet());
        }
        return limiter;
    }

    UUID ownerOf(String limit, String key) {
        // As the store composes its keys.
        Partition partition = hazelcast.getPartitionService().getPartition(limit + ':' + key);
        return partition.getOwner().getUuid();
    }

    Peek peek(String limit, String key) {
        Limiter limiter = limiter(limit);
        return Peek.of(limiter.peek(key), limiter.isDegraded());
    }
}
