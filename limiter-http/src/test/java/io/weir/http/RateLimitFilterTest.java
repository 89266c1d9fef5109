package io.weir.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletContext;
import jakarta.servlet.ServletOutputStream;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.WriteListener;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.security.Principal;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What containers seldom do, and may. */
class RateLimitFilterTest {

    private final Limits limits = Limits.of(Limits.perMinute("five", 5));
    private final AtomicInteger reached = new AtomicInteger();
    private final FilterChain chain = (request, response) -> reached.incrementAndGet();
    private final AtomicInteger denials = new AtomicInteger();
    private final Request request = new Request();
    private final Response response = new Response();

    @AfterEach
    void close() {
        limits.close();
    }

    private void pass(Position position, Route... routes) throws Exception {
        new RateLimitFilter(limits.http(routes).build(), position, (asked, answer) -> denials.incrementAndGet())
                .doFilter(request.proxy(), response.proxy(), chain);
    }

    private static Route all(KeyResolver key, Position position) {
        return Route.limitedBy("five", "/**", key).at(position);
    }

    @ParameterizedTest
    @EnumSource
    void addsNothingToAnAnswerThatHasBegun(Position position) throws Exception {
        limits.drain("five", "all");
        response.committed = true;

        pass(position, all(KeyResolver.fixed("all"), position));

        assertThat(reached).as("goes no further").hasValue(0);
        assertThat(denials).hasValue(0);
        assertThat(response.calls).isEmpty();
    }

    @Test
    void replacesWhatAFilterHasWrittenButNotSent() throws Exception {
        limits.drain("five", "all");

        pass(Position.BEFORE_AUTHENTICATION, all(KeyResolver.fixed("all"), Position.BEFORE_AUTHENTICATION));

        assertThat(response.calls).startsWith("resetBuffer", "setStatus 429");
        assertThat(response.body.toString(StandardCharsets.UTF_8))
                .startsWith("{")
                .endsWith("}");
        assertThat(denials).hasValue(1);
        assertThat(reached).hasValue(0);
    }

    /** Containers may hide fields, by answering null. */
    @Test
    void knowsNobodyWithoutFields() throws Exception {
        request.answers.put("getHeaders", null);

        pass(Position.BEFORE_AUTHENTICATION, all(KeyResolver.field("X-Client"), Position.BEFORE_AUTHENTICATION));

        assertThat(response.calls).contains("setStatus 403");
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void knowsNobodyByAConnectionWithoutAnAddress(boolean behindProxies) throws Exception {
        request.answers.put("getRemoteAddr", null);
        ClientAddress address = ClientAddress.ofConnection();

        pass(
                Position.BEFORE_AUTHENTICATION,
                all(behindProxies ? address.behind("10.0.0.1") : address, Position.BEFORE_AUTHENTICATION));

        assertThat(response.calls).contains("setStatus 403");
    }

    @Test
    void knowsNobodyByANameThatIsNull() throws Exception {
        request.answers.put("getUserPrincipal", (Principal) () -> null);

        pass(Position.AFTER_AUTHENTICATION, all(KeyResolver.principal(), Position.AFTER_AUTHENTICATION));

        assertThat(response.calls).contains("setStatus 403");
    }

    @ParameterizedTest
    @ValueSource(strings = {"*", "", "shop.example:443", "http://shop.example", "http://shop.example/dear", "null"})
    void limitsWhateverStandsForAPath(String uri) throws Exception {
        request.answers.put("getRequestURI", uri.equals("null") ? null : uri);
        request.answers.put("getContextPath", null);

        pass(Position.BEFORE_AUTHENTICATION, all(KeyResolver.fixed("all"), Position.BEFORE_AUTHENTICATION));

        assertThat(reached).hasValue(1);
        assertThat(limits.left("five", "all")).isEqualTo(4);
    }

    @Test
    void asksTheContextWhereAContainerDoesNotFindItInThePath() throws Exception {
        request.answers.put("getRequestURI", "/shop\\x");
        request.answers.put("getContextPath", new IllegalStateException("no match"));
        request.answers.put("getServletContext", context("/shop"));

        pass(
                Position.BEFORE_AUTHENTICATION,
                Route.limitedBy("five", "/x", KeyResolver.fixed("all")),
                Route.limitedBy("five", "/**", KeyResolver.fixed("rest")));

        assertThat(response.calls).contains("setStatus 400");
        assertThat(reached).hasValue(0);
    }

    @Test
    void leavesWhatIsNotHttpAlone() throws Exception {
        ServletRequest plain = fake(ServletRequest.class, new HashMap<>(), new ArrayList<>());
        new RateLimitFilter(
                        limits.http(Route.limitedBy("five", "/**", KeyResolver.fixed("all")))
                                .build(),
                        Position.BEFORE_AUTHENTICATION)
                .doFilter(plain, fake(ServletResponse.class, new HashMap<>(), new ArrayList<>()), chain);

        assertThat(reached).hasValue(1);
        assertThat(limits.left("five", "all")).isEqualTo(5);
    }

    /** A key resolver's mistake is no outage, and nobody passes by it. */
    @Test
    void letsABugSurface() {
        KeyResolver broken = asked -> {
            throw new UnsupportedOperationException("a bug");
        };

        assertThatThrownBy(() -> pass(Position.BEFORE_AUTHENTICATION, all(broken, Position.BEFORE_AUTHENTICATION)))
                .isInstanceOf(UnsupportedOperationException.class);
        assertThat(reached).hasValue(0);
    }

    private static Object context(String path) {
        return fake(ServletContext.class, Map.of("getContextPath", path), new ArrayList<>());
    }

    /** Answers by the name of the method, or throws; notes what changes something. */
    private static <T> T fake(Class<T> type, Map<String, ? extends @Nullable Object> answers, List<String> calls) {
        return type.cast(Proxy.newProxyInstance(
                RateLimitFilterTest.class.getClassLoader(), new Class<?>[] {type}, (proxy, method, arguments) -> {
                    String name = method.getName();
                    if (method.getReturnType() == void.class) {
                        calls.add(arguments == null ? name : name + " " + arguments[arguments.length - 1]);
                        return null;
                    }
                    if (answers.get(name) instanceof RuntimeException thrown) {
                        throw thrown;
                    }
                    return answers.get(name);
                }));
    }

    private static final class Request {
        private final Map<String, @Nullable Object> answers = new HashMap<>(Map.of(
                "getMethod", "GET", "getRequestURI", "/x", "getContextPath", "", "getRemoteAddr", "203.0.113.9"));

        HttpServletRequest proxy() {
            return fake(HttpServletRequest.class, answers, new ArrayList<>());
        }
    }

    private static final class Response {
        private final List<String> calls = new ArrayList<>();
        private final ByteArrayOutputStream body = new ByteArrayOutputStream();
        private boolean committed;

        HttpServletResponse proxy() {
            ServletOutputStream output = new ServletOutputStream() {
                @Override
                public boolean isReady() {
                    return true;
                }

                @Override
                public void setWriteListener(WriteListener listener) {
                    throw new UnsupportedOperationException("the filter writes at once");
                }

                @Override
                public void write(int b) throws IOException {
                    body.write(b);
                }
            };
            return fake(
                    HttpServletResponse.class,
                    Map.of("isCommitted", committed, "getOutputStream", output, "getHeaders", List.of()),
                    calls);
        }
    }
}
