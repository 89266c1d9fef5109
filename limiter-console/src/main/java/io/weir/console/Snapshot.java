package io.weir.console;

import io.weir.algorithm.Bandwidth;
import java.time.Instant;
import java.util.List;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * The whole cluster at one moment, as a node's console shows it. Immutable.
 *
 * @param node the node whose console it is
 * @param tick how often it has looked
 * @param exact whether no node has a limit that its policy answers for
 * @param reporting how many nodes said how they stand
 * @param behindSeconds the longest that a node has not heard of directives
 * @param limitsInAll of how many limits the nodes spoke
 * @param dropped how many of these were left out of the notes
 * @param keysDropped whether keys were left out, too
 * @param limits those that deny and are asked most first
 */
record Snapshot(
        String node,
        Instant time,
        long tick,
        boolean exact,
        int reporting,
        long behindSeconds,
        List<MemberLine> members,
        int limitsInAll,
        int dropped,
        boolean keysDropped,
        List<MergedLimit> limits,
        List<PenaltyLine> penalties,
        List<QuotaLine> quotas) {

    /** How a member or a client stands. */
    enum State {
        /** It says how it stands, and no node misses it. */
        REACHABLE,
        /** Some node gets no answers from it. */
        UNREACHABLE,
        /** It is there, and has said nothing for some seconds. */
        SILENT,
        /** It was there a minute ago. */
        LEFT
    }

    /**
     * A member, or a client that limits.
     *
     * @param seconds for how long it has been so; empty if nobody knows
     * @param fallbackSeconds the longest that one of its limits has been degraded; empty if it has not said
     */
    record MemberLine(
            String name,
            boolean here,
            State state,
            OptionalLong seconds,
            @Nullable String why,
            OptionalDouble fallbackSeconds) {}

    /** A key that cools down, as it is shown. */
    record PenaltyLine(String limit, String key, Instant until, int level, String reason) {}

    /** Decisions per second; all of them empty where no node has counted for long enough. */
    record Rates(OptionalDouble granted, OptionalDouble denied, OptionalDouble never, List<OptionalDouble> bySource) {}

    /**
     * A limit on all nodes that have it. Where they differ it is as the newest version says.
     *
     * @param differs whether nodes have different versions or numbers of it, or it is off on some
     */
    record MergedLimit(
            NodeNote.LimitLine line,
            boolean on,
            boolean differs,
            boolean degraded,
            @Nullable String why,
            double fallbackSeconds,
            long answeredByPolicy,
            Rates rates,
            long granted,
            long denied,
            long never,
            List<NodeNote.KeyLine> busiest) {

        String name() {
            return line.name();
        }

        List<Bandwidth> bandwidths() {
            return line.bandwidths();
        }

        double deniedRate() {
            return rates.denied().orElse(0);
        }

        double askedRate() {
            return rates.granted().orElse(0)
                    + rates.denied().orElse(0)
                    + rates.never().orElse(0);
        }

        /** Of the busiest key. */
        OptionalDouble headroom() {
            return busiest.isEmpty() ? OptionalDouble.empty() : busiest.get(0).headroom();
        }
    }
}
