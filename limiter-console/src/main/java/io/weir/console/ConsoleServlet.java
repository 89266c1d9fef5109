package io.weir.console;

import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.Objects;

/**
 * Serves a {@link Console} in a servlet container. To be mapped to a path and all below: {@code /weir/*}. Thread-safe.
 *
 * <p>It lets in whoever the application lets in: guard its path as you guard an actuator.
 */
public final class ConsoleServlet extends HttpServlet {

    private static final long serialVersionUID = 1L;

    private final transient Console console;

    /** Serves {@code console}, and does not close it. */
    public ConsoleServlet(Console console) {
        this.console = Objects.requireNonNull(console, "console");
    }

    @Override
    protected void service(HttpServletRequest request, HttpServletResponse response) throws IOException {
        String path = request.getPathInfo();
        ConsoleAnswer answer = console.answer(
                request.getMethod(),
                request.getContextPath() + request.getServletPath(),
                path == null ? "" : path,
                request.getQueryString());
        response.setStatus(answer.status());
        answer.fields().forEach(response::setHeader);
        response.setContentLength(answer.body().length);
        if (!request.getMethod().equals("HEAD")) {
            response.getOutputStream().write(answer.body());
        }
    }
}
