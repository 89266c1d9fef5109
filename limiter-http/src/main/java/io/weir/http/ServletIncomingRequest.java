package io.weir.http;

import jakarta.servlet.http.HttpServletRequest;
import java.security.Principal;
import java.util.Collections;
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
        return request.getRequestURI();
    }

    @Override
    public String contextPath() {
        return request.getContextPath();
    }

    @Override
    public List<String> field(String name) {
        Enumeration<String> lines = request.getHeaders(name);
        return lines == null || !lines.hasMoreElements() ? List.of() : Collections.list(lines);
    }

    @Override
    public String peer() {
        return request.getRemoteAddr();
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
