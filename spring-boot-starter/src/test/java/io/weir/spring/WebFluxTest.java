package io.weir.spring;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetSocketAddress;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ReactiveWebApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.test.web.reactive.server.WebTestClient;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.reactive.config.EnableWebFlux;
import org.springframework.web.reactive.function.server.RouterFunction;
import org.springframework.web.reactive.function.server.RouterFunctions;
import org.springframework.web.reactive.function.server.ServerResponse;
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
            WebTestClient site = site(context);
            site.get()
                    .uri("/")
                    .exchange()
                    .expectStatus()
                    .isOk()
                    .expectHeader()
                    .valueEquals("X-RateLimit-Remaining", "1");
            site.get().uri("/").exchange().expectStatus().isOk();
            site.get()
                    .uri("/")
                    .exchange()
                    .expectStatus()
                    .isEqualTo(429)
                    .expectHeader()
                    .valueEquals("Retry-After", "43200")
                    .expectHeader()
                    .valueEquals("Content-Type", "application/problem+json")
                    .expectBody(String.class)
                    .value(body -> assertThat(body).contains("\"status\":429"));
            site.get().uri("/health").exchange().expectStatus().isOk();
        });
    }

    @Test
    void refusesARequestWithoutAPrincipal() {
        bare.withPropertyValues(HttpTest.ROUTES)
                .run(context -> site(context)
                        .get()
                        .uri("/mine")
                        .exchange()
                        .expectStatus()
                        .isForbidden());
    }

    @Test
    void answersWhatEscapesAHandlerAsTheFilterDoes() {
        bare.run(context -> {
            for (String path : new String[] {"/annotated", "/function"}) {
                site(context).get().uri(path).exchange().expectStatus().isOk();
                site(context)
                        .get()
                        .uri(path)
                        .exchange()
                        .expectStatus()
                        .isEqualTo(429)
                        .expectHeader()
                        .exists("Retry-After")
                        .expectHeader()
                        .valueEquals("Content-Type", "application/problem+json");
            }
        });
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
