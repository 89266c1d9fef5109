package io.weir.hazelcast;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.UUID;

/**
 * The nodes that limit in one namespace, members and clients alike, as one entry of a map holds them: who has reported lately,
 * and when. Immutable.
 *
 * <p>A node that says goodbye is struck off at once, and one that is lost without a word after {@link #HOLD}.
 */
final class Roster extends Wire {

    /** As long as a member counts that was lost without a word: a side of a split goes by the nodes of both. */
    static final Duration HOLD = ClusterSize.HOLD;

    /** Nobody divides a limit by more, and an entry has to end somewhere. */
    static final int MOST_NODES = 10_000;

    private UUID line;
    private Map<UUID, Long> reportedNanos;

    /**
     * @param line which roster this is: one that begins anew, since the former was lost, is another
     * @param reportedNanos when each node has last reported, on the clocks of owners
     */
    Roster(UUID line, Map<UUID, Long> reportedNanos) {
        this.line = line;
        this.reportedNanos = new LinkedHashMap<>(reportedNanos);
    }

    /** For reading from the wire. */
    @SuppressWarnings("NullAway.Init")
    Roster() {}

    UUID line() {
        return line;
    }

    boolean has(UUID node) {
        return reportedNanos.containsKey(node);
    }

    Iterable<UUID> nodes() {
        return reportedNanos.keySet();
    }

    /** After a report of a node, without those that were lost. */
    Roster reported(UUID node, long nowNanos) {
        Roster next = without(node, nowNanos);
        if (next.reportedNanos.size() < MOST_NODES) {
            next.reportedNanos.put(node, nowNanos);
        }
        return next;
    }

    /** After a node's goodbye, without those that were lost. */
    Roster without(UUID node, long nowNanos) {
        Roster next = new Roster(line, reportedNanos);
        next.reportedNanos.remove(node);
        next.reportedNanos.values().removeIf(each -> nowNanos - each >= HOLD.toNanos());
        return next;
    }

    @Override
    public int getClassId() {
        return ROSTER;
    }

    @Override
    void write(FrameWriter out) {
        out.putUuid(line);
        out.putShort(reportedNanos.size());
        reportedNanos.forEach((node, nanos) -> {
            out.putUuid(node);
            out.putLong(nanos);
        });
    }

    @Override
    void read(FrameReader in) {
        line = in.getUuid();
        int count = in.getShort();
        reportedNanos = new LinkedHashMap<>();
        for (int i = 0; i < count; i++) {
            reportedNanos.put(in.getUuid(), in.getLong());
        }
    }

    @Override
    public String toString() {
        return "Roster[" + line + ", " + reportedNanos + "]";
    }
}
