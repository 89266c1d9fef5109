package io.weir.spring;

import io.weir.http.Position;
import jakarta.servlet.Filter;
import java.util.Locale;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.core.env.Environment;

/** Puts filters in front of or behind the one of Spring Security, wherever the application has that. */
final class ServletFilters {

    private ServletFilters() {}

    /** Where a filter stands at a position, given the order of Spring Security's. */
    @FunctionalInterface
    interface Order {
        int of(Position position, int security);
    }

    /**
     * Registers a filter.
     *
     * @param prefix what its name begins with; the rest is its position
     * @param needed whether there is anything for it to do
     */
    static FilterRegistrationBean<Filter> register(
            Filter filter, String prefix, Position position, Order order, boolean needed, Environment environment) {
        FilterRegistrationBean<Filter> registration = new FilterRegistrationBean<>(filter);
        registration.setName(
                prefix + "-" + position.name().toLowerCase(Locale.ROOT).replace('_', '-'));
        int security =
                environment.getProperty(FilterOrder.SECURITY_ORDER, Integer.class, FilterOrder.USUAL_SECURITY_ORDER);
        registration.setOrder(order.of(position, security));
        registration.setEnabled(needed);
        return registration;
    }
}
