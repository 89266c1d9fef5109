package io.weir.store;

import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * How this node gets on with one of the members that own buckets. Immutable.
 *
 * @param member the member, for a person to read: its address, say
 * @param state whether its keys are decided by it
 * @param lasting for how long it has been in that state
 * @param why what went wrong, for a person to read; null while it is {@link State#REACHABLE}
 */
public record OwnerHealth(
        String member,
        State state,
        Duration lasting,
        @Nullable String why) {

    /** Whether a member's keys are decided by it. */
    public enum State {
        /** It answers in time. */
        REACHABLE,

        /**
         * It does not answer in time, and is not asked until a probe is answered: the failure policy answers for its keys at
         * once.
         */
        UNREACHABLE
    }

    /** Checks that nothing is missing. */
    public OwnerHealth {
        Objects.requireNonNull(member, "member");
        Objects.requireNonNull(state, "state");
        Objects.requireNonNull(lasting, "lasting");
    }
}
