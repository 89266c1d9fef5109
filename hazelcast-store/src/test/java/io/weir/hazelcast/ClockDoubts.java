package io.weir.hazelcast;

import java.util.HashMap;
import java.util.Map;
import java.util.UUID;

/** By how much a node may be wrong about the owners' clocks, from what it has heard of them. */
final class ClockDoubts {

    /** Per million of the time since it heard of an owner. */
    private static final long PER_MILLION = 1_000 + 2 * NodeClock.MAX_DRIFT_PER_MILLION;

    private record Doubt(long nanos, long atNanos) {}

    private final SimulatedJvm jvm;
    private final Map<UUID, Doubt> byOwner = new HashMap<>();
    private long worstNanos;

    ClockDoubts(SimulatedJvm jvm) {
        this.jvm = jvm;
    }

    /** At this moment, about one owner. */
    long nanos(UUID owner) {
        Doubt known = byOwner.get(owner);
        return known != null ? grown(known) : OwnerClocks.GUESS_ERROR.toNanos() + worstNanos + grown(new Doubt(0, 0));
    }

    private long grown(Doubt doubt) {
        return doubt.nanos() + 1_000 + (jvm.instantNanos() - doubt.atNanos()) / 1_000_000 * PER_MILLION;
    }

    /** An owner has told its time, in answer to what was sent at {@code sentAtNanos}. */
    void heard(UUID owner, long sentAtNanos) {
        Doubt heard = new Doubt(jvm.instantNanos() - sentAtNanos, jvm.instantNanos());
        Doubt known = byOwner.get(owner);
        byOwner.put(owner, known != null && grown(known) < heard.nanos() ? known : heard);
        worstNanos = Math.max(worstNanos, heard.nanos());
    }

    void forget(UUID owner) {
        byOwner.remove(owner);
    }
}
