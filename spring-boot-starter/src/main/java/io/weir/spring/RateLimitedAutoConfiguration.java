package io.weir.spring;

import io.weir.Weir;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.context.annotation.Bean;
import org.springframework.context.expression.BeanFactoryResolver;
import org.springframework.core.env.Environment;

/** {@link RateLimited} on methods of beans. */
@AutoConfiguration(after = WeirAutoConfiguration.class)
@ConditionalOnProperty(prefix = WeirProperties.PREFIX, name = "enabled", matchIfMissing = true)
final class RateLimitedAutoConfiguration {

    /** Static, and asking for the {@code Weir} late, so that no bean is made before it could be processed. */
    @Bean
    static RateLimitedPostProcessor weirRateLimitedPostProcessor(
            ObjectProvider<Weir> weir, BeanFactory beans, Environment environment) {
        RateLimitedPostProcessor processor =
                new RateLimitedPostProcessor(new LimitedMethods(weir::getIfAvailable, new BeanFactoryResolver(beans)));
        // As Spring Boot proxies everything else.
        processor.setProxyTargetClass(environment.getProperty("spring.aop.proxy-target-class", Boolean.class, true));
        return processor;
    }
}
