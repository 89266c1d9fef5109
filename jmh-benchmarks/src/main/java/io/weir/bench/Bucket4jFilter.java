package io.weir.bench;

import com.giffing.bucket4j.spring.boot.starter.config.cache.Bucket4jCacheConfiguration;
import com.giffing.bucket4j.spring.boot.starter.config.filter.servlet.Bucket4JAutoConfigurationServletFilter;
import com.giffing.bucket4j.spring.boot.starter.context.metrics.MetricHandler;
import com.giffing.bucket4j.spring.boot.starter.filter.servlet.ServletRateLimitFilter;
import com.hazelcast.core.HazelcastInstance;
import com.hazelcast.spring.cache.HazelcastCacheManager;
import io.weir.algorithm.Bandwidth;
import jakarta.servlet.Filter;
import java.util.Map;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.autoconfigure.context.PropertyPlaceholderAutoConfiguration;
import org.springframework.boot.autoconfigure.web.servlet.ServletWebServerFactoryAutoConfiguration;
import org.springframework.boot.web.servlet.context.AnnotationConfigServletWebServerApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.MapPropertySource;

/**
 * The filter that bucket4j's Spring Boot starter makes in a Spring application, configured as its manual says, with its
 * buckets in Hazelcast.
 */
final class Bucket4jFilter implements LimitingFilter {

    /** Which requests it limits, as a regular expression. It puts this in front of keys, too. */
    static final String URL = "/api/.*";

    private final AnnotationConfigServletWebServerApplicationContext application =
            new AnnotationConfigServletWebServerApplicationContext();

    Bucket4jFilter(HazelcastInstance hazelcast, Bandwidth bandwidth) {
        String filter = "bucket4j.filters[0].";
        String rule = filter + "rate-limits[0].";
        String bucket = rule + "bandwidths[0].";
        Map<String, Object> properties = Map.of(
                "server.address",
                "127.0.0.1",
                "server.port",
                0,
                "bucket4j.cache-to-use",
                "hazelcast-spring",
                filter + "cache-name",
                "buckets",
                filter + "url",
                URL,
                rule + "cache-key",
                "getHeader('" + ServletPeer.KEY_FIELD + "')",
                bucket + "capacity",
                bandwidth.capacity(),
                bucket + "refill-capacity",
                bandwidth.refill(),
                bucket + "time",
                bandwidth.period().toSeconds(),
                bucket + "unit",
                "seconds");
        application.getEnvironment().getPropertySources().addFirst(new MapPropertySource("benchmark", properties));
        application.registerBean(HazelcastCacheManager.class, () -> new HazelcastCacheManager(hazelcast));
        application.register(Application.class);
        application.refresh();
    }

    @Override
    public Filter filter() {
        return application.getBean(ServletRateLimitFilter.class);
    }

    @Override
    public void close() {
        application.close();
    }

    /** What the starter's auto-configurations come to in an application with a web server and Hazelcast's cache manager. */
    @Configuration(proxyBeanMethods = false)
    @ImportAutoConfiguration({
        PropertyPlaceholderAutoConfiguration.class,
        ServletWebServerFactoryAutoConfiguration.class,
        Bucket4jCacheConfiguration.class,
        Bucket4JAutoConfigurationServletFilter.class
    })
    static class Application {

        /** Nobody counts, as nobody does beside Weir. */
        @Bean
        MetricHandler nobody() {
            return (type, name, increment, tags) -> {};
        }
    }
}
