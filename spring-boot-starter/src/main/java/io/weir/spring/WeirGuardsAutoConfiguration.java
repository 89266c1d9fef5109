package io.weir.spring;

import io.weir.Meters;
import io.weir.guard.LoadShedder;
import io.weir.http.GuardFilter;
import io.weir.http.HttpGuards;
import io.weir.http.KeyResolver;
import io.weir.http.Position;
import jakarta.servlet.Filter;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.NoUniqueBeanDefinitionException;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.core.env.Environment;
import org.springframework.web.bind.annotation.ControllerAdvice;
import org.springframework.web.cors.CorsConfigurationSource;
import org.springframework.web.server.WebFilter;

/** Guards of HTTP requests, under Spring MVC, other servlets and WebFlux. They need no limit, and no store. */
@AutoConfiguration(after = WeirAutoConfiguration.class)
@ConditionalOnWebApplication
@ConditionalOnProperty(prefix = WeirProperties.PREFIX, name = "enabled", matchIfMissing = true)
final class WeirGuardsAutoConfiguration {

    @Bean
    @ConditionalOnMissingBean
    HttpGuards weirHttpGuards(
            WeirProperties properties,
            Map<String, KeyResolver> resolvers,
            ObjectProvider<LoadShedder> shedder,
            ObjectProvider<Meters> meters,
            Environment environment) {
        Blame blame = new Blame(environment);
        return new ConfiguredGuards(
                        properties.http(),
                        new ConfiguredKeys(properties.http(), resolvers, blame),
                        meters.getIfAvailable(),
                        blame)
                .guards(only(shedder), properties.console().place());
    }

    private static @Nullable LoadShedder only(ObjectProvider<LoadShedder> shedders) {
        try {
            return shedders.getIfAvailable();
        } catch (NoUniqueBeanDefinitionException e) {
            throw new Misconfiguration.OfShedder(
                    "There are several beans of type LoadShedder, and no telling which is to stand in front of all requests: "
                            + e.getBeanNamesFound() + ".",
                    "Mark one of them as @Primary, or leave one only. Give the others to what they are for, without making them beans,"
                            + " or set weir.http.shed.in-flight instead of all of them.",
                    e);
        }
    }

    /** For controllers of both kinds. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(ControllerAdvice.class)
    @Import(NodeBusyAdvice.class)
    static class OfControllers {}

    /** Filters before and after authentication. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.SERVLET)
    static class OnServlets {

        @Bean
        FilterRegistrationBean<Filter> weirGuardFilterBeforeAuthentication(
                HttpGuards guards, ObjectProvider<CorsConfigurationSource> cors, Environment environment) {
            return filter(guards, Position.BEFORE_AUTHENTICATION, cors, environment);
        }

        @Bean
        FilterRegistrationBean<Filter> weirGuardFilterAfterAuthentication(
                HttpGuards guards, ObjectProvider<CorsConfigurationSource> cors, Environment environment) {
            return filter(guards, Position.AFTER_AUTHENTICATION, cors, environment);
        }

        private static FilterRegistrationBean<Filter> filter(
                HttpGuards guards,
                Position position,
                ObjectProvider<CorsConfigurationSource> cors,
                Environment environment) {
            Filter filter = new GuardFilter(
                    guards, position, new CorsFields(() -> cors.orderedStream().toList()));
            return ServletFilters.register(
                    filter, "weir-guards", position, FilterOrder::ofGuards, guards.anyAt(position), environment);
        }
    }

    /** The same for WebFlux. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.REACTIVE)
    static class OnWebFlux {

        @Bean
        WebFilter weirGuardFilterBeforeAuthentication(HttpGuards guards) {
            return filter(guards, Position.BEFORE_AUTHENTICATION);
        }

        @Bean
        WebFilter weirGuardFilterAfterAuthentication(HttpGuards guards) {
            return filter(guards, Position.AFTER_AUTHENTICATION);
        }

        private static WebFilter filter(HttpGuards guards, Position position) {
            return new GuardWebFilter(
                    guards, position, FilterOrder.ofGuards(position, FilterOrder.USUAL_SECURITY_ORDER));
        }
    }
}
