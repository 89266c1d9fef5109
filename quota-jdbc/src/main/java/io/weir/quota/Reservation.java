package io.weir.quota;

import java.util.List;
import java.util.Objects;

/**
 * What is put aside, to be {@linkplain QuotaOperations#settle settled} or {@linkplain QuotaOperations#release released}. A process that takes over
 * makes it again from the key and the charges that it was reserved with.
 *
 * @param key the key that it was reserved under
 * @param charges what was put aside, of each quota and key
 */
public record Reservation(IdempotencyKey key, List<Charge> charges) {

    /** Refuses what could not have been reserved. */
    public Reservation {
        Objects.requireNonNull(key, "key");
        charges = Step.checked(charges);
    }
}
