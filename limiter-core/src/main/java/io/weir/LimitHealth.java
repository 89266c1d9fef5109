package io.weir;

import io.weir.store.StoreUnavailableException.Reason;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * How one limit stands on this node. Immutable.
 *
 * @param limit the limit's name
 * @param state whether its owners decide, or its failure policy
 * @param lasting for how long it has been in that state; a limit is exact at first
 * @param policy what answers for owners that cannot be reached
 * @param reason the kind of the last failure; null unless degraded
 * @param why the last failure, for a person to read, without any key; null unless degraded
 * @param answeredByPolicy how many requests the policy has answered in this outage, zero unless degraded
 * @param inFallback for how long the limit has been degraded altogether
 */
public record LimitHealth(
        String limit,
        State state,
        Duration lasting,
        FailurePolicy policy,
        @Nullable Reason reason,
        @Nullable String why,
        long answeredByPolicy,
        Duration inFallback) {

    /** Who decides. */
    public enum State {
        /** The owners of the buckets: what is granted is the limit. */
        EXACT,

        /**
         * The failure policy, at least for some keys. From the first request that its owner did not answer until none has
         * failed for a second and one was answered, or nobody has asked in vain for ten.
         */
        DEGRADED
    }
}
