package io.weir.http;

import jakarta.servlet.Filter;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.Objects;
import java.util.function.BiConsumer;

/**
 * A servlet filter that lets requests in at one {@link Position}, as {@link HttpGuards} say. Register it in front of the {@link
 * RateLimitFilter} at the same position, so that who is refused here is not charged.
 *
 * <p>A request counts until it is done: until it has passed the filter or, if it became asynchronous, until the container completes it,
 * after whatever dispatches, timeouts and errors. What the container does for it after it has failed, such as showing an error page, is
 * not counted. It never waits.
 *
 * <p>Thread-safe. Register it with support for asynchronous requests. Needs {@code jakarta.servlet-api} 5.0 or newer.
 */
public final class GuardFilter implements Filter {

    private final HttpGuards guards;
    private final Position position;
    private final BiConsumer<HttpServletRequest, HttpServletResponse> beforeRefusal;

    /** A filter for the guards at {@code position}. */
    public GuardFilter(HttpGuards guards, Position position) {
        this(guards, position, (request, response) -> {});
    }

    /**
     * A filter that has something else done to the response before it refuses.
     *
     * @param beforeRefusal as with {@link RateLimitFilter#RateLimitFilter(HttpLimits, Position, BiConsumer)}
     */
    public GuardFilter(
            HttpGuards guards, Position position, BiConsumer<HttpServletRequest, HttpServletResponse> beforeRefusal) {
        this.guards = Objects.requireNonNull(guards, "guards");
        this.position = Objects.requireNonNull(position, "position");
        this.beforeRefusal = Objects.requireNonNull(beforeRefusal, "beforeRefusal");
    }

    @Override
    public void doFilter(ServletRequest request, ServletResponse response, FilterChain chain)
            throws IOException, ServletException {
        if (!(request instanceof HttpServletRequest http) || !(response instanceof HttpServletResponse httpResponse)) {
            chain.doFilter(request, response);
            return;
        }
        Admission admission = guards.enter(new ServletIncomingRequest(http), position);
        HttpAnswer.Denied refusal = admission.refusal().orElse(null);
        if (refusal != null) {
            if (!httpResponse.isCommitted()) {
                beforeRefusal.accept(http, httpResponse);
                RateLimitFilter.write(refusal, httpResponse);
            }
            return;
        }
        try {
            chain.doFilter(request, response);
        } finally {
            if (admission.holdsSlots()) {
                closeWhenDone(admission, http);
            }
        }
    }

    private static void closeWhenDone(Admission admission, HttpServletRequest request) {
        if (!request.isAsyncStarted()) {
            admission.close();
            return;
        }
        boolean left = false;
        try {
            request.getAsyncContext().addListener(new ServletCompletion(admission));
            left = true;
        } finally {
            if (!left) { // it has been completed since, and there is nothing to listen to
                admission.close();
            }
        }
    }
}
