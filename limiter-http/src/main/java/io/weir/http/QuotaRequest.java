package io.weir.http;

import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What one HTTP request takes of its quotas: all of it, or nothing. Immutable.
 *
 * @param parts of which quotas, on behalf of which keys; at least one. Two may be of the same quota and key
 * @param amount how much of each, in its smallest unit; from 1
 * @param estimate whether the amount is to be put aside until it is settled or released, instead of spent
 * @param idempotencyKey what makes this the same request when it is sent again: its method, its path and what the client chose, up to any
 *     length; null if the client chose nothing, or is not heard
 */
public record QuotaRequest(
        List<Part> parts,
        long amount,
        boolean estimate,
        @Nullable String idempotencyKey) {

    /**
     * One of the quotas.
     *
     * @param quota its name
     * @param key who pays, as a {@link KeyResolver} says: any string
     */
    public record Part(String quota, String key) {

        /** Refuses null. */
        public Part {
            Objects.requireNonNull(quota, "quota");
            Objects.requireNonNull(key, "key");
        }
    }

    /** Refuses what takes nothing. */
    public QuotaRequest {
        parts = List.copyOf(parts);
        if (parts.isEmpty()) {
            throw new IllegalArgumentException("parts must name a quota, but there are none");
        }
        if (amount < 1) {
            throw new IllegalArgumentException("amount must be 1 or more but is " + amount);
        }
    }

    /** The names of the quotas. */
    public List<String> quotas() {
        return parts.stream().map(Part::quota).distinct().toList();
    }
}
