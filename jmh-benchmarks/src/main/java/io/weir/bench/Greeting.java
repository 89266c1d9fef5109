package io.weir.bench;

import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.nio.charset.StandardCharsets;

/** An application that is done at once: a servlet, and the end of a chain of filters. */
final class Greeting extends HttpServlet implements FilterChain {

    private static final long serialVersionUID = 1;

    private static final byte[] BODY = "hello".getBytes(StandardCharsets.UTF_8);

    @Override
    public void doFilter(ServletRequest request, ServletResponse response) throws IOException {
        response.setContentType("text/plain");
        response.setContentLength(BODY.length);
        response.getOutputStream().write(BODY);
    }

    @Override
    protected void doGet(HttpServletRequest request, HttpServletResponse response) throws IOException {
        doFilter(request, response);
    }
}
