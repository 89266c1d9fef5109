package io.weir.bench;

import io.weir.store.Source;
import jakarta.servlet.Filter;
import jakarta.servlet.ServletRequest;
import org.jspecify.annotations.Nullable;

/** A servlet filter, with what it needs running behind it. */
interface LimitingFilter extends AutoCloseable {

    /** Lets everything pass. */
    LimitingFilter NONE = new LimitingFilter() {
        @Override
        public Filter filter() {
            return (request, response, chain) -> chain.doFilter(request, response);
        }

        @Override
        public void close() {}
    };

    /** The filter. */
    Filter filter();

    /** Where the decision on a request came from that should have come from somewhere else; null if all is well. */
    default @Nullable Source stray(ServletRequest request) {
        return null;
    }

    @Override
    void close();
}
