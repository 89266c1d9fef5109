package io.weir.spring;

import io.weir.FailurePolicy;
import io.weir.Limit;
import io.weir.Weir;
import io.weir.algorithm.Algorithm;
import io.weir.algorithm.Bandwidth;
import io.weir.algorithm.CarryOver;
import io.weir.algorithm.Penalty;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.core.env.Environment;

/** From what is written beneath {@code weir.limits} to limits, or to a {@link Misconfiguration} that names the property. */
final class ConfiguredLimits {

    private static final ConfigurationPropertyName LIMITS =
            ConfigurationPropertyName.of(WeirProperties.PREFIX + ".limits");

    /** Stand in for numbers that are not being looked at. */
    private static final long ANY = 1;

    private static final Duration ANY_PERIOD = Duration.ofSeconds(1);

    private final Environment environment;
    private final Blame blame;

    private ConfiguredLimits(Environment environment) {
        this.environment = environment;
        this.blame = new Blame(environment);
    }

    /**
     * The limits, in their order.
     *
     * @throws Misconfiguration if one of them is none
     */
    static List<Limit> of(WeirProperties properties, Environment environment) {
        ConfiguredLimits configured = new ConfiguredLimits(environment);
        List<Limit> limits = new ArrayList<>();
        Map<String, LimitProperties> read = properties.limits();
        for (String name : WrittenNames.ofLimits(environment).among(read.keySet())) {
            limits.add(configured.limit(name, Objects.requireNonNull(read.get(name))));
        }
        return limits;
    }

    /**
     * Adds a limit that is a bean.
     *
     * @throws Misconfiguration if another one of its name is in the properties
     */
    static void addBean(Weir.Builder builder, Limit limit, Environment environment) {
        new Blame(environment)
                .on(
                        LIMITS.append(WrittenNames.element(limit.name())),
                        "Remove one of the two: what is written beneath weir.limits, or the bean of type Limit.",
                        () -> builder.limit(limit));
    }

    /**
     * Refuses shadows that have nothing to stand beside.
     *
     * @param limits all that there are
     * @throws Misconfiguration naming the first such
     */
    static void requireShadowed(Collection<Limit> limits, Environment environment) {
        Map<String, Limit> byName = limits.stream()
                .collect(Collectors.toMap(Limit::name, limit -> limit, (one, same) -> one, TreeMap::new));
        for (Limit limit : limits) {
            Limit other = limit.shadowOf().map(byName::get).orElse(null);
            if (limit.shadowOf().isPresent() && (other == null || other.isShadow())) {
                ConfigurationPropertyName where =
                        LIMITS.append(WrittenNames.element(limit.name())).append("shadow-of");
                throw new Blame(environment)
                        .wrong(
                                where,
                                (other == null ? "there is no such limit" : "that is a shadow itself")
                                        + ", and the limits are " + byName.keySet() + ".",
                                "Write the name of a limit that is enforced, or shadow: true for one that is asked by itself.");
            }
        }
    }

    private Limit limit(String name, LimitProperties properties) {
        ConfigurationPropertyName where = LIMITS.append(WrittenNames.element(name));
        FailurePolicy policy = properties.failurePolicy();
        // The name first: all that follows speaks of the limit by it.
        blame.on(where, "Choose another name for the limit.", () -> Limit.named(name, FailurePolicy.DENY));
        if (policy == null) {
            throw blame.missing(where.append("failure-policy"));
        }
        Limit.Builder builder =
                Limit.named(name, policy).algorithm(properties.algorithm()).carryOver(properties.carryOver());
        bandwidths(where, properties.algorithm(), properties.numbers()).forEach(builder::bandwidth);
        Duration deadline = properties.deadline();
        if (deadline != null) {
            blame.on(where.append("deadline"), () -> builder.deadline(deadline));
        }
        blame.on(where.append("version"), () -> builder.version(properties.version()));
        overrides(name, where, properties, builder);
        if (properties.exact()) {
            builder.exact();
        }
        if (properties.strictPartitions()) {
            builder.strictPartitions();
        }
        if (properties.shadow()) {
            builder.shadow();
        }
        if (properties.shadowOf() != null) {
            builder.shadowOf(properties.shadowOf());
        }
        blame.on(where.append("debt"), () -> builder.debt(properties.debt()));
        if (properties.debt() > 0 && properties.algorithm() != Algorithm.Kind.TOKEN_BUCKET) {
            return blame.on(where.append("debt"), builder::build);
        }
        PenaltyProperties penalty = properties.penalty();
        if (penalty != null) {
            builder.penalty(penalty(where.append("penalty"), penalty));
            Limit.Builder named = Limit.named(name, policy).bandwidth(Bandwidth.of(ANY, ANY, ANY_PERIOD));
            blame.on(
                    where,
                    "Choose a shorter name for the limit, or remove its penalty.",
                    () -> named.penalty(Penalty.standard()).build());
            if (properties.shadow() || properties.shadowOf() != null) {
                return blame.on(
                        where.append(properties.shadow() ? "shadow" : "shadow-of"),
                        "Remove it, or the penalty beside it.",
                        builder::build);
            }
        }
        boolean resets = properties.strictPartitions() && properties.carryOver() != CarryOver.PROPORTION;
        return blame.on(where.append(resets ? "carry-over" : "bandwidths"), builder::build);
    }

    private Penalty penalty(ConfigurationPropertyName where, PenaltyProperties properties) {
        Penalty any = Penalty.standard().withCooldown(Duration.ofMillis(1), Penalty.LONGEST);
        // One at a time, so that the property that is named is the one that is wrong.
        blame.on(where.append("strikes"), () -> any.withStrikes(properties.strikes(), any.per()));
        blame.on(where.append("per"), () -> any.withStrikes(any.strikes(), properties.per()));
        blame.on(where.append("first"), () -> any.withCooldown(properties.first(), Penalty.LONGEST));
        blame.on(where.append("longest"), () -> any.withCooldown(properties.first(), properties.longest()));
        blame.on(where.append("forgiven-after"), () -> any.withForgivenAfter(properties.forgivenAfter()));
        return new Penalty(
                properties.strikes(),
                properties.per(),
                properties.first(),
                properties.longest(),
                properties.forgivenAfter());
    }

    private void overrides(
            String limit, ConfigurationPropertyName where, LimitProperties properties, Limit.Builder builder) {
        Map<String, NumbersProperties> read = properties.overrides();
        if (read.isEmpty()) {
            return;
        }
        Limit.Builder any = Limit.named(limit, FailurePolicy.DENY).bandwidth(Bandwidth.of(ANY, ANY, ANY_PERIOD));
        any.override("any", Bandwidth.of(ANY, ANY, ANY_PERIOD)).version(properties.version());
        blame.on(where.append("version"), any::build);
        Algorithm.Kind algorithm = properties.algorithm();
        for (String key : WrittenNames.ofKeys(limit, environment).among(read.keySet())) {
            ConfigurationPropertyName place = where.append("overrides").append(WrittenNames.element(key));
            List<Bandwidth> own = bandwidths(place, algorithm, Objects.requireNonNull(read.get(key)));
            blame.on(place.append("bandwidths"), () -> algorithm.with(own));
            blame.on(place, () -> builder.override(key, own.toArray(Bandwidth[]::new)));
        }
    }

    private List<Bandwidth> bandwidths(
            ConfigurationPropertyName where, Algorithm.Kind algorithm, NumbersProperties properties) {
        List<BandwidthProperties> several = properties.bandwidths();
        if (several == null) {
            return List.of(
                    bandwidth(where, algorithm, Bandwidth.DEFAULT_NAME, properties.capacity(), properties.refill()));
        }
        if (properties.capacity() != null || properties.refill() != null) {
            throw blame.wrong(
                    where.append(properties.capacity() != null ? "capacity" : "refill"),
                    "there are bandwidths beside it, each with a capacity and a refill of its own.",
                    "Remove either the bandwidths, or the capacity and the refill beside them.");
        }
        List<Bandwidth> bandwidths = new ArrayList<>();
        for (int i = 0; i < several.size(); i++) {
            BandwidthProperties each = several.get(i);
            ConfigurationPropertyName place = where.append("bandwidths[" + i + "]");
            String name = each.name() != null ? each.name() : Bandwidth.DEFAULT_NAME;
            blame.on(place.append("name"), () -> new Bandwidth(name, ANY, ANY, ANY_PERIOD));
            bandwidths.add(bandwidth(place, algorithm, name, each.capacity(), each.refill()));
        }
        return bandwidths;
    }

    private Bandwidth bandwidth(
            ConfigurationPropertyName where,
            Algorithm.Kind algorithm,
            String name,
            @Nullable Long capacity,
            @Nullable Refill refill) {
        boolean perWindow = algorithm.countsPerWindow();
        if (capacity == null && !perWindow) {
            throw blame.missing(where.append("capacity"));
        }
        if (refill == null) {
            throw blame.missing(where.append("refill"));
        }
        if (capacity != null && perWindow && capacity != refill.permits()) {
            throw blame.wrong(
                    where.append("capacity"),
                    "with algorithm " + words(algorithm) + " this has to be the permits of refill, which are "
                            + refill.permits() + ".",
                    "Remove capacity: the refill alone says how many in which window.");
        }
        long burst = capacity == null ? refill.permits() : capacity;
        // One at a time, so that the property that is named is the one that is wrong.
        if (capacity != null) {
            blame.on(where.append("capacity"), () -> new Bandwidth(name, capacity, ANY, ANY_PERIOD));
        }
        return blame.on(where.append("refill"), () -> {
            Bandwidth bandwidth = new Bandwidth(name, burst, refill.permits(), refill.period());
            return algorithm.with(List.of(bandwidth)).bandwidths().get(0);
        });
    }

    private static String words(Algorithm.Kind algorithm) {
        return algorithm.name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
