package io.weir.console;

import io.weir.algorithm.Bandwidth;
import java.util.List;
import java.util.OptionalDouble;
import org.jspecify.annotations.Nullable;

/**
 * How the limits of one node stand: what it says to whoever looks at a console. Immutable.
 *
 * @param node the node's name
 * @param tick rises with each note of the node
 * @param lastingNanos over what time the decisions were counted; zero if it has only begun to count
 * @param behindMillis for how long it has not heard of directives
 * @param masked whether its keys are masked already
 * @param limitsInAll how many limits it has
 * @param dropped how many of them are not here, since a note is bounded
 * @param keysDropped whether keys were left out for that reason
 * @param owners how it gets on with the members that own buckets
 * @param limits its limits, those that deny and are asked most first
 */
record NodeNote(
        String node,
        long tick,
        long lastingNanos,
        long behindMillis,
        boolean masked,
        int limitsInAll,
        int dropped,
        boolean keysDropped,
        List<OwnerLine> owners,
        List<LimitLine> limits) {

    static final int MOST_LIMITS = 1_000;

    static final int MOST_KEYS = 5;

    static final int MOST_OWNERS = 1_000;

    /** A member that owns buckets, as this node finds it. */
    record OwnerLine(
            String member,
            boolean reachable,
            long seconds,
            @Nullable String why) {}

    /** The same with its keys masked. */
    NodeNote maskedBy(KeyMask mask) {
        return new NodeNote(
                node,
                tick,
                lastingNanos,
                behindMillis,
                true,
                limitsInAll,
                dropped,
                keysDropped,
                owners,
                limits.stream().map(each -> each.maskedBy(mask)).toList());
    }

    /**
     * A limit.
     *
     * @param degraded whether its failure policy has been answering lately
     * @param why what has failed; null unless degraded
     * @param fallbackMillis for how long it has been degraded altogether
     * @param lately the decisions of {@link NodeNote#lastingNanos}
     * @param inAll those since the node was started; of their sources nothing is said
     */
    record LimitLine(
            String name,
            String algorithm,
            String policy,
            long version,
            boolean on,
            boolean exact,
            boolean shadow,
            @Nullable String shadowOf,
            List<Bandwidth> bandwidths,
            boolean degraded,
            @Nullable String why,
            long fallbackMillis,
            long answeredByPolicy,
            Tally lately,
            Tally inAll,
            List<KeyLine> keys) {

        private LimitLine maskedBy(KeyMask mask) {
            return new LimitLine(
                    name,
                    algorithm,
                    policy,
                    version,
                    on,
                    exact,
                    shadow,
                    shadowOf,
                    bandwidths,
                    degraded,
                    why,
                    fallbackMillis,
                    answeredByPolicy,
                    lately,
                    inAll,
                    keys.stream()
                            .map(key -> new KeyLine(mask.shown(key.key()), key.asked(), key.denied(), key.headroom()))
                            .toList());
        }
    }

    /** A busy key, as it is shown. */
    record KeyLine(String key, long asked, long denied, OptionalDouble headroom) {}
}
