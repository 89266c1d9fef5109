package io.weir.http;

import static io.weir.http.Client.field;
import static io.weir.http.Client.policies;
import static io.weir.http.Position.BEFORE_AUTHENTICATION;
import static org.assertj.core.api.Assertions.assertThat;

import io.weir.Decision;
import io.weir.FailurePolicy;
import io.weir.Limit;
import io.weir.Weir;
import io.weir.algorithm.Bandwidth;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** What clients of real containers receive. */
@ParameterizedClass
@EnumSource
class ContainerAnswersTest {

    private final Container container;

    private final AtomicInteger handled = new AtomicInteger();
    private final Limits limits = Limits.of(Limits.perMinute("five", 5));

    ContainerAnswersTest(Container container) {
        this.container = container;
    }

    @AfterEach
    void close() {
        limits.close();
    }

    private Container.Running start(HttpLimits http) throws Exception {
        return container.start(Application.of(context -> {
            Application.filter(context, "weir", new RateLimitFilter(http, BEFORE_AUTHENTICATION));
            Application.serve(context, "/", (request, response) -> {
                handled.incrementAndGet();
                response.setContentType("text/plain");
                response.getWriter().print("handled");
            });
        }));
    }

    private static Route five(String pattern) {
        return Route.limitedBy("five", pattern, ClientAddress.ofConnection());
    }

    @Test
    void grantsWithMetersAndDeniesWithEveryFieldAndBody() throws Exception {
        try (Container.Running server = start(limits.http(five("/**")).build())) {
            Client client = new Client(server);

            HttpResponse<String> granted = client.get("/");
            assertThat(granted.statusCode()).isEqualTo(200);
            assertThat(granted.body()).isEqualTo("handled");
            assertThat(policies(granted, "RateLimit-Policy"))
                    .containsExactly(new PolicyItem("five", Map.of("q", 5L, "w", 60L)));
            assertThat(policies(granted, "RateLimit"))
                    .containsExactly(new PolicyItem("five", Map.of("r", 4L, "t", 12L)));
            assertThat(field(granted, "X-RateLimit-Limit")).isEqualTo("5");
            assertThat(field(granted, "X-RateLimit-Remaining")).isEqualTo("4");
            assertThat(field(granted, "X-RateLimit-Reset")).isEqualTo("1800000012");
            assertThat(field(granted, "Retry-After")).isEqualTo("absent");

            limits.drain("five", "127.0.0.1");
            HttpResponse<String> denied = client.get("/");
            assertThat(denied.statusCode()).isEqualTo(429);
            assertThat(field(denied, "Content-Type")).isEqualTo("application/problem+json");
            assertThat(field(denied, "Content-Length"))
                    .isEqualTo(Integer.toString(denied.body().length()));
            assertThat(field(denied, "Retry-After")).isEqualTo("12");
            assertThat(policies(denied, "RateLimit-Policy"))
                    .containsExactly(new PolicyItem("five", Map.of("q", 5L, "w", 60L)));
            assertThat(policies(denied, "RateLimit"))
                    .containsExactly(new PolicyItem("five", Map.of("r", 0L, "t", 12L)));
            assertThat(field(denied, "X-RateLimit-Remaining")).isEqualTo("0");
            assertThat(denied.body())
                    .isEqualTo("{\"type\":\"https://iana.org/assignments/http-problem-types#quota-exceeded\","
                            + "\"title\":\"Request cannot be satisfied as assigned quota has been exceeded\","
                            + "\"status\":429,\"violated-policies\":[\"five\"],\"retry_after\":12}");
            assertThat(handled).hasValue(1);
        }
    }

    @Test
    void metersEveryBandwidthInEveryDialect() throws Exception {
        try (Limits two = Limits.of(Limit.named("two", FailurePolicy.DENY)
                        .bandwidth(new Bandwidth("burst", 3, 3, Duration.ofMinutes(1)))
                        .bandwidth(new Bandwidth("daily", 9, 9, Duration.ofDays(1)))
                        .build());
                Container.Running server = start(two.http(Route.limitedBy("two", "/**", ClientAddress.ofConnection()))
                        .mapping(HttpMapping.standard().dialects(Dialect.IETF_11, Dialect.IETF_TRIO, Dialect.X_DELTA))
                        .build())) {
            HttpResponse<String> granted = new Client(server).get("/");

            assertThat(policies(granted, "RateLimit-Policy"))
                    .containsExactly(
                            new PolicyItem("burst", Map.of("q", 3L, "w", 60L)),
                            new PolicyItem("daily", Map.of("q", 9L, "w", 86_400L)));
            assertThat(policies(granted, "RateLimit"))
                    .containsExactly(new PolicyItem("burst", Map.of("r", 2L, "t", 20L)));
            for (String prefix : List.of("RateLimit-", "X-RateLimit-")) {
                assertThat(field(granted, prefix + "Limit")).isEqualTo("3");
                assertThat(field(granted, prefix + "Remaining")).isEqualTo("2");
                assertThat(field(granted, prefix + "Reset")).isEqualTo("20");
            }
        }
    }

    @Test
    void answersHeadAsGetWithoutTheBody() throws Exception {
        try (Container.Running server = start(limits.http(five("/**")).build())) {
            Client client = new Client(server);
            limits.drain("five", "127.0.0.1");

            HttpResponse<String> get = client.get("/");
            HttpResponse<String> head = client.send("HEAD", "/");

            assertThat(head.statusCode()).isEqualTo(429);
            assertThat(head.body()).isEmpty();
            assertThat(field(head, "Content-Length"))
                    .isEqualTo(Integer.toString(get.body().length()));
            assertThat(field(head, "RateLimit")).isEqualTo(field(get, "RateLimit"));
            assertThat(field(head, "Retry-After")).isEqualTo("12");
        }
    }

    /** Which nothing takes back: a response has a writer or a stream. */
    @Test
    void deniesThroughTheWriterThatAnotherFilterHasTaken() throws Exception {
        RateLimitFilter filter = new RateLimitFilter(limits.http(five("/**")).build(), BEFORE_AUTHENTICATION);
        try (Container.Running server = container.start(Application.of(context -> {
            Application.filter(context, "banner", (request, response, chain) -> {
                response.setCharacterEncoding("UTF-16BE");
                response.getWriter().print("banner");
                chain.doFilter(request, response);
            });
            Application.filter(context, "weir", filter);
            Application.serve(context, "/", (request, response) -> handled.incrementAndGet());
        }))) {
            limits.drain("five", "127.0.0.1");

            HttpResponse<String> denied = new Client(server).get("/");

            assertThat(denied.statusCode()).isEqualTo(429);
            assertThat(denied.body()).startsWith("{\"type\":").endsWith(",\"retry_after\":12}");
            assertThat(field(denied, "Retry-After")).isEqualTo("12");
            assertThat(field(denied, "Content-Type")).startsWith("application/problem+json");
            assertThat(handled).hasValue(0);
        }
    }

    @Test
    void answers503WithoutInventingAnything() throws Exception {
        try (Weir away = Weir.over(ScriptedStore.away())
                        .limit(Limits.perMinute("five", 5))
                        .build();
                Container.Running server =
                        start(HttpLimits.over(away).route(five("/**")).build())) {
            HttpResponse<String> response = new Client(server).get("/");

            assertThat(response.statusCode()).isEqualTo(503);
            assertThat(response.body())
                    .isEqualTo(
                            "{\"type\":\"https://iana.org/assignments/http-problem-types#temporary-reduced-capacity\","
                                    + "\"title\":\"Request cannot be satisfied due to temporary server capacity constraints\","
                                    + "\"status\":503}");
            assertThat(response.headers().map().keySet())
                    .noneMatch(name -> name.toLowerCase(Locale.ROOT).contains("ratelimit"))
                    .doesNotContain("retry-after");
            assertThat(handled).hasValue(0);
        }
    }

    /** A limit that was lowered below a route's cost, while the application runs. */
    @Test
    void answersTheImpossibleAsConfigured() throws Exception {
        for (int status : new int[] {429, 400, 413}) {
            try (Limits own = Limits.of(Limits.perMinute("five", 5));
                    Container.Running server = start(own.http(five("/**").cost(5))
                            .mapping(HttpMapping.standard().impossibleStatus(status))
                            .build())) {
                own.weir()
                        .change(Limit.named("five", FailurePolicy.DENY)
                                .bandwidth(Bandwidth.of(4, 4, Duration.ofMinutes(1)))
                                .version(2)
                                .build());

                HttpResponse<String> response = new Client(server).get("/");

                assertThat(response.statusCode()).isEqualTo(status);
                assertThat(field(response, "Retry-After")).isEqualTo("absent");
                assertThat(policies(response, "RateLimit")).hasSize(1);
                assertThat(response.body()).contains("\"status\":" + status).doesNotContain("retry_after");
            }
        }
    }

    @Test
    void refusesWhoDoesNotSayWhoIsAsking() throws Exception {
        try (Container.Running server = start(limits.http(Route.limitedBy("five", "/**", KeyResolver.field("X-Client")))
                .build())) {
            HttpResponse<String> response = new Client(server).get("/");

            assertThat(response.statusCode()).isEqualTo(403);
            assertThat(response.body()).contains("does not say who is asking");
            assertThat(field(response, "Content-Type")).isEqualTo("application/problem+json");
            assertThat(handled).hasValue(0);
        }
    }

    /** A client told 11 would be denied at 11.5 s. */
    @Test
    void tellsAWaitAfterWhichTheClientIsGranted() throws Exception {
        try (Container.Running server = start(limits.http(five("/**")).build())) {
            Client client = new Client(server);
            limits.drain("five", "127.0.0.1");

            limits.pass(Duration.ofMillis(500));
            assertThat(field(client.get("/"), "Retry-After")).isEqualTo("12");
            limits.pass(Duration.ofMillis(11_400));
            HttpResponse<String> last = client.get("/");
            assertThat(field(last, "Retry-After")).isEqualTo("1");

            limits.pass(Duration.ofSeconds(1));
            assertThat(client.get("/").statusCode()).isEqualTo(200);
        }
    }

    @Test
    void tellsAResetOfNowWhereTheBucketIsFull() throws Exception {
        try (Container.Running server = start(limits.http(five("/**").cost(5)).build())) {
            limits.weir()
                    .change(Limit.named("five", FailurePolicy.DENY)
                            .bandwidth(Bandwidth.of(4, 4, Duration.ofMinutes(1)))
                            .version(2)
                            .build());

            HttpResponse<String> impossible = new Client(server).get("/");

            assertThat(field(impossible, "RateLimit")).isEqualTo("\"five\";r=4;t=0");
            assertThat(field(impossible, "X-RateLimit-Remaining")).isEqualTo("4");
            assertThat(field(impossible, "X-RateLimit-Reset")).isEqualTo("1800000000");
        }
    }

    @Test
    void handsItsDecisionsToTheHandler() throws Exception {
        HttpLimits http = limits.http(five("/**")).build();
        try (Container.Running server = container.start(Application.of(context -> {
            Application.filter(context, "weir", new RateLimitFilter(http, BEFORE_AUTHENTICATION));
            Application.serve(context, "/", (request, response) -> {
                for (Object each : (List<?>) request.getAttribute(HttpLimits.DECISIONS)) {
                    ((Decision) each).refund().join();
                }
            });
        }))) {
            new Client(server).get("/");

            assertThat(limits.left("five", "127.0.0.1")).isEqualTo(5);
        }
    }

    @Test
    void jitterSpreadsWhatClientsAreToldAndNeverShortensIt() throws Exception {
        try (Container.Running server = start(limits.http(five("/**"))
                .mapping(HttpMapping.standard().jitter(25, new Random(28)))
                .build())) {
            Client client = new Client(server);
            limits.drain("five", "127.0.0.1");
            limits.pass(Duration.ofMillis(500));
            List<String> told = new ArrayList<>();
            for (int i = 0; i < 100; i++) {
                HttpResponse<String> denied = client.get("/");
                told.add(field(denied, "Retry-After"));
                assertThat(denied.body()).endsWith(",\"retry_after\":" + told.get(i) + "}");
                assertThat(field(denied, "RateLimit")).isEqualTo("\"five\";r=0;t=12");
            }
            assertThat(told).containsOnly("12", "13", "14", "15");
        }
    }
}
