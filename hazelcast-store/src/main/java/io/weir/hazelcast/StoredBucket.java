package io.weir.hazelcast;

import io.weir.algorithm.Bandwidth;
import io.weir.algorithm.Rule;
import io.weir.algorithm.State;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The value of the map: what a bucket has available, and for each node that asked lately what is remembered of it. Never
 * changed once it is made, so that it may be kept as an object and shared.
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

    /** Until when nothing more is lent and what is lent is asked back (L16); in the past if it is not. */
    private long recallUntilNanos;

    StoredBucket(State state, List<CallRecord> records, long recallUntilNanos) {
        this.state = state;
        this.records = List.copyOf(records);
        this.recallUntilNanos = recallUntilNanos;
    }

    /** For reading from the wire. */
    @SuppressWarnings("NullAway.Init")
    StoredBucket() {}

    /** What is available, as of the instant at which this was written. */
    State state() {
        return state;
    }

    List<CallRecord> records() {
        return records;
    }

    long recallUntilNanos() {
        return recallUntilNanos;
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

    /** What is lent altogether at an instant: L. */
    long lentAt(long nowNanos) {
        long lent = 0;
        for (CallRecord each : records) {
            lent += each.heldAt(nowNanos);
        }
        return lent;
    }

    /** The last instant at which anything that is lent now is still out, or {@code nowNanos}. */
    long lastExpiryNanos(long nowNanos) {
        long last = nowNanos;
        for (CallRecord each : records) {
            last = each.held() > 0 ? Math.max(last, each.expiryNanos()) : last;
        }
        return last;
    }

    /**
     * What is available at an instant, if nobody asks until then. Refill stops below the capacity by what is lent, and so
     * is worked out from one lease's expiry to the next (L3).
     */
    State stateAt(Rule rule, long nowNanos) {
        State latest = state;
        long lent = lentAt(state.atNanos());
        if (lent > 0) {
            for (CallRecord each : expiriesUntil(nowNanos)) {
                latest = latest.rule().advance(latest, lent, each.expiryNanos());
                lent -= each.held();
            }
        }
        return rule.advance(latest, lent, nowNanos);
    }

    private List<CallRecord> expiriesUntil(long nowNanos) {
        List<CallRecord> expiries = new ArrayList<>(0);
        for (CallRecord each : records) {
            if (each.heldAt(state.atNanos()) > 0 && each.expiryNanos() <= nowNanos) {
                expiries.add(each);
            }
        }
        expiries.sort(Comparator.comparingLong(CallRecord::expiryNanos));
        return expiries;
    }

    /** The bucket after a call: the new state, the call's record, and of the other nodes' those that still matter. */
    static StoredBucket after(@Nullable StoredBucket before, State state, CallRecord record, long recallUntilNanos) {
        List<CallRecord> kept = new ArrayList<>();
        kept.add(record);
        if (before != null) {
            for (CallRecord each : before.records) {
                if (each.isNeededAt(state.atNanos()) && !each.node().equals(record.node())) {
                    kept.add(each.expiredBy(state.atNanos()));
                }
            }
        }
        return new StoredBucket(state, kept, recallUntilNanos);
    }

    /**
     * Until when this says more than no bucket would: until no retry of a recorded call can run, and until it is full, for
     * which it may have to wait for the last lease to end before the last of what was lent is refilled (L10).
     */
    long neededUntilNanos() {
        long until = state.fullAtNanos();
        for (CallRecord each : records) {
            until = Math.max(until, each.neededUntilNanos());
        }
        if (lentAt(state.atNanos()) > 0) {
            for (Bandwidth bandwidth : state.rule().algorithm().bandwidths()) {
                long refilled =
                        lastExpiryNanos(state.atNanos()) + bandwidth.window().toNanos();
                until = refilled < 0 ? Long.MAX_VALUE : Math.max(until, refilled);
            }
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
        out.putLong(recallUntilNanos);
        out.putShort(records.size());
        for (CallRecord each : records) {
            out.putUuid(each.node());
            out.putLong(each.number());
            out.putLong(each.keepUntilNanos());
            out.putVerdicts(each.verdicts());
            out.putLeaseAnswer(each.lease());
            out.putLong(each.held());
            out.putLong(each.expiryNanos());
        }
    }

    @Override
    void read(FrameReader in) {
        state = in.getState();
        recallUntilNanos = in.getLong();
        int count = in.getShort();
        List<CallRecord> read = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            read.add(new CallRecord(
                    in.getUuid(),
                    in.getLong(),
                    in.getLong(),
                    in.getVerdicts(),
                    in.getLeaseAnswer(),
                    in.getLong(),
                    in.getLong()));
        }
        records = List.copyOf(read);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof StoredBucket that
                && state.equals(that.state)
                && records.equals(that.records)
                && recallUntilNanos == that.recallUntilNanos;
    }

    @Override
    public int hashCode() {
        return 31 * (31 * state.hashCode() + records.hashCode()) + Long.hashCode(recallUntilNanos);
    }

    @Override
    public String toString() {
        return "StoredBucket[" + state + ", " + records + ", recall until " + recallUntilNanos + "]";
    }
}
