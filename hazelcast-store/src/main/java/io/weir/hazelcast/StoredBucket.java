package io.weir.hazelcast;

import io.weir.algorithm.State;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The value of the map: a bucket's state and the calls that are remembered with it. Never changed once it is made, so
 * that it may be kept as an object and shared.
 */
final class StoredBucket extends Wire {

    /**
     * Beyond the instant at which an entry has nothing left to say, it is kept this long: Hazelcast counts whole seconds
     * and may end one early, and expiry goes by each member's own clock, which may be off by this much less 2 s.
     */
    static final long KEPT_LONGER_SECONDS = 7;

    /**
     * The longest time to live: 30 years. Hazelcast keeps instants as seconds since 2018 in 31 bits, and what does not
     * fit there lives for ever.
     */
    static final long MAX_TTL_SECONDS = 30L * 365 * 24 * 3600;

    private State state;
    private List<CallRecord> records;

    StoredBucket(State state, List<CallRecord> records) {
        this.state = state;
        this.records = List.copyOf(records);
    }

    /** For reading from the wire. */
    @SuppressWarnings("NullAway.Init")
    StoredBucket() {}

    State state() {
        return state;
    }

    List<CallRecord> records() {
        return records;
    }

    @Nullable
    CallRecord recordOf(UUID node) {
        for (CallRecord each : records) {
            if (each.node().equals(node)) {
                return each;
            }
        }
        return null;
    }

    /** The bucket after a call: the new state, the call's record, and of the other nodes' those that still matter. */
    static StoredBucket after(@Nullable StoredBucket before, State state, CallRecord record) {
        List<CallRecord> kept = new ArrayList<>();
        kept.add(record);
        if (before != null) {
            for (CallRecord each : before.records) {
                boolean needed = each.keepUntilNanos() > state.atNanos();
                if (needed && !each.node().equals(record.node())) {
                    kept.add(each);
                }
            }
        }
        return new StoredBucket(state, kept);
    }

    /** Until when this says more than no bucket would: until it is full, and no retry of a recorded call can run. */
    long neededUntilNanos() {
        long until = state.fullAtNanos();
        for (CallRecord each : records) {
            until = Math.max(until, each.keepUntilNanos());
        }
        return until;
    }

    /**
     * How long an entry must live that is written now.
     *
     * @param nowNanos on the owner's clock, which may be behind the state's instant (I2)
     */
    long ttlSeconds(long nowNanos) {
        long needed = neededUntilNanos() - nowNanos;
        return needed < 0 // more than fits, since it is never needed until the past
                ? MAX_TTL_SECONDS
                : Math.min(needed / 1_000_000_000 + 1 + KEPT_LONGER_SECONDS, MAX_TTL_SECONDS);
    }

    @Override
    public int getClassId() {
        return STORED_BUCKET;
    }

    @Override
    void write(FrameWriter out) {
        out.putState(state);
        out.putShort(records.size());
        for (CallRecord each : records) {
            out.putUuid(each.node());
            out.putLong(each.number());
            out.putLong(each.keepUntilNanos());
            out.putVerdicts(each.verdicts());
        }
    }

    @Override
    void read(FrameReader in) {
        state = in.getState();
        int count = in.getShort();
        List<CallRecord> read = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            read.add(new CallRecord(in.getUuid(), in.getLong(), in.getLong(), in.getVerdicts()));
        }
        records = List.copyOf(read);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof StoredBucket that && state.equals(that.state) && records.equals(that.records);
    }

    @Override
    public int hashCode() {
        return 31 * state.hashCode() + records.hashCode();
    }

    @Override
    public String toString() {
        return "StoredBucket[" + state + ", " + records + "]";
    }
}
