package io.weir.http;

import static io.weir.http.Position.AFTER_AUTHENTICATION;
import static io.weir.http.Position.BEFORE_AUTHENTICATION;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.weir.Decision;
import io.weir.FailurePolicy;
import io.weir.Limit;
import io.weir.algorithm.Bandwidth;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Several limits on one route, with one that only reports among them. */
class SeveralLimitsTest {

    private final Limits limits = Limits.of(
            Limits.perMinute("user", 2),
            Limits.perMinute("site", 6),
            Limits.perMinute("slow", 1),
            Limit.named("tried", FailurePolicy.DENY)
                    .bandwidth(Bandwidth.of(1, 1, Duration.ofMinutes(1)))
                    .shadow()
                    .build());

    private final HttpLimits http = limits.http(
                    Route.limitedBy("user", "/a/**", KeyResolver.field("X-User"))
                            .and("site", KeyResolver.fixed("all")),
                    Route.limitedBy("site", "/slow", KeyResolver.fixed("all"))
                            .and("slow", KeyResolver.fixed("all"))
                            .and("user", KeyResolver.fixed("all")),
                    Route.limitedBy("site", "/tried", KeyResolver.fixed("all")).and("tried", KeyResolver.fixed("all")),
                    Route.limitedBy("tried", "/only-tried", KeyResolver.fixed("all")))
            .build();

    @AfterEach
    void close() {
        limits.close();
    }

    private HttpAnswer get(boolean async, FakeRequest request) {
        return async
                ? http.answerAsync(request, BEFORE_AUTHENTICATION).join()
                : http.answer(request, BEFORE_AUTHENTICATION);
    }

    private static FakeRequest by(String user, String path) {
        return FakeRequest.get(path).with("X-User", user);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void chargesAllOfThemAndTellsWhatIsLeftOfEach(boolean async) {
        FakeRequest request = by("ann", "/a");
        HttpAnswer answer = get(async, request);

        assertThat(answer).isInstanceOf(HttpAnswer.Granted.class);
        assertThat(answer.fields())
                .containsEntry("RateLimit", "\"user\";r=1;t=30, \"site\";r=5;t=10")
                .containsEntry("X-RateLimit-Remaining", "1");
        assertThat(limits.left("user", "ann")).isEqualTo(1);
        assertThat(limits.left("site", "all")).isEqualTo(5);
        assertThat((List<?>) request.kept(HttpLimits.DECISIONS)).hasSize(2);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void chargesNoneIfOneDenies(boolean async) {
        limits.drain("site", "all");
        HttpAnswer first = get(async, by("ann", "/a"));

        assertThat(first).isInstanceOf(HttpAnswer.Denied.class);
        assertThat(first.fields()).containsEntry("Retry-After", "10");
        assertThat(((HttpAnswer.Denied) first).body()).contains("\"violated-policies\":[\"site\"]");
        assertThat(limits.left("user", "ann")).isEqualTo(2);

        limits.pass(Duration.ofSeconds(10));
        get(async, by("ann", "/a"));
        limits.pass(Duration.ofSeconds(10));
        get(async, by("ann", "/a"));
        limits.drain("user", "ann");
        limits.pass(Duration.ofSeconds(10)); // one more of site
        long left = limits.left("site", "all");
        assertThat(left).isPositive();
        assertThat(get(async, by("ann", "/a"))).isInstanceOf(HttpAnswer.Denied.class);
        assertThat(limits.left("site", "all")).isEqualTo(left);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void namesTheLimitWithTheLongestWaitAndSendsTheFieldsOfAll(boolean async) {
        limits.drain("site", "all");
        limits.drain("slow", "all");
        limits.drain("user", "all");

        HttpAnswer answer = get(async, FakeRequest.get("/slow"));

        assertThat(answer.fields())
                .containsEntry("Retry-After", "60")
                .containsEntry("RateLimit", "\"site\";r=0;t=10, \"slow\";r=0;t=60, \"user\";r=0;t=30");
        assertThat(((HttpAnswer.Denied) answer).body()).contains("\"violated-policies\":[\"slow\"]");
    }

    @Test
    void givesBackWhatHandlersRefundOfEach() {
        FakeRequest request = by("ann", "/a");
        get(false, request);
        if (request.kept(HttpLimits.DECISIONS) instanceof List<?> decisions) {
            decisions.forEach(each -> ((Decision) each).refund().join());
        }

        assertThat(limits.left("user", "ann")).isEqualTo(2);
        assertThat(limits.left("site", "all")).isEqualTo(6);
    }

    @Test
    void aRequestWithoutOneOfTheKeysIsOneWithoutAKey() {
        assertThat(get(false, FakeRequest.get("/a")))
                .isInstanceOfSatisfying(
                        HttpAnswer.Denied.class,
                        denied -> assertThat(denied.status()).isEqualTo(403));
        assertThat(limits.left("site", "all")).isEqualTo(6);

        HttpLimits skipping = limits.http(Route.limitedBy("site", "/**", KeyResolver.fixed("all"))
                        .and("user", KeyResolver.field("X-User"))
                        .missingKey(MissingKey.SKIP))
                .build();
        assertThat(skipping.answer(FakeRequest.get("/"), BEFORE_AUTHENTICATION).fields())
                .isEmpty();
        assertThat(limits.left("site", "all")).isEqualTo(6);
    }

    @Test
    void standsBehindAuthenticationIfAKeyNeedsThat() {
        HttpLimits principal = limits.http(
                        Route.limitedBy("site", "/**", KeyResolver.fixed("all")).and("user", KeyResolver.principal()))
                .build();

        assertThat(principal.anyAt(BEFORE_AUTHENTICATION)).isFalse();
        assertThat(principal
                        .answer(FakeRequest.get("/").by("ann"), AFTER_AUTHENTICATION)
                        .fields())
                .containsKey("RateLimit");
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aShadowLeavesNoTraceInAnAnswer(boolean async) {
        for (int i = 0; i < 3; i++) {
            HttpAnswer answer = get(async, FakeRequest.get("/tried"));
            assertThat(answer).isInstanceOf(HttpAnswer.Granted.class);
            assertThat(answer.fields().get("RateLimit")).startsWith("\"site\"").doesNotContain("tried");
        }
        HttpAnswer only = get(async, FakeRequest.get("/only-tried"));
        assertThat(only).isInstanceOf(HttpAnswer.Granted.class);
        assertThat(only.fields()).isEmpty();
        assertThat(limits.left("tried", "all")).as("but counts").isZero();
    }

    @Test
    void refusesWhatCannotBeGrantedByOneOfThem() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> limits.http(Route.limitedBy("site", "/**", KeyResolver.fixed("all"))
                                .and("user", KeyResolver.fixed("all"))
                                .cost(3))
                        .build())
                .withMessageContaining("costs 3, more than the capacity of limit \"user\", 2");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Route.free("/**").and("user", KeyResolver.fixed("all")))
                .withMessage("route /** is free, and cannot be limited by \"user\": begin it with Route.limitedBy(..)");
    }

    private long reported(String key) {
        return 1 - limits.left("tried", key);
    }

    @Test
    void aShadowWithoutAKeyIsLeftOutAndRefusesNobody() {
        for (MissingKey each : MissingKey.values()) {
            HttpLimits tried = limits.http(Route.limitedBy("site", "/**", KeyResolver.fixed(each.name()))
                            .and("tried", KeyResolver.field("X-User"))
                            .missingKey(each))
                    .build();

            assertThat(tried.answer(FakeRequest.get("/"), BEFORE_AUTHENTICATION))
                    .as("%s", each)
                    .isInstanceOf(HttpAnswer.Granted.class);
            assertThat(limits.left("site", each.name())).as("%s", each).isEqualTo(5);
        }
        assertThat(reported("")).as("where it is shared").isEqualTo(1);
    }

    @Test
    void aShadowDoesNotMoveTheRouteBehindAuthentication() {
        HttpLimits tried = limits.http(
                        Route.limitedBy("site", "/**", KeyResolver.fixed("all")).and("tried", KeyResolver.principal()))
                .build();

        assertThat(tried.anyAt(AFTER_AUTHENTICATION)).isFalse();
        assertThat(tried.answer(FakeRequest.get("/"), BEFORE_AUTHENTICATION)).isInstanceOf(HttpAnswer.Granted.class);
        assertThat(limits.left("site", "all")).isEqualTo(5);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aRouteOfShadowsLeavesRequestsToTheRoutesBehindIt(boolean async) {
        HttpLimits tried = limits.http(
                        Route.limitedBy("tried", "/**", KeyResolver.fixed("all")),
                        Route.free("/health"),
                        Route.limitedBy("slow", "/**", KeyResolver.fixed("all")))
                .build();
        FakeRequest request = FakeRequest.get("/x");
        HttpAnswer answer = async
                ? tried.answerAsync(request, BEFORE_AUTHENTICATION).join()
                : tried.answer(request, BEFORE_AUTHENTICATION);

        assertThat(answer.fields().get("RateLimit")).isEqualTo("\"slow\";r=0;t=60");
        assertThat(reported("all")).isEqualTo(1);
        assertThat(tried.answer(FakeRequest.get("/x"), BEFORE_AUTHENTICATION)).isInstanceOf(HttpAnswer.Denied.class);
        assertThat(tried.answer(FakeRequest.get("/health"), BEFORE_AUTHENTICATION)
                        .fields())
                .isEmpty();
    }

    @Test
    void aShadowMakesNoPathAmbiguous() {
        HttpLimits tried = limits.http(
                        Route.limitedBy("tried", "/dear/**", KeyResolver.fixed("all")),
                        Route.limitedBy("site", "/**", KeyResolver.fixed("all")))
                .build();

        assertThat(tried.answer(FakeRequest.get("/x/../dear"), BEFORE_AUTHENTICATION))
                .isInstanceOf(HttpAnswer.Granted.class);
    }

    @Test
    void refusesWhatOneKeyCouldNeverPayTwice() {
        for (KeyResolver each :
                List.of(KeyResolver.fixed("all"), KeyResolver.principal(), KeyResolver.field("X-User"))) {
            KeyResolver same = each.equals(KeyResolver.fixed("all")) ? KeyResolver.fixed("all") : each;
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> limits.http(
                                    Route.limitedBy("slow", "/**", each).and("slow", same))
                            .build())
                    .withMessageContaining("costs 1, 2 times for one key, more than the capacity of limit \"slow\", 1");
        }
        limits.http(Route.limitedBy("slow", "/**", KeyResolver.fixed("a")).and("slow", KeyResolver.fixed("b")))
                .build();
        Route many = Route.limitedBy("site", "/**", KeyResolver.fixed("0"));
        for (int i = 1; i < 32; i++) {
            many = many.and("site", KeyResolver.fixed("" + i));
        }
        limits.http(many).build();
        Route more = many.and("site", KeyResolver.fixed("32"));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> limits.http(more).build())
                .withMessageContaining("has 33 limits, but 32 at most");
    }
}
