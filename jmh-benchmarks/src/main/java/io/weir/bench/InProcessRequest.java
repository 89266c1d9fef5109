package io.weir.bench;

import jakarta.servlet.DispatcherType;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import java.util.Collections;
import java.util.Enumeration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A request that came from nowhere, with one header field. It is used again and again, as containers do with theirs. What
 * no filter here asks for, it does not know.
 */
public final class InProcessRequest extends HttpServletRequestWrapper {

    private final Map<String, Object> attributes = new HashMap<>();
    private String key = "";

    InProcessRequest() {
        super(Unknowing.of(HttpServletRequest.class));
    }

    /** Becomes the request of another client. */
    void recycle(String client) {
        key = client;
        attributes.clear();
    }

    @Override
    public DispatcherType getDispatcherType() {
        return DispatcherType.REQUEST;
    }

    @Override
    public String getMethod() {
        return "GET";
    }

    @Override
    public String getRequestURI() {
        return ServletPeer.PATH;
    }

    @Override
    public String getContextPath() {
        return "";
    }

    @Override
    public @Nullable String getHeader(String name) {
        return name.equalsIgnoreCase(ServletPeer.KEY_FIELD) ? key : null;
    }

    @Override
    public Enumeration<String> getHeaders(String name) {
        return name.equalsIgnoreCase(ServletPeer.KEY_FIELD)
                ? Collections.enumeration(List.of(key))
                : Collections.emptyEnumeration();
    }

    @Override
    public @Nullable Object getAttribute(String name) {
        return attributes.get(name);
    }

    @Override
    public void setAttribute(String name, Object value) {
        attributes.put(name, value);
    }

    @Override
    public void removeAttribute(String name) {
        attributes.remove(name);
    }
}
