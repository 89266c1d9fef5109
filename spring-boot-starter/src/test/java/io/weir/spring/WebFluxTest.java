package io.weir.spring;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.http.HttpLimits;
import io.weir.http.Position;
import io.weir.store.Store;
import java.net.InetSocketAddress;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ReactiveWebApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.mock.http.server.reactive.MockServerHttpRequest;
import org.springframework.mock.web.server.MockServerWebExchange;
import org.springframework.test.web.reactive.server.FluxExchangeResult;
import org.springframework.test.web.reactive.server.WebTestClient;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.reactive.config.EnableWebFlux;
import org.springframework.web.reactive.function.server.RouterFunction;
import org.springframework.web.reactive.function.server.RouterFunctions;
import org.springframework.web.reactive.function.server.ServerResponse;
import org.springframework.web.server.adapter.ForwardedHeaderTransformer;
import reactor.core.publisher.Mono;

class WebFluxTest {

    private final ReactiveWebApplicationContextRunner bare = new ReactiveWebApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(
                    WeirAutoConfiguration.class, RateLimitedAutoConfiguration.class, WeirHttpAutoConfiguration.class))
            .withUserConfiguration(Site.class)
            .withPropertyValues(HttpTest.LIMITS);

    @Test
    void limitsRoutesByClientAddress() {
        bare.withPropertyValues(HttpTest.ROUTES).run(context -> {
            var first = get(context, "/");
            assertThat(status(first)).isEqualTo(200);
            assertThat(first.getResponseHeaders().getFirst("X-RateLimit-Remaining"))
                    .isEqualTo("1");
            assertThat(status(get(context, "/"))).isEqualTo(200);

            assertDenied(get(context, "/"), "43200");
            assertThat(status(get(context, "/health"))).isEqualTo(200);
        });
    }

    @Test
    void leavesWhatTheApplicationExposesToScripts() {
        bare.withPropertyValues(HttpTest.ROUTES).run(context -> {
            MockServerWebExchange exchange = MockServerWebExchange.from(MockServerHttpRequest.get("/")
                    .remoteAddress(new InetSocketAddress("192.0.2.7", 1))
                    .header("Origin", "https://shop.example"));
            exchange.getResponse().getHeaders().add("Access-Control-Expose-Headers", "X-Total");
            for (RateLimitWebFilter each :
                    context.getBeansOfType(RateLimitWebFilter.class).values()) {
                each.filter(exchange, passed -> Mono.empty()).block();
            }

            assertThat(exchange.getResponse().getHeaders().getValuesAsList("Access-Control-Expose-Headers"))
                    .contains("X-Total", "RateLimit", "X-RateLimit-Reset")
                    .doesNotHaveDuplicates();
        });
    }

    /** As with {@code server.forward-headers-strategy: framework}. */
    @Test
    void readsAnAddressThatSpringHasReplaced() {
        bare.withPropertyValues(HttpTest.ROUTES)
                .withBean("forwardedHeaderTransformer", ForwardedHeaderTransformer.class)
                .run(context -> {
                    WebTestClient site =
                            WebTestClient.bindToApplicationContext(context).build();
                    for (String client : new String[] {"192.0.2.7", "192.0.2.8", "[2001:db8::1]"}) {
                        FluxExchangeResult<String> answer = site.get()
                                .uri("/")
                                .header("X-Forwarded-For", client)
                                .exchange()
                                .returnResult(String.class);
                        assertThat(status(answer)).as(client).isEqualTo(200);
                        assertThat(answer.getResponseHeaders().getFirst("X-RateLimit-Remaining"))
                                .isEqualTo("1");
                    }
                });
    }

    @Test
    void runsTheApplicationOnNoThreadOfWeirs() {
        AwayStore store = new AwayStore();
        bare.withPropertyValues(HttpTest.ROUTES)
                .withPropertyValues("weir.limits.two.failure-policy=grant")
                .withBean(Store.class, () -> store)
                .run(context -> {
                    AtomicReference<String> thread = new AtomicReference<>();
                    CompletableFuture<Void> done = new RateLimitWebFilter(
                                    context.getBean(HttpLimits.class), null, Position.BEFORE_AUTHENTICATION, 0)
                            .filter(
                                    MockServerWebExchange.from(MockServerHttpRequest.get("/")
                                            .remoteAddress(new InetSocketAddress("192.0.2.1", 4711))),
                                    unused -> Mono.fromRunnable(() ->
                                            thread.set(Thread.currentThread().getName())))
                            .toFuture();
                    assertThat(done).isNotDone();

                    store.tell();

                    done.get(20, TimeUnit.SECONDS);
                    assertThat(thread.get()).startsWith("parallel-");
                });
    }

    @Test
    void refusesARequestWithoutAPrincipal() {
        bare.withPropertyValues(HttpTest.ROUTES)
                .run(context -> assertThat(status(get(context, "/mine"))).isEqualTo(403));
    }

    @Test
    void answersWhatEscapesAHandlerAsTheFilterDoes() {
        bare.run(context -> {
            for (String path : new String[] {"/annotated", "/function"}) {
                assertThat(status(get(context, path))).isEqualTo(200);
                assertDenied(get(context, path), "86400");
            }
        });
    }

    private static void assertDenied(FluxExchangeResult<String> answer, String retryAfter) {
        assertThat(status(answer)).isEqualTo(429);
        assertThat(answer.getResponseHeaders().getFirst("Retry-After")).isEqualTo(retryAfter);
        assertThat(answer.getResponseHeaders().getFirst("Content-Type")).isEqualTo("application/problem+json");
        assertThat(answer.getResponseBody().blockFirst()).contains("\"status\":429");
    }

    private static int status(FluxExchangeResult<String> answer) {
        return answer.getStatus().value();
    }

    private static FluxExchangeResult<String> get(ApplicationContext context, String path) {
        return site(context).get().uri(path).exchange().returnResult(String.class);
    }

    private static WebTestClient site(ApplicationContext context) {
        return WebTestClient.bindToApplicationContext(context)
                .webFilter((exchange, chain) -> chain.filter(exchange.mutate()
                        .request(request -> request.remoteAddress(new InetSocketAddress("192.0.2.1", 4711)))
                        .build()))
                .build();
    }

    @Configuration(proxyBeanMethods = false)
    @EnableWebFlux
    static class Site {
        @Bean
        Pages pages() {
            return new Pages();
        }

        @Bean
        Limited limited() {
            return new Limited();
        }

        @Bean
        RouterFunction<ServerResponse> function(Limited limited) {
            return RouterFunctions.route()
                    .GET("/function", request -> limited.work().flatMap(ServerResponse.ok()::bodyValue))
                    .build();
        }
    }

    @RestController
    static class Pages {
        @GetMapping({"/", "/health", "/mine"})
        String page() {
            return "page";
        }

        @GetMapping("/annotated")
        @RateLimited(limit = "one")
        Mono<String> annotated() {
            return Mono.just("annotated");
        }
    }

    static class Limited {
        @RateLimited(limit = "one", key = "'function'")
        Mono<String> work() {
            return Mono.just("worked");
        }
    }
}
