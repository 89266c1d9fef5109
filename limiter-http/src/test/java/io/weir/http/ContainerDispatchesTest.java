package io.weir.http;

import static io.weir.http.Position.AFTER_AUTHENTICATION;
import static io.weir.http.Position.BEFORE_AUTHENTICATION;
import static org.assertj.core.api.Assertions.assertThat;

import jakarta.servlet.AsyncContext;
import jakarta.servlet.Filter;
import jakarta.servlet.ServletContext;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.http.HttpResponse;
import java.security.Principal;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** A request is charged once, whatever dispatches a container makes of it. */
@ParameterizedClass
@EnumSource
class ContainerDispatchesTest {

    private final Container container;

    private final Limits limits = Limits.of(Limits.perMinute("five", 5), Limits.perMinute("ten", 10));
    private final ExecutorService elsewhere = Executors.newSingleThreadExecutor();

    /** How often the filter was passed: else a test might see one charge since there was one dispatch. */
    private final AtomicInteger dispatches = new AtomicInteger();

    ContainerDispatchesTest(Container container) {
        this.container = container;
    }

    @AfterEach
    void close() {
        elsewhere.shutdown();
        limits.close();
    }

    private HttpResponse<String> get(Consumer<ServletContext> servlets) throws Exception {
        HttpLimits http = limits.http(Route.limitedBy("five", "/**", KeyResolver.fixed("all")))
                .build();
        try (Container.Running server = container.start(Application.of(context -> {
                    Application.filter(context, "counting", (request, response, chain) -> {
                        dispatches.incrementAndGet();
                        chain.doFilter(request, response);
                    });
                    Application.filter(context, "weir", new RateLimitFilter(http, BEFORE_AUTHENTICATION));
                    Application.serve(
                            context,
                            "/end",
                            (request, response) -> response.getWriter().print("end"));
                    servlets.accept(context);
                })
                .withErrorPage("/end"))) {
            return new Client(server).get("/begin");
        }
    }

    private void assertChargedOnceIn(HttpResponse<String> response, int status, int expectedDispatches) {
        assertThat(response.statusCode()).isEqualTo(status);
        assertThat(response.body()).endsWith("end");
        assertThat(dispatches).hasValue(expectedDispatches);
        assertThat(limits.left("five", "all")).isEqualTo(4);
    }

    @Test
    void forward() throws Exception {
        HttpResponse<String> response = get(context -> Application.serve(
                context,
                "/begin",
                (request, answer) -> request.getRequestDispatcher("/end").forward(request, answer)));

        assertChargedOnceIn(response, 200, 2);
        assertThat(Client.field(response, "RateLimit")).isEqualTo("\"five\";r=4;t=12");
    }

    @Test
    void include() throws Exception {
        assertChargedOnceIn(
                get(context -> Application.serve(
                        context,
                        "/begin",
                        (request, answer) ->
                                request.getRequestDispatcher("/end").include(request, answer))),
                200,
                2);
    }

    @Test
    void error() throws Exception {
        HttpResponse<String> response =
                get(context -> Application.serve(context, "/begin", (request, answer) -> answer.sendError(409)));

        assertChargedOnceIn(response, 409, 2);
        assertThat(Client.field(response, "RateLimit")).isEqualTo("\"five\";r=4;t=12");
    }

    @Test
    void exception() throws Exception {
        assertChargedOnceIn(
                get(context -> Application.serve(context, "/begin", (request, answer) -> {
                    throw new IllegalStateException("a handler fails");
                })),
                500,
                2);
    }

    @Test
    void asynchronousDispatch() throws Exception {
        assertChargedOnceIn(
                get(context -> Application.serve(context, "/begin", (request, answer) -> {
                    AsyncContext async = request.startAsync();
                    elsewhere.execute(() -> async.dispatch("/end"));
                })),
                200,
                2);
    }

    @Test
    void asynchronousAnswer() throws Exception {
        assertChargedOnceIn(
                get(context -> Application.serve(context, "/begin", (request, answer) -> {
                    AsyncContext async = request.startAsync();
                    elsewhere.execute(() -> {
                        try {
                            async.getResponse().getWriter().print("the end");
                            async.complete();
                        } catch (IOException e) {
                            throw new UncheckedIOException(e);
                        }
                    });
                })),
                200,
                1);
    }

    /** An application may answer a denial of its own by an error page, but ours is not replaced by one. */
    @Test
    void aDenialIsNotDispatchedToAnErrorPage() throws Exception {
        limits.drain("five", "all");

        HttpResponse<String> response = get(context -> {});

        assertThat(response.statusCode()).isEqualTo(429);
        assertThat(response.body()).contains("\"violated-policies\":[\"five\"]");
        assertThat(dispatches).hasValue(1);
    }

    @Test
    void isLimitedBeforeAuthenticationByAddressAndAfterItByName() throws Exception {
        HttpLimits http = limits.http(
                        Route.limitedBy("ten", "/**", ClientAddress.ofConnection()),
                        Route.limitedBy("five", "/**", KeyResolver.principal()))
                .build();
        AtomicInteger signedIn = new AtomicInteger();
        Filter authentication = (request, response, chain) -> {
            signedIn.incrementAndGet();
            chain.doFilter(new As("ann", (HttpServletRequest) request), response);
        };
        try (Container.Running server = container.start(Application.of(context -> {
            Application.filter(context, "before", new RateLimitFilter(http, BEFORE_AUTHENTICATION));
            Application.filter(context, "authentication", authentication);
            Application.filter(context, "after", new RateLimitFilter(http, AFTER_AUTHENTICATION));
            Application.serve(
                    context, "/", (request, response) -> response.getWriter().print(request.getRemoteUser()));
        }))) {
            Client client = new Client(server);

            HttpResponse<String> granted = client.get("/", "Origin", "https://shop.example");
            assertThat(granted.body()).isEqualTo("ann");
            assertThat(Client.policies(granted, "RateLimit"))
                    .containsExactly(
                            new PolicyItem("ten", Map.of("r", 9L, "t", 6L)),
                            new PolicyItem("five", Map.of("r", 4L, "t", 12L)));
            assertThat(granted.headers().allValues("Access-Control-Expose-Headers"))
                    .containsExactly(
                            "RateLimit-Policy, RateLimit, X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset");

            limits.drain("five", "ann");
            HttpResponse<String> afterIt = client.get("/");
            assertThat(afterIt.statusCode()).isEqualTo(429);
            assertThat(Client.policies(afterIt, "RateLimit"))
                    .containsExactly(
                            new PolicyItem("ten", Map.of("r", 8L, "t", 6L)),
                            new PolicyItem("five", Map.of("r", 0L, "t", 12L)));
            assertThat(signedIn).hasValue(2);

            limits.drain("ten", "127.0.0.1");
            assertThat(client.get("/").body()).contains("\"violated-policies\":[\"ten\"]");
            assertThat(signedIn).as("nobody is signed in once denied").hasValue(2);
        }
    }

    private static final class As extends HttpServletRequestWrapper {
        private final String user;

        As(String user, HttpServletRequest request) {
            super(request);
            this.user = user;
        }

        @Override
        public Principal getUserPrincipal() {
            return () -> user;
        }

        @Override
        public @Nullable String getRemoteUser() {
            return user;
        }
    }
}
