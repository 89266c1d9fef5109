package io.weir.console;

import java.time.Instant;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A quota, as a {@link Console} shows it. Immutable.
 *
 * @param name the quota's name
 * @param cap how much each key may spend in a period
 * @param unit what is spent; null if nobody says
 * @param period how long it lasts, {@code MONTH} say
 * @param zone the time zone in which it begins
 * @param resetsAt when the present period ends
 * @param policy what answers while the ledger is away
 */
public record QuotaLine(
        String name, long cap, @Nullable String unit, String period, String zone, Instant resetsAt, String policy) {

    /** Checks that nothing is missing. */
    public QuotaLine {
        Objects.requireNonNull(name, "name");
        Objects.requireNonNull(period, "period");
        Objects.requireNonNull(zone, "zone");
        Objects.requireNonNull(resetsAt, "resetsAt");
        Objects.requireNonNull(policy, "policy");
    }
}
