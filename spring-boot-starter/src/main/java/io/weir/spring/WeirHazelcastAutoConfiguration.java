package io.weir.spring;

import com.hazelcast.config.Config;
import io.weir.Weir;
import io.weir.hazelcast.HazelcastStore;
import io.weir.store.Store;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.Environment;

/**
 * Contributes the map of buckets to every Hazelcast configuration that is made in this application: to beans of type {@link
 * Config}, and to what Spring Boot reads from {@code hazelcast.yaml}. Who brings a store of his own brings its configuration too.
 *
 * <p>Also where there are no limits yet, if there is a namespace: all members then know the map before one of them limits.
 */
@AutoConfiguration(before = WeirAutoConfiguration.class)
@ConditionalOnClass({Config.class, HazelcastStore.class})
@ConditionalOnProperty(prefix = WeirProperties.PREFIX, name = "enabled", matchIfMissing = true)
@Conditional(OnMap.class)
@ConditionalOnMissingBean({Weir.class, Store.class})
@EnableConfigurationProperties(WeirProperties.class)
final class WeirHazelcastAutoConfiguration {

    private static MapContribution contribution(ObjectProvider<WeirProperties> properties, Environment environment) {
        return new MapContribution(() -> Namespace.of(properties.getObject(), environment));
    }

    /** Static, and asking for the properties late, so that no bean is made before it could be processed. */
    @Bean
    static BeanPostProcessor weirConfigPostProcessor(
            ObjectProvider<WeirProperties> properties, Environment environment) {
        MapContribution contribution = contribution(properties, environment);
        return new BeanPostProcessor() {
            @Override
            public Object postProcessAfterInitialization(Object bean, String name) {
                if (bean instanceof Config config) {
                    contribution.addTo(config);
                }
                return bean;
            }
        };
    }

    /** Spring Boot 3's hook into {@code hazelcast.yaml}. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(org.springframework.boot.autoconfigure.hazelcast.HazelcastConfigCustomizer.class)
    static class OnBoot3 {

        @Bean
        org.springframework.boot.autoconfigure.hazelcast.HazelcastConfigCustomizer weirHazelcastConfigCustomizer(
                ObjectProvider<WeirProperties> properties, Environment environment) {
            return contribution(properties, environment)::addTo;
        }
    }

    /** Spring Boot 4's. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(org.springframework.boot.hazelcast.autoconfigure.HazelcastConfigCustomizer.class)
    static class OnBoot4 {

        @Bean
        org.springframework.boot.hazelcast.autoconfigure.HazelcastConfigCustomizer weirHazelcastConfigCustomizer(
                ObjectProvider<WeirProperties> properties, Environment environment) {
            return contribution(properties, environment)::addTo;
        }
    }
}
