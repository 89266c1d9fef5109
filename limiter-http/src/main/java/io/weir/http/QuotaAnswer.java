package io.weir.http;

import java.time.Instant;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** What became of a {@link QuotaRequest}. */
public sealed interface QuotaAnswer {

    /**
     * All of it was taken, or the policy for an outage lets the request through.
     *
     * @param hold how to give it back, or to settle it
     * @param replay whether nothing was taken now, since the same request took it before
     */
    record Granted(QuotaHold hold, boolean replay) implements QuotaAnswer {

        /** Refuses null. */
        public Granted {
            Objects.requireNonNull(hold, "hold");
        }
    }

    /** The request is not let through. */
    sealed interface Denied extends QuotaAnswer {}

    /**
     * Nothing was taken: there is no room.
     *
     * @param quotas the names of those that have none
     * @param resetsAt when there will be some; null if nobody knows
     */
    record Exhausted(List<String> quotas, @Nullable Instant resetsAt) implements Denied {

        /** Copies the names. */
        public Exhausted {
            quotas = List.copyOf(quotas);
        }
    }

    /**
     * Nothing was taken, and nothing of that amount ever will be: it is more than a whole period has.
     *
     * @param quotas the names of those that never have so much
     */
    record Never(List<String> quotas) implements Denied {

        /** Copies the names. */
        public Never {
            quotas = List.copyOf(quotas);
        }
    }

    /** Nothing is known to have been taken: what keeps the quotas did not answer, and the policy for that is to deny. */
    record Unavailable() implements Denied {}

    /** Nothing was taken: the idempotency key was used before, for something else. */
    record Conflict() implements Denied {}
}
