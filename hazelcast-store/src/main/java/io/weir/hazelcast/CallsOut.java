package io.weir.hazelcast;

import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * How many calls Hazelcast is working on, for each owner. Callers leave at their deadlines, but Hazelcast ends a call to a
 * member that hangs only after minutes; a bound for each owner keeps one that hangs from using up the others' room.
 */
final class CallsOut {

    static final int MAX_PER_OWNER = 2_000;

    private static final UUID UNKNOWN = new UUID(0, 0);

    private final Map<UUID, AtomicInteger> byOwner = new ConcurrentHashMap<>();

    /** Counts a call, if there is room; {@link #ended} must then be told of the same owner. */
    boolean begun(@Nullable UUID owner) {
        AtomicInteger out = byOwner.computeIfAbsent(owner == null ? UNKNOWN : owner, any -> new AtomicInteger());
        boolean room = out.incrementAndGet() <= MAX_PER_OWNER;
        if (!room) {
            out.decrementAndGet();
        }
        return room;
    }

    void ended(@Nullable UUID owner) {
        AtomicInteger out = byOwner.get(owner == null ? UNKNOWN : owner);
        if (out != null) {
            out.decrementAndGet();
        }
    }

    /** Forgets an owner that has left, and whatever calls it still has. */
    void forget(UUID owner) {
        byOwner.remove(owner);
    }
}
