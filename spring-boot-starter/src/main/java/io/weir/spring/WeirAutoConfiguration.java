package io.weir.spring;

import io.micrometer.core.instrument.MeterRegistry;
import io.weir.KeyWatch;
import io.weir.Limit;
import io.weir.Meters;
import io.weir.MicrometerMeters;
import io.weir.Weir;
import io.weir.store.LocalStore;
import io.weir.store.Store;
import java.util.ArrayList;
import java.util.List;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.LazyInitializationExcludeFilter;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.boot.autoconfigure.condition.NoneNestedConditions;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.Environment;
import org.springframework.util.ClassUtils;

/** A {@link Weir} of the limits in {@code application.yaml} and of the beans of type {@link Limit}. */
@AutoConfiguration(
        afterName = {
            "org.springframework.boot.actuate.autoconfigure.metrics.CompositeMeterRegistryAutoConfiguration",
            "org.springframework.boot.micrometer.metrics.autoconfigure.CompositeMeterRegistryAutoConfiguration"
        })
@ConditionalOnProperty(prefix = WeirProperties.PREFIX, name = "enabled", matchIfMissing = true)
@EnableConfigurationProperties(WeirProperties.class)
final class WeirAutoConfiguration {

    private static final System.Logger LOG = System.getLogger(Weir.class.getName());

    private static final String STORE = "weirStore";

    private static final ConfigurationPropertyName NODES =
            ConfigurationPropertyName.of(WeirProperties.PREFIX + ".nodes");
    private static final ConfigurationPropertyName KEYS = ConfigurationPropertyName.of(WeirProperties.PREFIX + ".keys");
    private static final ConfigurationPropertyName ROUTES =
            ConfigurationPropertyName.of(WeirProperties.PREFIX + ".http.routes");

    /** So that a mistake stops the start, and not the first request, also where beans are made when they are asked for. */
    @Bean
    static LazyInitializationExcludeFilter weirIsNeverLazy() {
        return LazyInitializationExcludeFilter.forBeanTypes(Weir.class, WithoutLimits.class);
    }

    /** Where there is something to limit. An application's own store or {@code Weir} takes the place of ours. */
    @Configuration(proxyBeanMethods = false)
    @Conditional(OnLimits.class)
    @ConditionalOnMissingBean(Weir.class)
    static class WithLimits {

        @Bean(STORE)
        @ConditionalOnMissingBean(Store.class)
        Store weirStore(WeirProperties properties, ConfigurableListableBeanFactory beans, Environment environment) {
            return switch (properties.store()) {
                case LOCAL -> LocalStore.create();
                case HAZELCAST -> inHazelcast(properties, beans, environment);
            };
        }

        private static Store inHazelcast(
                WeirProperties properties, ConfigurableListableBeanFactory beans, Environment environment) {
            if (!ClassUtils.isPresent("com.hazelcast.core.HazelcastInstance", beans.getBeanClassLoader())) {
                throw new Misconfiguration.OfHazelcast(
                        "Limits are kept in Hazelcast, which is not on the class path.",
                        "Add com.hazelcast:hazelcast. Or set weir.store to local: each node then enforces the limits by"
                                + " itself, and n nodes let n times as much through.",
                        null);
            }
            return new HazelcastChoice(beans, environment)
                    .join(STORE, properties, Namespace.of(properties, environment));
        }

        @Bean
        Weir weir(
                Store store,
                WeirProperties properties,
                ObjectProvider<Limit> limits,
                ObjectProvider<Meters> meters,
                ObjectProvider<MetersAround> around,
                ApplicationEventPublisher events,
                Environment environment) {
            Weir.Builder builder = Weir.over(store).onChange(events::publishEvent);
            List<Limit> all = new ArrayList<>(ConfiguredLimits.of(properties, environment));
            all.forEach(builder::limit);
            limits.orderedStream().forEach(limit -> {
                ConfiguredLimits.addBean(builder, limit, environment);
                all.add(limit);
            });
            ConfiguredLimits.requireShadowed(all, environment);
            MetersAround console = around.getIfAvailable();
            if (console == null) {
                meters.ifAvailable(builder::meters);
            } else {
                builder.meters(console.around(meters.getIfAvailable()));
            }
            if (properties.keys().watch()) {
                builder.watchKeys(watch(properties.keys(), events, new Blame(environment)));
            }
            return new Blame(environment).on(NODES, () -> {
                if (properties.nodes() != null) {
                    builder.nodes(properties.nodes());
                }
                return builder.build(); // refuses only to share limits out among an unknown number of nodes
            });
        }
    }

    private static KeyWatch watch(KeysProperties keys, ApplicationEventPublisher events, Blame blame) {
        if (!ClassUtils.isPresent("org.apache.datasketches.frequencies.ItemsSketch", Weir.class.getClassLoader())) {
            throw blame.wrong(
                    KEYS.append("watch"),
                    "keys are watched by a library that is not on the class path.",
                    "Add org.apache.datasketches:datasketches-java, or do not watch keys.");
        }
        return blame.on(
                KEYS.append("at-cap-after"), () -> KeyWatch.create().atCap(keys.atCapAfter(), events::publishEvent));
    }

    /** Where there is nothing: said once, and no reason not to start. */
    @Configuration(proxyBeanMethods = false)
    @Conditional(NoLimits.class)
    @ConditionalOnMissingBean(Weir.class)
    static class WithoutLimits {

        WithoutLimits(WeirProperties properties, Environment environment) {
            if (!properties.http().routes().isEmpty()) {
                throw new Blame(environment)
                        .wrong(
                                ROUTES,
                                "there are routes, but no limit.",
                                "Write the limits of the routes beneath weir.limits, or remove the routes.");
            }
            LOG.log(
                    System.Logger.Level.WARNING,
                    "There is no limit, and so no bean of type Weir: write limits beneath weir.limits, add beans of type"
                            + " Limit, or set weir.enabled to false.");
        }
    }

    /** Meters in the application's registry, if it has one. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(MeterRegistry.class)
    static class WithMicrometer {

        @Bean
        @ConditionalOnMissingBean(Meters.class)
        @ConditionalOnSingleCandidate(MeterRegistry.class)
        Meters weirMeters(MeterRegistry registry) {
            return MicrometerMeters.in(registry);
        }
    }

    /** The contrary of {@link OnLimits}. */
    static final class NoLimits extends NoneNestedConditions {

        NoLimits() {
            super(ConfigurationPhase.REGISTER_BEAN);
        }

        @Conditional(OnLimits.class)
        static final class Limits {}
    }
}
