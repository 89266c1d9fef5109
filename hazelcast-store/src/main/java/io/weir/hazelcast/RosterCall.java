package io.weir.hazelcast;

import com.hazelcast.core.HazelcastInstance;
import com.hazelcast.core.HazelcastInstanceAware;
import com.hazelcast.map.EntryProcessor;
import com.hazelcast.map.ExtendedMapEntry;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** "I am here", or "I am leaving", told by a node to the owner of the roster; the answer is the roster. */
final class RosterCall extends Wire implements EntryProcessor<String, Roster, Roster>, HazelcastInstanceAware {

    private static final long serialVersionUID = 1L;

    /** An entry that nobody has reported to for so long tells of nobody. */
    private static final long TTL_SECONDS = 2 * Roster.HOLD.toSeconds();

    private transient UUID node;
    private transient boolean leaving;

    /** What the owner has made of it, on its way to the backup, whose clock is another. */
    private transient @Nullable Roster computed;

    private transient @Nullable HazelcastInstance hazelcast;

    RosterCall(UUID node, boolean leaving) {
        this(node, leaving, null);
    }

    private RosterCall(UUID node, boolean leaving, @Nullable Roster computed) {
        this.node = node;
        this.leaving = leaving;
        this.computed = computed;
    }

    /** For reading from the wire. */
    @SuppressWarnings("NullAway.Init")
    RosterCall() {}

    boolean isLeaving() {
        return leaving;
    }

    @Override
    public void setHazelcastInstance(HazelcastInstance instance) {
        this.hazelcast = instance;
    }

    @Override
    public Roster process(Map.Entry<String, Roster> entry) {
        Roster next = computed != null ? computed : next(entry.getValue());
        ((ExtendedMapEntry<String, Roster>) entry).setValue(next, TTL_SECONDS, TimeUnit.SECONDS);
        computed = next;
        return next;
    }

    private Roster next(@Nullable Roster present) {
        long now = Owner.of(Objects.requireNonNull(hazelcast, "not injected")).nowNanos();
        Roster roster = present != null ? present : new Roster(UUID.randomUUID(), Map.of());
        return leaving ? roster.without(node, now) : roster.reported(node, now);
    }

    @Override
    public EntryProcessor<String, Roster, Roster> getBackupProcessor() {
        return carrying(Objects.requireNonNull(computed, "not run yet"));
    }

    /** The same call for a backup, which only puts there what the owner has made of it. */
    RosterCall carrying(Roster roster) {
        return new RosterCall(node, leaving, roster);
    }

    @Override
    public int getClassId() {
        return ROSTER_CALL;
    }

    @Override
    void write(FrameWriter out) {
        out.putUuid(node);
        out.putByte(leaving ? 1 : 0);
        out.putByte(computed == null ? 0 : 1);
        if (computed != null) {
            computed.write(out);
        }
    }

    @Override
    void read(FrameReader in) {
        node = in.getUuid();
        leaving = in.getByte() != 0;
        if (in.getByte() != 0) {
            computed = new Roster();
            computed.read(in);
        }
    }
}
