package io.weir.spring;

import io.weir.FailurePolicy;
import io.weir.Limit;
import io.weir.Weir;
import io.weir.algorithm.Bandwidth;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
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

    private ConfiguredLimits(Environment environment) {
        this.environment = environment;
    }

    /**
     * The limits, in their order.
     *
     * @throws Misconfiguration if one of them is none
     */
    static List<Limit> of(WeirProperties properties, Environment environment) {
        LimitNames.requireUnmangled(environment);
        ConfiguredLimits configured = new ConfiguredLimits(environment);
        List<Limit> limits = new ArrayList<>();
        for (Map.Entry<String, LimitProperties> each : properties.limits().entrySet()) {
            limits.add(configured.limit(each.getKey(), each.getValue()));
        }
        return limits;
    }

    /**
     * Adds a limit that is a bean.
     *
     * @throws Misconfiguration if another one of its name is in the properties
     */
    static void addBean(Weir.Builder builder, Limit limit, Environment environment) {
        new ConfiguredLimits(environment)
                .checked(
                        LIMITS.append(LimitNames.element(limit.name())),
                        "Remove one of the two: what is written beneath weir.limits, or the bean of type Limit.",
                        () -> builder.limit(limit));
    }

    /**
     * What {@code making} gives.
     *
     * @throws Misconfiguration if it refuses, naming the property that is to blame
     */
    static <T> T checked(Environment environment, String property, Supplier<T> making) {
        return new ConfiguredLimits(environment).checked(ConfigurationPropertyName.of(property), making);
    }

    private Limit limit(String name, LimitProperties properties) {
        ConfigurationPropertyName where = LIMITS.append(LimitNames.element(name));
        FailurePolicy policy = properties.failurePolicy();
        // The name first: all that follows speaks of the limit by it.
        checked(where, "Choose another name for the limit.", () -> Limit.named(name, FailurePolicy.DENY));
        if (policy == null) {
            throw missing(where.append("failure-policy"));
        }
        Limit.Builder builder = Limit.named(name, policy);
        bandwidths(where, properties).forEach(builder::bandwidth);
        Duration deadline = properties.deadline();
        if (deadline != null) {
            checked(where.append("deadline"), () -> builder.deadline(deadline));
        }
        checked(where.append("version"), () -> builder.version(properties.version()));
        if (properties.exact()) {
            builder.exact();
        }
        if (properties.strictPartitions()) {
            builder.strictPartitions();
        }
        return checked(where.append("bandwidths"), builder::build);
    }

    private List<Bandwidth> bandwidths(ConfigurationPropertyName where, LimitProperties properties) {
        List<BandwidthProperties> several = properties.bandwidths();
        if (several == null) {
            return List.of(bandwidth(where, Bandwidth.DEFAULT_NAME, properties.capacity(), properties.refill()));
        }
        if (properties.capacity() != null || properties.refill() != null) {
            throw wrong(
                    where.append(properties.capacity() != null ? "capacity" : "refill"),
                    "this limit has bandwidths, each with a capacity and a refill of its own.",
                    "Remove either the bandwidths, or the capacity and the refill beside them.");
        }
        List<Bandwidth> bandwidths = new ArrayList<>();
        for (int i = 0; i < several.size(); i++) {
            BandwidthProperties each = several.get(i);
            ConfigurationPropertyName place = where.append("bandwidths[" + i + "]");
            String name = each.name() != null ? each.name() : Bandwidth.DEFAULT_NAME;
            checked(place.append("name"), () -> new Bandwidth(name, ANY, ANY, ANY_PERIOD));
            bandwidths.add(bandwidth(place, name, each.capacity(), each.refill()));
        }
        return bandwidths;
    }

    private Bandwidth bandwidth(
            ConfigurationPropertyName where, String name, @Nullable Long capacity, @Nullable Refill refill) {
        if (capacity == null) {
            throw missing(where.append("capacity"));
        }
        if (refill == null) {
            throw missing(where.append("refill"));
        }
        // One at a time, so that the property that is named is the one that is wrong.
        checked(where.append("capacity"), () -> new Bandwidth(name, capacity, ANY, ANY_PERIOD));
        return checked(where.append("refill"), () -> new Bandwidth(name, capacity, refill.permits(), refill.period()));
    }

    private <T> T checked(ConfigurationPropertyName property, Supplier<T> making) {
        return checked(property, Advice.write(property), making);
    }

    private <T> T checked(ConfigurationPropertyName property, String advice, Supplier<T> making) {
        try {
            return making.get();
        } catch (IllegalArgumentException e) {
            throw new Misconfiguration.OfSetting(Setting.of(environment, property), e.getMessage() + ".", advice, e);
        }
    }

    private Misconfiguration missing(ConfigurationPropertyName property) {
        return wrong(property, "this is missing.", Advice.write(property));
    }

    private Misconfiguration wrong(ConfigurationPropertyName property, String reason, String advice) {
        return new Misconfiguration.OfSetting(Setting.of(environment, property), reason, advice, null);
    }
}
