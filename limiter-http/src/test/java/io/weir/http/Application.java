package io.weir.http;

import jakarta.servlet.DispatcherType;
import jakarta.servlet.Filter;
import jakarta.servlet.FilterRegistration;
import jakarta.servlet.Servlet;
import jakarta.servlet.ServletConfig;
import jakarta.servlet.ServletContext;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletRegistration;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.EnumSet;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * What a container is to serve.
 *
 * @param contextPath empty for the root
 * @param errorPage where to dispatch errors; null for the container's own
 * @param origin which may ask across origins, by the container's own means in front of everything else; null for none
 * @param lenient whether the container takes paths that it refuses as it comes
 * @param setUp adds servlets and filters
 */
record Application(
        String contextPath,
        @Nullable String errorPage,
        @Nullable String origin,
        boolean lenient,
        Consumer<ServletContext> setUp) {

    /** Handles a request. */
    interface Handler {
        void handle(HttpServletRequest request, HttpServletResponse response) throws IOException, ServletException;
    }

    static Application of(Consumer<ServletContext> setUp) {
        return new Application("", null, null, false, setUp);
    }

    Application within(String context) {
        return new Application(context, errorPage, origin, lenient, setUp);
    }

    Application withErrorPage(String path) {
        return new Application(contextPath, path, origin, lenient, setUp);
    }

    Application allowing(String other) {
        return new Application(contextPath, errorPage, other, lenient, setUp);
    }

    Application leniently(boolean value) {
        return new Application(contextPath, errorPage, origin, value, setUp);
    }

    static void serve(ServletContext context, String pattern, Handler handler) {
        ServletRegistration.Dynamic servlet = context.addServlet("at " + pattern, new Handling(handler));
        servlet.setAsyncSupported(true);
        servlet.addMapping(pattern);
    }

    /** For every kind of dispatch, and so as many times as a container can think of. */
    static void filter(ServletContext context, String name, Filter filter) {
        FilterRegistration.Dynamic registered = context.addFilter(name, filter);
        registered.setAsyncSupported(true);
        registered.addMappingForUrlPatterns(EnumSet.allOf(DispatcherType.class), true, "/*");
    }

    private record Handling(Handler handler) implements Servlet {

        @Override
        public void init(ServletConfig config) {}

        @Override
        public @Nullable ServletConfig getServletConfig() {
            return null;
        }

        @Override
        public void service(ServletRequest request, ServletResponse response) throws IOException, ServletException {
            handler.handle((HttpServletRequest) request, (HttpServletResponse) response);
        }

        @Override
        public String getServletInfo() {
            return "";
        }

        @Override
        public void destroy() {}
    }
}
