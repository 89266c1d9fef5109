package io.weir.spring;

import io.weir.Weir;
import io.weir.http.HttpLimits;
import io.weir.http.HttpMapping;
import io.weir.http.HttpQuotas;
import io.weir.http.KeyResolver;
import io.weir.http.Position;
import io.weir.http.RateLimitFilter;
import io.weir.http.Route;
import jakarta.servlet.Filter;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Map;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
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
import org.springframework.web.server.WebExceptionHandler;
import org.springframework.web.server.WebFilter;
import org.springframework.web.servlet.HandlerExceptionResolver;
import org.springframework.web.servlet.ModelAndView;
import reactor.core.publisher.Mono;

/** Limits of HTTP requests, and answers to calls that {@link RateLimited} denied, under Spring MVC, other servlets and WebFlux. */
@AutoConfiguration(after = WeirAutoConfiguration.class)
@ConditionalOnWebApplication
@ConditionalOnProperty(prefix = WeirProperties.PREFIX, name = "enabled", matchIfMissing = true)
@ConditionalOnBean(Weir.class)
final class WeirHttpAutoConfiguration {

    @Bean
    @ConditionalOnMissingBean
    HttpMapping weirHttpMapping(WeirProperties properties, Environment environment) {
        return routes(properties, Map.of(), environment).mapping();
    }

    @Bean
    @ConditionalOnMissingBean
    HttpLimits weirHttpLimits(
            Weir weir,
            HttpMapping mapping,
            WeirProperties properties,
            Map<String, KeyResolver> resolvers,
            ObjectProvider<Route> routes,
            ObjectProvider<HttpQuotas> quotas,
            ObjectProvider<QuotaThreads> threads,
            Environment environment) {
        HttpLimits.Builder builder = HttpLimits.over(weir).mapping(mapping);
        quotas.ifAvailable(each -> {
            QuotaThreads waiting = threads.getIfAvailable();
            if (waiting == null) {
                builder.quotas(each);
            } else {
                builder.quotas(each, waiting);
            }
        });
        return routes(properties, resolvers, environment)
                .limits(
                        weir,
                        builder,
                        properties.console().place(),
                        routes.orderedStream().toList());
    }

    private static ConfiguredRoutes routes(
            WeirProperties properties, Map<String, KeyResolver> resolvers, Environment environment) {
        Blame blame = new Blame(environment);
        return new ConfiguredRoutes(
                properties.http(),
                new ConfiguredKeys(properties.http(), resolvers, blame),
                properties.quotas().keySet(),
                blame);
    }

    /** For controllers of both kinds. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(ControllerAdvice.class)
    @Import(RateLimitedAdvice.class)
    static class OfControllers {}

    /** Filters before and after authentication. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.SERVLET)
    static class OnServlets {

        @Bean
        FilterRegistrationBean<Filter> weirFilterBeforeAuthentication(
                HttpLimits limits, ObjectProvider<CorsConfigurationSource> cors, Environment environment) {
            return filter(limits, Position.BEFORE_AUTHENTICATION, cors, environment);
        }

        @Bean
        FilterRegistrationBean<Filter> weirFilterAfterAuthentication(
                HttpLimits limits, ObjectProvider<CorsConfigurationSource> cors, Environment environment) {
            return filter(limits, Position.AFTER_AUTHENTICATION, cors, environment);
        }

        private static FilterRegistrationBean<Filter> filter(
                HttpLimits limits,
                Position position,
                ObjectProvider<CorsConfigurationSource> cors,
                Environment environment) {
            Filter filter = new RateLimitFilter(
                    limits, position, new CorsFields(() -> cors.orderedStream().toList()));
            return ServletFilters.register(
                    filter, "weir", position, FilterOrder::ofLimits, limits.anyAt(position), environment);
        }
    }

    /** For handlers of Spring MVC that are no controllers. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.SERVLET)
    @ConditionalOnClass(HandlerExceptionResolver.class)
    static class OnMvc {

        @Bean
        HandlerExceptionResolver weirExceptionResolver(HttpMapping mapping) {
            return (request, response, handler, failure) -> {
                if (!(failure instanceof RateLimitedException denied) || response.isCommitted()) {
                    return null;
                }
                try {
                    RateLimitFilter.write(RateLimitedAdvice.denial(mapping, denied), response);
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
                return new ModelAndView();
            };
        }
    }

    /** The same for WebFlux, where nothing moves the filter of Spring Security. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.REACTIVE)
    static class OnWebFlux {

        @Bean
        WebFilter weirFilterBeforeAuthentication(HttpLimits limits, ObjectProvider<QuotaThreads> threads) {
            Position position = Position.BEFORE_AUTHENTICATION;
            return new RateLimitWebFilter(
                    limits,
                    threads.getIfAvailable(),
                    position,
                    FilterOrder.ofLimits(position, FilterOrder.USUAL_SECURITY_ORDER));
        }

        @Bean
        WebFilter weirFilterAfterAuthentication(HttpLimits limits, ObjectProvider<QuotaThreads> threads) {
            Position position = Position.AFTER_AUTHENTICATION;
            return new RateLimitWebFilter(
                    limits,
                    threads.getIfAvailable(),
                    position,
                    FilterOrder.ofLimits(position, FilterOrder.USUAL_SECURITY_ORDER));
        }

        /** For handlers that are no controllers. Before Spring Boot's, which would answer 500. */
        @Bean
        @org.springframework.core.annotation.Order(-2)
        WebExceptionHandler weirExceptionHandler(HttpMapping mapping) {
            return (exchange, failure) -> failure instanceof RateLimitedException denied
                            && !exchange.getResponse().isCommitted()
                    ? RateLimitWebFilter.write(RateLimitedAdvice.denial(mapping, denied), exchange.getResponse())
                    : Mono.error(failure);
        }
    }
}
