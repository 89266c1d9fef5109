package io.weir.quota;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/**
 * Meters in a Micrometer registry, which the application must bring along.
 *
 * <table>
 *   <caption>What is metered; the number of meters depends on the number of quotas only</caption>
 *   <tr><th>name</th><th>kind</th><th>tags</th></tr>
 *   <tr><td>{@code weir.quota.spend}</td><td>counter</td><td>{@code quota}, {@code outcome}</td></tr>
 *   <tr><td>{@code weir.quota.store.call}</td><td>timer</td><td>{@code outcome}: {@code answered}, {@code unavailable}</td></tr>
 * </table>
 */
public final class MicrometerQuotaMeters implements QuotaMeters {

    private final MeterRegistry registry;
    private final Timer answered;
    private final Timer unavailable;
    private final Map<String, Map<Outcome, Counter>> spends = new ConcurrentHashMap<>();

    private MicrometerQuotaMeters(MeterRegistry registry) {
        this.registry = registry;
        this.answered = call("answered");
        this.unavailable = call("unavailable");
    }

    /** Meters in {@code registry}. */
    public static MicrometerQuotaMeters in(MeterRegistry registry) {
        return new MicrometerQuotaMeters(registry);
    }

    @Override
    public void decided(Quota quota, Outcome outcome) {
        Counter counter = spends.computeIfAbsent(quota.name(), this::counters).get(outcome);
        if (counter != null) { // always: it holds every constant
            counter.increment();
        }
    }

    @Override
    public void storeAsked(boolean ok, long nanos) {
        (ok ? answered : unavailable).record(nanos, TimeUnit.NANOSECONDS);
    }

    private Timer call(String outcome) {
        return Timer.builder("weir.quota.store.call")
                .description("Time in which the database of quotas answered, or was waited for in vain")
                .tag("outcome", outcome)
                .register(registry);
    }

    private Map<Outcome, Counter> counters(String quota) {
        Map<Outcome, Counter> counters = new EnumMap<>(Outcome.class);
        for (Outcome each : Outcome.values()) {
            counters.put(
                    each,
                    Counter.builder("weir.quota.spend")
                            .description("Spends and reservations decided, by outcome")
                            .baseUnit("decisions")
                            .tag("quota", quota)
                            .tag("outcome", each.name().toLowerCase(Locale.ROOT))
                            .register(registry));
        }
        return counters;
    }
}
