package io.weir.http;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** A request that a test makes up. */
final class FakeRequest implements IncomingRequest {

    private final String method;
    private final String path;
    private final Map<String, List<String>> fields = new HashMap<>();
    private final Map<String, Object> kept = new HashMap<>();
    private String contextPath = "";
    private String peer = "203.0.113.9";
    private @Nullable String principal;

    private FakeRequest(String method, String path) {
        this.method = method;
        this.path = path;
    }

    static FakeRequest of(String method, String path) {
        return new FakeRequest(method, path);
    }

    static FakeRequest get(String path) {
        return of("GET", path);
    }

    FakeRequest with(String field, String... lines) {
        fields.computeIfAbsent(field.toLowerCase(Locale.ROOT), name -> new ArrayList<>())
                .addAll(List.of(lines));
        return this;
    }

    FakeRequest from(String address) {
        peer = address;
        return this;
    }

    FakeRequest by(String user) {
        principal = user;
        return this;
    }

    FakeRequest within(String context) {
        contextPath = context;
        return this;
    }

    @Override
    public String method() {
        return method;
    }

    @Override
    public String path() {
        return path;
    }

    @Override
    public String contextPath() {
        return contextPath;
    }

    @Override
    public List<String> field(String name) {
        return fields.getOrDefault(name.toLowerCase(Locale.ROOT), List.of());
    }

    @Override
    public String peer() {
        return peer;
    }

    @Override
    public Optional<String> principal() {
        return Optional.ofNullable(principal);
    }

    @Override
    public @Nullable Object kept(String name) {
        return kept.get(name);
    }

    @Override
    public void keep(String name, Object value) {
        kept.put(name, value);
    }
}
