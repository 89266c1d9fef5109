package io.weir.http;

import jakarta.servlet.Filter;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletOutputStream;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Objects;
import java.util.function.BiConsumer;

/**
 * A servlet filter that limits requests at one {@link Position}. For limits before and after authentication, register two of it,
 * over the same {@link HttpLimits}.
 *
 * <pre>{@code
 * FilterRegistration.Dynamic filter = servletContext.addFilter(
 *         "weir", new RateLimitFilter(limits, Position.BEFORE_AUTHENTICATION));
 * filter.setAsyncSupported(true);
 * filter.addMappingForUrlPatterns(EnumSet.of(DispatcherType.REQUEST), false, "/*");
 * }</pre>
 *
 * <p>It never waits for permits, and for a bucket's owner no longer than the limit's deadline. A request that is denied does not reach what is
 * behind the filter, and its answer is written here, so that no error page of the container replaces it. Fields that filters
 * before this one have set, such as those of CORS, stay. Where one of them has begun to answer by itself, nothing is added to that.
 *
 * <p>Thread-safe. Register it with support for asynchronous requests, as above, or those fail behind it. Needs {@code
 * jakarta.servlet-api} 5.0 or newer.
 */
public final class RateLimitFilter implements Filter {

    private final HttpLimits limits;
    private final Position position;
    private final BiConsumer<HttpServletRequest, HttpServletResponse> beforeDenial;

    /** A filter for the limits at {@code position}. */
    public RateLimitFilter(HttpLimits limits, Position position) {
        this(limits, position, (request, response) -> {});
    }

    /**
     * A filter that has something else done to the response before it denies.
     *
     * @param beforeDenial adds fields that what is behind the filter would have added, such as those of CORS, without which a browser hides a denial
     *     from the script that asked
     */
    public RateLimitFilter(
            HttpLimits limits, Position position, BiConsumer<HttpServletRequest, HttpServletResponse> beforeDenial) {
        this.limits = Objects.requireNonNull(limits, "limits");
        this.position = Objects.requireNonNull(position, "position");
        this.beforeDenial = Objects.requireNonNull(beforeDenial, "beforeDenial");
    }

    @Override
    public void doFilter(ServletRequest request, ServletResponse response, FilterChain chain)
            throws IOException, ServletException {
        if (!(request instanceof HttpServletRequest http) || !(response instanceof HttpServletResponse httpResponse)) {
            chain.doFilter(request, response);
            return;
        }
        Object before = http.getAttribute(HttpLimits.QUOTA);
        HttpAnswer answer = limits.answer(new ServletIncomingRequest(http), position);
        if (answer instanceof HttpAnswer.Denied denied) {
            if (!httpResponse.isCommitted()) {
                beforeDenial.accept(http, httpResponse);
                write(denied, httpResponse);
            }
        } else {
            writeFields(answer, httpResponse);
            Object charge = http.getAttribute(HttpLimits.QUOTA);
            if (charge instanceof QuotaCharge taken && charge != before) {
                pass(taken, http, httpResponse, chain);
            } else {
                chain.doFilter(request, response);
            }
        }
    }

    /** Ends what was taken of quotas here when the request does, an asynchronous one when the container completes it. */
    private static void pass(
            QuotaCharge taken, HttpServletRequest request, HttpServletResponse response, FilterChain chain)
            throws IOException, ServletException {
        boolean failed = true;
        try {
            chain.doFilter(request, response);
            failed = false;
        } finally {
            ServletEnd.of(taken, failed, request, response);
        }
    }

    /**
     * Answers with a denial as this filter does, for whoever denies somewhere else: instead of what has been written and not sent,
     * and with the fields that are set already.
     *
     * @throws IllegalStateException if a part of another answer has been sent
     */
    public static void write(HttpAnswer.Denied denied, HttpServletResponse response) throws IOException {
        response.resetBuffer(); // of what has been written already: the body is a problem and nothing else
        response.setStatus(denied.status());
        writeFields(denied, response);
        ServletOutputStream stream;
        try {
            stream = response.getOutputStream();
        } catch (IllegalStateException e) {
            // Somebody has taken the writer already, and with it chosen how characters are encoded.
            response.getWriter().write(denied.body());
            return;
        }
        byte[] body = denied.body().getBytes(StandardCharsets.UTF_8);
        response.setContentLength(body.length);
        stream.write(body);
    }

    private static void writeFields(HttpAnswer answer, HttpServletResponse response) {
        for (Map.Entry<String, String> field : answer.fields().entrySet()) {
            String name = field.getKey();
            if (!name.equals(HttpLimits.EXPOSED)) {
                response.setHeader(name, field.getValue());
                continue;
            }
            // A list, to which the application adds its own; and the filter before authentication may have added the
            // same.
            if (!response.getHeaders(name).contains(field.getValue())) {
                response.addHeader(name, field.getValue());
            }
        }
    }
}
