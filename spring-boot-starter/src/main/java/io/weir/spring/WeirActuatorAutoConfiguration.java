package io.weir.spring;

import io.weir.Health;
import io.weir.Weir;
import org.springframework.boot.actuate.autoconfigure.endpoint.condition.ConditionalOnAvailableEndpoint;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.Environment;

/** The health contributor and the actuator endpoint {@code weir}, where the application has an actuator. */
@AutoConfiguration(after = WeirAutoConfiguration.class)
@ConditionalOnProperty(prefix = WeirProperties.PREFIX, name = "enabled", matchIfMissing = true)
@ConditionalOnBean(Weir.class)
final class WeirActuatorAutoConfiguration {

    /** The endpoint. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass({Endpoint.class, ConditionalOnAvailableEndpoint.class})
    static class WithEndpoints {

        @Bean
        @ConditionalOnAvailableEndpoint(WeirEndpoint.class)
        WeirEndpoint weirEndpoint(Weir weir, WeirProperties properties, Environment environment) {
            int keys = properties.keys().shown();
            int directives = properties.endpoint().directives();
            Blame blame = new Blame(environment);
            blame.on(
                    ConfigurationPropertyName.of(WeirProperties.PREFIX + ".keys.shown"),
                    () -> new WeirEndpoint(weir, keys, 0));
            return blame.on(
                    ConfigurationPropertyName.of(WeirProperties.PREFIX + ".endpoint.directives"),
                    () -> properties.endpoint().changes()
                            ? new WeirChangesEndpoint(weir, keys, directives)
                            : new WeirEndpoint(weir, keys, directives));
        }
    }

    /** Health, as Spring Boot 3 has it. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(org.springframework.boot.actuate.health.HealthIndicator.class)
    static class OnBoot3 {

        @Bean
        @org.springframework.boot.actuate.autoconfigure.health.ConditionalOnEnabledHealthIndicator("weir")
        org.springframework.boot.actuate.health.HealthIndicator weirHealthIndicator(Weir weir) {
            return () -> {
                Health health = weir.health();
                return new org.springframework.boot.actuate.health.Health.Builder()
                        .status(HealthDetails.status(health))
                        .withDetails(HealthDetails.of(health))
                        .build();
            };
        }
    }

    /** Health, as Spring Boot 4 has it. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(org.springframework.boot.health.contributor.HealthIndicator.class)
    static class OnBoot4 {

        @Bean
        @org.springframework.boot.health.autoconfigure.contributor.ConditionalOnEnabledHealthIndicator("weir")
        org.springframework.boot.health.contributor.HealthIndicator weirHealthIndicator(Weir weir) {
            return () -> {
                Health health = weir.health();
                return new org.springframework.boot.health.contributor.Health.Builder()
                        .status(HealthDetails.status(health))
                        .withDetails(HealthDetails.of(health))
                        .build();
            };
        }
    }
}
