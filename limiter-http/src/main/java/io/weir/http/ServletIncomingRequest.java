package io.weir.http;

import jakarta.servlet.http.HttpServletRequest;
import java.security.Principal;
import java.util.ArrayList;
import java.util.Enumeration;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** What came in by a servlet container. */
record ServletIncomingRequest(HttpServletRequest request) implements IncomingRequest {

    @Override
    public String method() {
        return request.getMethod();
    }

    @Override
    public String path() {
        String path = request.getRequestURI();
        return path == null ? "" : path; // a CONNECT has none
    }

    @Override
    public String contextPath() {
        String path;
        try {
            path = request.getContextPath();
        } catch (IllegalStateException e) {
            // Tomcat, where it does not find it in what the client wrote, as in /shop\dear.
            path = request.getServletContext().getContextPath();
        }
        return path == null ? "" : path;
    }

    @Override
    public List<String> field(String name) {
        Enumeration<String> lines = request.getHeaders(name);
        if (lines == null || !lines.hasMoreElements()) {
            return List.of();
        }
        String first = lines.nextElement();
        if (!lines.hasMoreElements()) {
            return List.of(first); // as nearly always
        }
        List<String> all = new ArrayList<>();
        all.add(first);
        lines.asIterator().forEachRemaining(all::add);
        return all;
    }

    @Override
    public String peer() {
        String address = request.getRemoteAddr();
        return address == null ? "" : address; // not over IP
    }

    @Override
    public Optional<String> principal() {
        Principal principal = request.getUserPrincipal();
        return principal == null ? Optional.empty() : Optional.ofNullable(principal.getName());
    }

    @Override
    public @Nullable Object kept(String name) {
        return request.getAttribute(name);
    }

    @Override
    public void keep(String name, Object value) {
        request.setAttribute(name, value);
    }
}
