package io.weir;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.MultiGauge;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import io.weir.algorithm.Verdict;
import io.weir.store.LeaseCounts;
import io.weir.store.OwnerHealth;
import io.weir.store.Source;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.DoubleSupplier;
import java.util.function.IntSupplier;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/**
 * Meters in a Micrometer registry, which the application must bring along. One for a registry and a {@link Weir}: two in one
 * registry take each other's members for their own. A {@code Weir} that follows one that is closed, in the same registry, goes on
 * with its counters, while headroom and leases are read from the new one alone.
 *
 * <table>
 *   <caption>What is metered; a limit's number of meters is fixed, as is a guard's, and there is one for each member</caption>
 *   <tr><th>name</th><th>kind</th><th>tags</th></tr>
 *   <tr><td>{@code weir.decisions}</td><td>counter</td><td>{@code limit}, {@code outcome}, {@code source}</td></tr>
 *   <tr><td>{@code weir.shadow.decisions}</td><td>counter</td><td>{@code limit}, {@code outcome}, {@code source}</td></tr>
 *   <tr><td>{@code weir.shadow.missed}</td><td>counter</td><td>{@code limit}</td></tr>
 *   <tr><td>{@code weir.penalties}</td><td>counter</td><td>{@code limit}</td></tr>
 *   <tr><td>{@code weir.penalty.missed}</td><td>counter</td><td>{@code limit}</td></tr>
 *   <tr><td>{@code weir.store.call}</td><td>timer</td><td>{@code limit}, {@code outcome}</td></tr>
 *   <tr><td>{@code weir.lease.permits}</td><td>counter</td><td>{@code limit}, {@code event}</td></tr>
 *   <tr><td>{@code weir.fallback.seconds}</td><td>counter</td><td>{@code limit}, {@code policy}</td></tr>
 *   <tr><td>{@code weir.headroom}</td><td>gauge</td><td>{@code limit}</td></tr>
 *   <tr><td>{@code weir.breaker.state}</td><td>gauge</td><td>{@code member}</td></tr>
 *   <tr><td>{@code weir.guard.shed}</td><td>counter</td><td>{@code guard}</td></tr>
 *   <tr><td>{@code weir.guard.in.flight}</td><td>gauge</td><td>{@code guard}</td></tr>
 * </table>
 *
 * <p>{@code weir.breaker.state} is 0 for a member that decides its keys, and 1 for one that does not answer and is not asked;
 * a member that has left has none, nor has any once the {@code Weir} is closed. Requests that the failure policy answered are those of
 * {@code weir.decisions} with the {@code source} {@code policy} or {@code share}.
 *
 * <p>A limit that is a {@linkplain Limit#isShadow shadow} has {@code weir.shadow.decisions} instead of {@code weir.decisions}: nothing of it
 * was enforced. {@code weir.shadow.missed} are requests on which it should have been asked, and was not.
 *
 * <p>{@code weir.store.call} is the time of calls that left this JVM's memory; what is decided in memory is only counted.
 *
 * <p>{@code weir.penalties} is how often this node has had a key cool down, and {@code weir.penalty.missed} how many strikes it could not
 * count or act on. No shadow has them.
 *
 * <p>{@code weir.headroom} is how much of its bucket is left to the busiest key: from 1, which is full, to 0. It is not a number
 * while that is unknown, which it always is unless keys are {@linkplain Weir.Builder#watchKeys watched}.
 *
 * <p>{@code weir.guard.shed} is how often a {@linkplain io.weir.guard guard} of this node has turned work away, and {@code
 * weir.guard.in.flight} how much of what it has let in is not done yet.
 */
public final class MicrometerMeters implements Meters {

    private final MeterRegistry registry;
    private final MultiGauge members;

    /** What was told last: by member, as the gauge shows it. Never changed once it is here. */
    private volatile Map<String, Integer> states = Map.of();

    /** By name: of two that have one name, the later is read. As many as an application has guards. */
    private final Map<String, Guarded> guards = new ConcurrentHashMap<>();

    /** Where to read a guard. */
    private record Guarded(IntSupplier inFlight, LongSupplier shed) {}

    private MicrometerMeters(MeterRegistry registry) {
        this.registry = registry;
        this.members = MultiGauge.builder("weir.breaker.state")
                .description("Whether a member decides its keys: 0 it does, 1 it does not answer, and is not asked")
                .register(registry);
    }

    /** Meters in {@code registry}, for one {@link Weir}. */
    public static MicrometerMeters in(MeterRegistry registry) {
        return new MicrometerMeters(registry);
    }

    @Override
    public OfLimit of(String limit, FailurePolicy policy) {
        return new Registered(registry, limit, policy, false);
    }

    @Override
    public OfLimit ofShadow(String limit, FailurePolicy policy) {
        return new Registered(registry, limit, policy, true);
    }

    @Override
    public void owners(List<OwnerHealth> owners) {
        Map<String, Integer> now = new HashMap<>();
        owners.forEach(each -> now.put(each.member(), state(each)));
        boolean sameMembers = now.keySet().equals(states.keySet());
        states = now;
        if (!sameMembers) {
            // Those that stay go on reading what is told; only who comes and who leaves is a change to the registry.
            members.register(
                    now.keySet().stream()
                            .map(member -> MultiGauge.Row.of(
                                    Tags.of("member", member), this, self -> self.states.getOrDefault(member, 0)))
                            .toList(),
                    false);
        }
    }

    @Override
    public void guard(String name, IntSupplier inFlight, LongSupplier shed) {
        Tags tags = Tags.of("guard", name);
        // Read by way of here, since a registry holds what it reads weakly.
        guards.put(name, new Guarded(inFlight, shed));
        for (String each : List.of("weir.guard.shed", "weir.guard.in.flight")) {
            // Of an earlier guard of that name, in an application that is restarted within its JVM.
            registry.find(each).tags(tags).meters().forEach(registry::remove);
        }
        FunctionCounter.builder(
                        "weir.guard.shed",
                        this,
                        self -> self.guarded(name, guard -> guard.shed().getAsLong()))
                .description("Work that a guard of this node has turned away")
                .baseUnit("calls")
                .tags(tags)
                .register(registry);
        Gauge.builder(
                        "weir.guard.in.flight",
                        this,
                        self -> self.guarded(name, guard -> guard.inFlight().getAsInt()))
                .description("Work that a guard of this node has let in and that is not done")
                .baseUnit("calls")
                .tags(tags)
                .register(registry);
    }

    private double guarded(String name, ToDoubleFunction<Guarded> number) {
        Guarded guard = guards.get(name);
        return guard == null ? Double.NaN : number.applyAsDouble(guard);
    }

    private static int state(OwnerHealth owner) {
        return switch (owner.state()) {
            case REACHABLE -> 0;
            case UNREACHABLE -> 1;
        };
    }

    /** All made at once, so that a decision only has to add one. */
    private static final class Registered implements OfLimit {
        private final Map<Verdict, Map<Source, Counter>> decisions = new EnumMap<>(Verdict.class);
        private final Timer answered;
        private final Timer unavailable;
        private final Counter fallbackSeconds;
        private final MeterRegistry registry;
        private final String limit;

        /** Held here, since a registry holds what it reads weakly. */
        private Supplier<LeaseCounts> leases = () -> LeaseCounts.NONE;

        /** As {@link #leases}. */
        private DoubleSupplier headroom = () -> Double.NaN;

        /** Null unless the limit is a shadow. */
        private final @Nullable Counter missed;

        /** Null if the limit is a shadow. */
        private final @Nullable Counter penalties;

        /** As {@link #penalties}. */
        private final @Nullable Counter strikesMissed;

        Registered(MeterRegistry registry, String limit, FailurePolicy policy, boolean shadow) {
            this.registry = registry;
            this.limit = limit;
            this.missed = shadow
                    ? Counter.builder("weir.shadow.missed")
                            .description("Requests on which a shadow should have been asked, and was not")
                            .baseUnit("decisions")
                            .tag("limit", limit)
                            .register(registry)
                    : null;
            this.penalties = shadow
                    ? null
                    : Counter.builder("weir.penalties")
                            .description("Cool-downs of keys with too many strikes that this node began")
                            .baseUnit("penalties")
                            .tag("limit", limit)
                            .register(registry);
            this.strikesMissed = shadow
                    ? null
                    : Counter.builder("weir.penalty.missed")
                            .description("Strikes that this node could not count, or not act on")
                            .baseUnit("strikes")
                            .tag("limit", limit)
                            .register(registry);
            for (Verdict verdict : Verdict.values()) {
                Map<Source, Counter> bySource = new EnumMap<>(Source.class);
                for (Source source : Source.values()) {
                    bySource.put(
                            source,
                            Counter.builder(shadow ? "weir.shadow.decisions" : "weir.decisions")
                                    .description(
                                            shadow
                                                    ? "Requests that a shadow would have decided, by outcome and source"
                                                    : "Requests decided, by outcome and by where the decision came from")
                                    .baseUnit("decisions")
                                    .tag("limit", limit)
                                    .tag("outcome", tag(verdict))
                                    .tag("source", tag(source))
                                    .register(registry));
                }
                decisions.put(verdict, bySource);
            }
            answered = storeCall(registry, limit, "answered");
            unavailable = storeCall(registry, limit, "unavailable");
            fallbackSeconds = Counter.builder("weir.fallback.seconds")
                    .description("Time in which the failure policy answered, at least for some keys")
                    .baseUnit("seconds")
                    .tag("limit", limit)
                    .tag("policy", tag(policy))
                    .register(registry);
        }

        private static Timer storeCall(MeterRegistry registry, String limit, String outcome) {
            return Timer.builder("weir.store.call")
                    .description("Time of calls that left this JVM's memory: to the answer, or spent waiting in vain")
                    .tag("limit", limit)
                    .tag("outcome", outcome)
                    .register(registry);
        }

        @Override
        public void decided(Verdict verdict, Source source) {
            Map<Source, Counter> bySource = decisions.get(verdict);
            Counter counter = bySource == null ? null : bySource.get(source);
            if (counter != null) { // always: both maps hold every constant
                counter.increment();
            }
        }

        @Override
        public void storeAsked(boolean ok, long nanos) {
            (ok ? answered : unavailable).record(nanos, TimeUnit.NANOSECONDS);
        }

        @Override
        public void missed() {
            if (missed != null) {
                missed.increment();
            }
        }

        @Override
        public void punished() {
            if (penalties != null) {
                penalties.increment();
            }
        }

        @Override
        public void strikeMissed() {
            if (strikesMissed != null) {
                strikesMissed.increment();
            }
        }

        @Override
        public void inFallback(long nanos) {
            fallbackSeconds.increment(nanos / 1e9);
        }

        @Override
        public void leases(Supplier<LeaseCounts> counts) {
            leases = counts;
            count("asked", LeaseCounts::asked);
            count("granted", LeaseCounts::granted);
            count("spent", LeaseCounts::spent);
            count("returned", LeaseCounts::returned);
            count("forfeited", LeaseCounts::forfeited);
        }

        @Override
        public void headroom(DoubleSupplier left) {
            headroom = left;
            makeRoom("weir.headroom", Tags.of("limit", limit));
            Gauge.builder("weir.headroom", this, self -> self.headroom.getAsDouble())
                    .description(
                            "How much of its bucket is left to the busiest key, from 0 to 1; unknown if not watched")
                    .baseUnit("ratio")
                    .tag("limit", limit)
                    .register(registry);
        }

        private void count(String event, ToDoubleFunction<LeaseCounts> permits) {
            makeRoom("weir.lease.permits", Tags.of("limit", limit, "event", event));
            FunctionCounter.builder("weir.lease.permits", this, self -> permits.applyAsDouble(self.leases.get()))
                    .description("Permits leased ahead of demand, by what became of them")
                    .baseUnit("permits")
                    .tag("limit", limit)
                    .tag("event", event)
                    .register(registry);
        }

        /** A registry keeps the first of a name and tags, and what that reads may be a Weir that is closed. */
        private void makeRoom(String name, Tags tags) {
            registry.find(name).tags(tags).meters().forEach(registry::remove);
        }

        private static String tag(Enum<?> constant) {
            return constant.name().toLowerCase(Locale.ROOT);
        }
    }
}
