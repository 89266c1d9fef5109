package io.weir.quota;

import java.util.Objects;

/**
 * An amount that a quota is asked for, on behalf of a key.
 *
 * @param quota the rule
 * @param key who spends: any string but null. One that is longer than the database keeps is kept as its SHA-256
 * @param amount how much, in the quota's smallest unit; from 0, and 0 is never denied
 */
public record Charge(Quota quota, String key, long amount) {

    /** Refuses null and negative amounts, by name. */
    public Charge {
        Objects.requireNonNull(quota, "quota");
        Objects.requireNonNull(key, "key");
        Amounts.check("amount for quota " + quota.name(), amount);
    }

    /** The same, of another amount. */
    public Charge withAmount(long other) {
        return new Charge(quota, key, other);
    }
}
