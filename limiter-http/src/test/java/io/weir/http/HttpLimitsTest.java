package io.weir.http;

import static io.weir.http.Position.AFTER_AUTHENTICATION;
import static io.weir.http.Position.BEFORE_AUTHENTICATION;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.weir.Decision;
import io.weir.FailurePolicy;
import io.weir.Limit;
import io.weir.Weir;
import io.weir.algorithm.Bandwidth;
import io.weir.store.LocalStore;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class HttpLimitsTest {

    private static final KeyResolver CLIENT = KeyResolver.field("X-Client");

    private final AtomicLong nanos = new AtomicLong();
    private final Weir weir = Weir.over(LocalStore.create(nanos::get, 1_000))
            .limit(hourly("two", 2))
            .limit(hourly("five", 5))
            .limit(hourly("eight", 8))
            .build();

    private static Limit hourly(String name, long capacity) {
        return Limit.named(name, FailurePolicy.DENY)
                .bandwidth(Bandwidth.of(capacity, capacity, Duration.ofHours(1)))
                .build();
    }

    @AfterEach
    void close() {
        weir.close();
    }

    private HttpLimits limits(Route... routes) {
        HttpLimits.Builder builder = HttpLimits.over(weir).wall(() -> LimitedService.BEGIN);
        List.of(routes).forEach(builder::route);
        return builder.build();
    }

    /** As all over the limit: a key whose every request is denied for ever is a mistake in one of the two. */
    @Test
    void refusesARouteThatCostsMoreThanAnOverrideHas() {
        Bandwidth three = Bandwidth.of(3, 3, Duration.ofHours(1));
        Limit limit = Limit.named("plans", FailurePolicy.DENY)
                .bandwidth(Bandwidth.of(100, 100, Duration.ofHours(1)))
                .override("big", Bandwidth.of(500, 500, Duration.ofHours(1)))
                .override("small\nkey", three.named("burst"), Bandwidth.of(50, 50, Duration.ofDays(1)))
                .build();
        try (Weir plans =
                Weir.over(LocalStore.create(nanos::get, 1_000)).limit(limit).build()) {
            Route route = Route.limitedBy("plans", "/api/**", CLIENT);

            assertThatIllegalArgumentException()
                    .isThrownBy(
                            () -> HttpLimits.over(plans).route(route.cost(5)).build())
                    .withMessage("route /api/** costs 5, more than the capacity of an override of limit \"plans\", 3:"
                            + " no request of its key could ever be granted");
            assertThatIllegalArgumentException()
                    .isThrownBy(
                            () -> HttpLimits.over(plans).route(route.cost(101)).build())
                    .withMessageContaining("more than the capacity of limit \"plans\", 100: no request could ever");
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> HttpLimits.over(plans)
                            .route(route.and("plans", CLIENT).cost(2))
                            .build())
                    .withMessageContaining("costs 2, 2 times for one key, more than the capacity of an override");
            HttpLimits.over(plans).route(route.cost(3)).build();
        }
    }

    private long left(String limit, String key) {
        return weir.limiter(limit).peek(key).remaining().orElseThrow();
    }

    private static HttpAnswer ask(HttpLimits limits, IncomingRequest request) {
        return limits.answer(request, BEFORE_AUTHENTICATION);
    }

    private static FakeRequest ann(String method, String path) {
        return FakeRequest.of(method, path).with("X-Client", "ann");
    }

    private static int status(HttpAnswer answer) {
        return answer instanceof HttpAnswer.Denied denied ? denied.status() : 200;
    }

    @Test
    void chargesTheFirstRouteThatMatchesAndNoOther() {
        HttpLimits limits = limits(
                Route.limitedBy("two", "/api/**", CLIENT).methods("POST"),
                Route.limitedBy("five", "/api/**", CLIENT),
                Route.limitedBy("eight", "/**", CLIENT));

        assertThat(status(ask(limits, ann("GET", "/api/x")))).isEqualTo(200);
        assertThat(status(ask(limits, ann("GET", "/api/x")))).isEqualTo(200);
        assertThat(status(ask(limits, ann("POST", "/api/x")))).isEqualTo(200);
        assertThat(status(ask(limits, ann("POST", "/api/x")))).isEqualTo(200);
        assertThat(status(ask(limits, ann("POST", "/api/x")))).isEqualTo(429);

        assertThat(left("two", "ann")).isZero();
        assertThat(left("five", "ann")).isEqualTo(3);
        assertThat(left("eight", "ann")).isEqualTo(8);
    }

    @Test
    void doesNotLimitWhatNoRouteMatches() {
        HttpLimits limits = limits(Route.limitedBy("two", "/api/**", CLIENT));

        assertThat(ask(limits, ann("GET", "/other"))).isEqualTo(new HttpAnswer.Granted(Map.of()));
    }

    @Test
    void chargesAHeadAsTheGetThatItIs() {
        HttpLimits limits = limits(
                Route.limitedBy("two", "/api/**", CLIENT).methods("GET"), Route.limitedBy("eight", "/**", CLIENT));

        ask(limits, ann("HEAD", "/api/x"));

        assertThat(left("two", "ann")).isEqualTo(1);
        assertThat(Route.free("/x").methods("HEAD")).hasToString("route HEAD /x");
    }

    @Test
    void chargesWhatARouteCosts() {
        HttpLimits limits = limits(Route.limitedBy("eight", "/reports", CLIENT).cost(3));

        ask(limits, ann("GET", "/reports"));

        assertThat(left("eight", "ann")).isEqualTo(5);
    }

    @Test
    void neverLimitsAFreeRoute() {
        HttpLimits limits = limits(
                Route.free("/health"),
                Route.limitedBy("two", "/static/**", CLIENT).cost(0),
                Route.limitedBy("two", "/**", KeyResolver.fixed("all")));

        for (int i = 0; i < 10; i++) {
            assertThat(status(ask(limits, FakeRequest.get("/health")))).isEqualTo(200);
            assertThat(status(ask(limits, FakeRequest.get("/static/x")))).isEqualTo(200);
        }
        assertThat(left("two", "all")).isEqualTo(2);
    }

    @ParameterizedTest
    @ValueSource(strings = {"/health/", "//health", "/health;x", "/%68ealth", "/api/../health", "/health/../api"})
    void chargesWhatOnlyReadsLikeAFreeRoute(String path) {
        HttpLimits limits = limits(Route.free("/health"), Route.limitedBy("two", "/**", KeyResolver.fixed("all")));

        ask(limits, FakeRequest.get(path));

        assertThat(left("two", "all")).isEqualTo(1);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/dear/x",
                "//dear//x/",
                "/%64ear/x",
                "/dear;cheap=1/x",
                "/./dear/x",
                "/cheap/../dear/x",
                "/cheap/%2E%2e/dear/x",
                "/cheap\\..\\dear/x",
                "/cheap%2f..%2fdear/x"
            })
    void isNotGotAroundByWritingAPathInAnotherWay(String path) {
        HttpLimits limits =
                limits(Route.limitedBy("two", "/dear/**", CLIENT), Route.limitedBy("eight", "/cheap/**", CLIENT));

        HttpAnswer answer = ask(limits, ann("GET", path));

        if (status(answer) == 400) {
            assertThat(left("two", "ann")).isEqualTo(2);
        } else {
            assertThat(left("two", "ann")).isEqualTo(1);
        }
        assertThat(left("eight", "ann")).isEqualTo(8);
    }

    @Test
    void refusesAPathOnlyWhereItsReadingMakesADifference() {
        HttpLimits two = limits(Route.limitedBy("two", "/a/**", CLIENT), Route.limitedBy("five", "/b/**", CLIENT));
        HttpLimits one = limits(Route.limitedBy("eight", "/**", CLIENT));

        HttpAnswer refused = ask(two, ann("GET", "/a/../b"));
        assertThat(status(refused)).isEqualTo(400);
        assertThat(((HttpAnswer.Denied) refused).body())
                .isEqualTo("{\"type\":\"about:blank\",\"title\":\"Bad Request\",\"status\":400,"
                        + "\"detail\":\"The path of the request can be read in more than one way.\"}");
        assertThat(status(ask(two, ann("GET", "/a/./c")))).isEqualTo(200);
        assertThat(status(ask(one, ann("GET", "/a/../b")))).isEqualTo(200);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/api//../dear/x",
                "/api/;/../dear/x",
                "/api//%2e%2e/dear",
                "/x%2fy/../api/dear",
                "/x\\..\\y",
                "/%2e%2e/z"
            })
    void refusesAPathThatGoesUpPastSomethingOddWhereverItLeads(String path) {
        HttpLimits limits = limits(Route.limitedBy("two", "/api/dear/**", CLIENT));

        assertThat(status(ask(limits, ann("GET", path)))).isEqualTo(400);
        assertThat(left("two", "ann")).isEqualTo(2);
    }

    @Test
    void looksAtPathsWithinTheApplication() {
        HttpLimits limits = limits(Route.limitedBy("two", "/api", CLIENT));

        ask(limits, ann("GET", "/shop/api").within("/shop"));

        assertThat(left("two", "ann")).isEqualTo(1);
    }

    @Test
    void chargesARequestOnceHoweverOftenItIsDispatched() {
        HttpLimits limits = limits(Route.limitedBy("five", "/**", CLIENT));
        FakeRequest request = ann("GET", "/x");

        ask(limits, request);
        assertThat(ask(limits, request)).isEqualTo(new HttpAnswer.Granted(Map.of()));

        assertThat(left("five", "ann")).isEqualTo(4);
    }

    @Test
    void limitsAnotherApplicationsRequestAgain() {
        FakeRequest request = ann("GET", "/x");

        ask(limits(Route.limitedBy("five", "/**", CLIENT)), request);
        ask(limits(Route.limitedBy("five", "/**", CLIENT)), request);

        assertThat(left("five", "ann")).isEqualTo(3);
    }

    @Test
    void limitsBeforeAndAfterAuthentication() {
        HttpLimits limits = limits(
                Route.limitedBy("eight", "/**", CLIENT), Route.limitedBy("two", "/api/**", KeyResolver.principal()));
        FakeRequest request = ann("GET", "/api");

        HttpAnswer before = limits.answer(request, BEFORE_AUTHENTICATION);
        HttpAnswer after = limits.answer(request.by("Ann Smith"), AFTER_AUTHENTICATION);

        assertThat(before.fields()).containsEntry("RateLimit", "\"eight\";r=7;t=450");
        assertThat(after.fields())
                .containsEntry("RateLimit-Policy", "\"eight\";q=8;w=3600, \"two\";q=2;w=3600")
                .containsEntry("RateLimit", "\"eight\";r=7;t=450, \"two\";r=1;t=1800")
                .containsEntry("X-RateLimit-Limit", "2")
                .containsEntry("X-RateLimit-Remaining", "1");
        assertThat(left("two", "Ann Smith")).isEqualTo(1);
    }

    @Test
    void speaksOfTheTighterLimitWhicheverWasAskedFirst() {
        HttpLimits limits =
                limits(Route.limitedBy("two", "/**", CLIENT), Route.limitedBy("eight", "/**", KeyResolver.principal()));
        FakeRequest request = ann("GET", "/api").by("ann");

        limits.answer(request, BEFORE_AUTHENTICATION);

        assertThat(limits.answer(request, AFTER_AUTHENTICATION).fields()).containsEntry("X-RateLimit-Limit", "2");
    }

    @Test
    void deniesAfterAuthenticationWithTheMetersOfBoth() {
        HttpLimits limits =
                limits(Route.limitedBy("eight", "/**", CLIENT), Route.limitedBy("two", "/**", KeyResolver.principal()));
        weir.limiter("two").tryAcquire("ann", 2);
        FakeRequest request = ann("GET", "/api").by("ann");

        limits.answer(request, BEFORE_AUTHENTICATION);
        HttpAnswer denied = limits.answer(request, AFTER_AUTHENTICATION);

        assertThat(status(denied)).isEqualTo(429);
        assertThat(denied.fields())
                .containsEntry("Retry-After", "1800")
                .containsEntry("RateLimit", "\"eight\";r=7;t=450, \"two\";r=0;t=1800")
                .containsEntry("X-RateLimit-Remaining", "0");
    }

    @Test
    void keepsTheDecisionsForTheHandler() {
        HttpLimits limits = limits(Route.limitedBy("five", "/**", CLIENT).cost(4));
        FakeRequest request = ann("GET", "/x");

        ask(limits, request);
        assertThat(request.kept(HttpLimits.DECISIONS))
                .asInstanceOf(InstanceOfAssertFactories.list(Decision.class))
                .singleElement()
                .satisfies(decision -> decision.settle(1).join());

        assertThat(left("five", "ann")).isEqualTo(4);
    }

    @Test
    void refusesARequestWithoutAKey() {
        HttpLimits limits = limits(Route.limitedBy("five", "/**", CLIENT));

        for (FakeRequest request :
                List.of(FakeRequest.get("/x"), FakeRequest.get("/x").with("X-Client", ""))) {
            assertThat(ask(limits, request))
                    .isEqualTo(new HttpAnswer.Denied(
                            403,
                            Map.of("Content-Type", "application/problem+json"),
                            "{\"type\":\"about:blank\",\"title\":\"Forbidden\",\"status\":403,"
                                    + "\"detail\":\"The request does not say who is asking.\"}"));
        }
    }

    @Test
    void countsRequestsWithoutAKeyTogether() {
        HttpLimits limits = limits(Route.limitedBy("two", "/**", CLIENT).missingKey(MissingKey.SHARED));

        ask(limits, FakeRequest.get("/x").from("203.0.113.1"));
        ask(limits, FakeRequest.get("/x").from("203.0.113.2"));

        assertThat(status(ask(limits, FakeRequest.get("/x").from("203.0.113.3"))))
                .isEqualTo(429);
        assertThat(status(ask(limits, ann("GET", "/x")))).isEqualTo(200);
    }

    @Test
    void leavesRequestsWithoutAKeyToTheNextRoute() {
        HttpLimits limits = limits(
                Route.limitedBy("eight", "/**", CLIENT).missingKey(MissingKey.SKIP),
                Route.limitedBy("two", "/**", ClientAddress.ofConnection()).missingKey(MissingKey.SKIP));

        ask(limits, FakeRequest.get("/x").from("203.0.113.1"));

        assertThat(left("two", "203.0.113.1")).isEqualTo(1);
    }

    @Test
    void requestsThatEveryRouteSkipsGoAhead() {
        HttpLimits limits = limits(Route.limitedBy("two", "/**", CLIENT).missingKey(MissingKey.SKIP));

        assertThat(status(ask(limits, FakeRequest.get("/x")))).isEqualTo(200);
    }

    @Test
    void doesNotChargeAPreflight() {
        HttpLimits limits = limits(Route.limitedBy("two", "/**", ClientAddress.ofConnection()));

        for (int i = 0; i < 10; i++) {
            assertThat(ask(
                            limits,
                            FakeRequest.of("OPTIONS", "/x")
                                    .with("Origin", "https://shop.example")
                                    .with("Access-Control-Request-Method", "GET")))
                    .isEqualTo(new HttpAnswer.Granted(Map.of()));
        }
        ask(limits, FakeRequest.of("OPTIONS", "/x"));

        assertThat(left("two", "203.0.113.9")).isEqualTo(1);
    }

    @Test
    void letsScriptsOfOtherOriginsReadTheFields() {
        HttpLimits limits = limits(Route.limitedBy("two", "/**", CLIENT).cost(2));
        String meter = "RateLimit-Policy, RateLimit, X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset";

        HttpAnswer granted = ask(limits, ann("GET", "/x").with("Origin", "https://shop.example"));
        HttpAnswer denied = ask(limits, ann("GET", "/x").with("Origin", "https://shop.example"));

        assertThat(granted.fields()).containsEntry("Access-Control-Expose-Headers", meter);
        assertThat(denied.fields()).containsEntry("Access-Control-Expose-Headers", "Retry-After, " + meter);
        assertThat(ask(limits, ann("GET", "/x")).fields()).doesNotContainKey("Access-Control-Expose-Headers");
    }

    @Test
    void hasNothingToExposeWithoutMeters() {
        HttpLimits limits = HttpLimits.over(weir)
                .route(Route.limitedBy("two", "/**", CLIENT))
                .mapping(HttpMapping.standard().dialects())
                .build();

        assertThat(ask(limits, FakeRequest.get("/x").with("Origin", "https://shop.example"))
                        .fields())
                .containsOnlyKeys("Content-Type");
        assertThat(ask(limits, ann("GET", "/x").with("Origin", "https://shop.example"))
                        .fields())
                .isEmpty();
    }

    @Test
    void answersTheSameWithoutWaiting() {
        HttpLimits limits = limits(Route.free("/health"), Route.limitedBy("two", "/**", CLIENT));
        FakeRequest request = ann("GET", "/x");

        assertThat(limits.answerAsync(request, BEFORE_AUTHENTICATION).join().fields())
                .containsEntry("RateLimit", "\"two\";r=1;t=1800");
        assertThat(limits.answerAsync(request, BEFORE_AUTHENTICATION).join().fields())
                .isEmpty();
        assertThat(status(limits.answerAsync(FakeRequest.get("/x"), BEFORE_AUTHENTICATION)
                        .join()))
                .isEqualTo(403);
        assertThat(status(limits.answerAsync(FakeRequest.get("/health"), BEFORE_AUTHENTICATION)
                        .join()))
                .isEqualTo(200);
    }

    @Test
    void knowsWhereNothingIsLimited() {
        HttpLimits limits = limits(Route.free("/health"), Route.limitedBy("two", "/**", CLIENT));

        assertThat(limits.anyAt(BEFORE_AUTHENTICATION)).isTrue();
        assertThat(limits.anyAt(AFTER_AUTHENTICATION)).isFalse();
    }

    @Test
    void refusesARouteOfNoLimit() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> limits(Route.limitedBy("tow", "/api/**", CLIENT)))
                .withMessage("route /api/**: there is no limit called \"tow\", only [eight, five, two]");
    }

    @Test
    void refusesACostThatNoBucketHolds() {
        assertThatIllegalArgumentException()
                .isThrownBy(() ->
                        limits(Route.limitedBy("two", "/api/**", CLIENT).cost(3).methods("POST")))
                .withMessage("route POST /api/** costs 3, more than the capacity of limit \"two\", 2: no request could"
                        + " ever be granted");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Route.limitedBy("two", "/", CLIENT).cost(-1))
                .withMessageContaining("but is -1");
    }

    @Test
    void refusesARouteThatNoRequestReaches() {
        assertThatIllegalArgumentException()
                .isThrownBy(
                        () -> limits(Route.limitedBy("five", "/**", CLIENT), Route.limitedBy("two", "/api/**", CLIENT)))
                .withMessage("route /api/** gets no request, since route /** stands before it: put it first");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> limits(Route.limitedBy("five", "/**", CLIENT), Route.free("/health")));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> limits(Route.free("/health"), Route.limitedBy("two", "/health", CLIENT)))
                .withMessage("route /health gets no request but those whose path is written oddly, since the free route"
                        + " /health stands before it: put it first");
        assertThatIllegalArgumentException()
                .isThrownBy(() ->
                        limits(Route.free("/**"), Route.free("/health"), Route.limitedBy("two", "/health", CLIENT)))
                .withMessage("route /health gets no request, since the free route /** stands before it: put it first");
    }

    @Test
    void refusesWhatIsNoMethodAndWhatIsNoField() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Route.free("/").methods("post"))
                .withMessage("method must be in capital letters, such as POST, but is \"post\"");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> KeyResolver.field("X Client\n"))
                .withMessageEndingWith("but is \"X Client?\"");
    }

    /** It would count as none, and refuse everybody. */
    @Test
    void refusesAFixedKeyThatIsEmpty() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> KeyResolver.fixed(""))
                .withMessageContaining("must not be empty");
    }

    @Test
    void keepsCombinedKeysApart() {
        KeyResolver both = KeyResolver.field("A").and(KeyResolver.field("B"));

        assertThat(both.resolve(FakeRequest.get("/").with("A", "a b").with("B", "c")))
                .isNotEqualTo(both.resolve(FakeRequest.get("/").with("A", "a").with("B", "b c")))
                .contains("3 a b c");
        assertThat(both.resolve(FakeRequest.get("/").with("A", "a"))).isEmpty();
    }

    @Test
    void hidesAKeyThatIsASecret() {
        KeyResolver hashed = KeyResolver.field("Authorization").hashed();

        assertThat(hashed.resolve(FakeRequest.get("/").with("Authorization", "abc")))
                .contains("ungWv48Bz-pBQUDeXa4iI7ADYaOWF3qctBD_YfIAFa0");
        assertThat(hashed.resolve(FakeRequest.get("/"))).isEmpty();
    }
}
