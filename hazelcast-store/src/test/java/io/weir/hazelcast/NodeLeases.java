package io.weir.hazelcast;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** Looks into a node for what it holds and waits for, which it tells nobody before it is spent. */
final class NodeLeases {

    private static final VarHandle LINES;
    private static final VarHandle IN_FLIGHT;

    static {
        try {
            LINES = MethodHandles.privateLookupIn(HazelcastBuckets.class, MethodHandles.lookup())
                    .findVarHandle(HazelcastBuckets.class, "lines", ConcurrentHashMap.class);
            IN_FLIGHT = MethodHandles.privateLookupIn(KeyLine.class, MethodHandles.lookup())
                    .findVarHandle(KeyLine.class, "inFlight", KeyLine.Flight.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private NodeLeases() {}

    /**
     * A node's lease on a key; null if it has none.
     *
     * @param key as it is stored
     */
    static @Nullable HeldLease of(HazelcastBuckets buckets, String key) {
        KeyLine line = line(buckets, key);
        return line == null ? null : line.memory().borrower().lease();
    }

    /** Whether a node waits for the end of its call of this number. */
    static boolean isAwaited(HazelcastBuckets buckets, String key, long number) {
        KeyLine line = line(buckets, key);
        return line != null && IN_FLIGHT.get(line) instanceof KeyLine.Flight flight && flight.number() == number;
    }

    private static @Nullable KeyLine line(HazelcastBuckets buckets, String key) {
        for (Object each : ((Map<?, ?>) LINES.get(buckets)).values()) {
            if (each instanceof KeyLine line && line.key().equals(key)) {
                return line;
            }
        }
        return null;
    }
}
