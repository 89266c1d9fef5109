package io.weir.quota;

import io.weir.FailurePolicy;
import org.jspecify.annotations.Nullable;

/**
 * A durable budget: at most {@code cap} of something in each period, for each key. Immutable, and the same on all nodes: the
 * database keeps what was spent, by the quota's name, and not the rule.
 *
 * @param name under which the database, the metrics and the answers know it; up to {@value #MAX_NAME_LENGTH} letters, digits and {@code
 *     ._-}
 * @param cap how much a key may spend in a period, in the smallest unit; from 0. A key may have
 *     {@linkplain QuotaOperations#setCap one of its own}
 * @param unit what is counted, for people: {@code "tokens"}, {@code "cents"}
 * @param period when it resets
 * @param debt how far over the cap a {@linkplain QuotaOperations#settle settlement} may go that costs more than was reserved; from
 *     0. It ends with its period
 * @param failurePolicy what answers when the database has not, by the ledger's deadline: {@link FailurePolicy#DENY} or
 *     {@link FailurePolicy#GRANT}
 */
public record Quota(String name, long cap, String unit, Period period, long debt, FailurePolicy failurePolicy) {

    /** The longest name, in characters. */
    public static final int MAX_NAME_LENGTH = 64;

    /** Refuses what no quota can have, naming it. */
    public Quota {
        if (!name.matches("[A-Za-z0-9._-]{1," + MAX_NAME_LENGTH + "}")) {
            throw new IllegalArgumentException("name must be 1 to " + MAX_NAME_LENGTH
                    + " letters, digits, dots, dashes and underscores, and is \"" + StoredText.escaped(name) + "\"");
        }
        Amounts.check("cap of quota " + name, cap);
        Amounts.check("debt of quota " + name, debt);
        Amounts.add("cap and debt of quota " + name, cap, debt);
        if (failurePolicy == FailurePolicy.LOCAL_SHARE) {
            throw new IllegalArgumentException("failurePolicy of quota " + name
                    + " is LOCAL_SHARE, which would spend beyond the cap without a trace; take DENY or GRANT");
        }
    }

    /** A quota to be described. */
    public static Builder named(String name) {
        return new Builder(name);
    }

    /** Describes a {@link Quota}. Not thread-safe. */
    public static final class Builder {
        private final String name;
        private long cap = -1;
        private String unit = "units";
        private @Nullable Period period;
        private long debt;
        private FailurePolicy failurePolicy = FailurePolicy.DENY;

        private Builder(String name) {
            this.name = name;
        }

        /** How much a key may spend in a period, in the smallest unit; from 0. There is no default. */
        public Builder cap(long cap) {
            this.cap = Amounts.check("cap of quota " + name, cap);
            return this;
        }

        /** What is counted, for people. By default {@code "units"}. */
        public Builder unit(String unit) {
            this.unit = unit;
            return this;
        }

        /** When it resets. There is no default. */
        public Builder period(Period period) {
            this.period = period;
            return this;
        }

        /** How far over the cap a settlement may go; from 0, which is the default. */
        public Builder debt(long debt) {
            this.debt = debt;
            return this;
        }

        /** What answers when the database has not. By default {@link FailurePolicy#DENY}. */
        public Builder onFailure(FailurePolicy policy) {
            this.failurePolicy = policy;
            return this;
        }

        /** The quota. Throws {@link IllegalStateException} if the cap or the period was not said. */
        public Quota build() {
            if (cap < 0 || period == null) {
                throw new IllegalStateException("quota " + name + " needs " + (cap < 0 ? ".cap(..)" : ".period(..)"));
            }
            return new Quota(name, cap, unit, period, debt, failurePolicy);
        }
    }
}
