package io.weir.http;

import static io.weir.http.Position.AFTER_AUTHENTICATION;
import static io.weir.http.Position.BEFORE_AUTHENTICATION;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.management.ThreadMXBean;
import io.weir.guard.LoadShedder;
import io.weir.guard.NodeConcurrencyGuard;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class HttpGuardsTest {

    private final LoadShedder one = LoadShedder.named("http").inFlight(1).build();
    private final NodeConcurrencyGuard reports =
            NodeConcurrencyGuard.named("reports", 3).perKey(1).build();
    private final HttpGuards shedding =
            HttpGuards.create().free("/health").shed(one).build();

    private static boolean isLetIn(Admission admission) {
        return admission.refusal().isEmpty();
    }

    private static Admission enter(HttpGuards guards, FakeRequest request) {
        return guards.enter(request, BEFORE_AUTHENTICATION);
    }

    @Test
    void refusesWhatIsTooMuchAndSaysWhenToComeBack() {
        Admission first = enter(shedding, FakeRequest.get("/a"));
        assertThat(isLetIn(first)).isTrue();

        HttpAnswer.Denied refusal =
                enter(shedding, FakeRequest.get("/b")).refusal().orElseThrow();
        assertThat(refusal.status()).isEqualTo(503);
        assertThat(refusal.fields()).isEqualTo(Map.of("Content-Type", "application/problem+json", "Retry-After", "5"));
        assertThat(refusal.body())
                .isEqualTo("{\"type\":\"https://iana.org/assignments/http-problem-types#temporary-reduced-capacity\","
                        + "\"title\":\"Request cannot be satisfied due to temporary server capacity constraints\","
                        + "\"status\":503,\"retry_after\":5}");

        first.close();
        first.close();
        assertThat(one.inFlight()).isZero();
        assertThat(isLetIn(enter(shedding, FakeRequest.get("/b")))).isTrue();
    }

    @Test
    void letsScriptsOfOtherOriginsReadWhenToComeBack() {
        enter(shedding, FakeRequest.get("/a"));

        assertThat(enter(shedding, FakeRequest.get("/b").with("Origin", "https://shop.example"))
                        .refusal()
                        .orElseThrow()
                        .fields())
                .containsEntry("Access-Control-Expose-Headers", "Retry-After");
    }

    @Test
    void letsProbesPassWhateverElseThereIs() {
        enter(shedding, FakeRequest.get("/a"));

        assertThat(isLetIn(enter(shedding, FakeRequest.get("/health")))).isTrue();
        assertThat(isLetIn(enter(shedding, FakeRequest.get("/shop/health").within("/shop"))))
                .isTrue();
        assertThat(one.inFlight()).as("they do not count, either").isEqualTo(1);
    }

    @ParameterizedTest
    @ValueSource(strings = {"/health/", "/Health", "/x/health", "//health", "/he%61lth", "/health;x", "health", ""})
    void countsAProbeThatIsWrittenInAnotherWay(String path) {
        enter(shedding, FakeRequest.get("/a"));

        assertThat(isLetIn(enter(shedding, FakeRequest.get(path)))).isFalse();
    }

    @Test
    void countsARequestOnceHoweverOftenItIsDispatched() {
        FakeRequest request = FakeRequest.get("/a");
        Admission first = enter(shedding, request);
        Admission again = enter(shedding, request);

        assertThat(isLetIn(again)).isTrue();
        again.close();
        assertThat(one.inFlight()).isEqualTo(1);
        first.close();
        assertThat(one.inFlight()).isZero();
    }

    @Test
    void shedsBeforeAuthenticationOnly() {
        assertThat(shedding.anyAt(BEFORE_AUTHENTICATION)).isTrue();
        assertThat(shedding.anyAt(AFTER_AUTHENTICATION)).isFalse();
        enter(shedding, FakeRequest.get("/a"));

        assertThat(isLetIn(shedding.enter(FakeRequest.get("/b"), AFTER_AUTHENTICATION)))
                .isTrue();
    }

    @Test
    void guardsPathsForEachUserAfterAuthentication() {
        HttpGuards guards = HttpGuards.create()
                .guard(reports, "/reports/**", KeyResolver.principal())
                .build();
        assertThat(guards.anyAt(BEFORE_AUTHENTICATION)).isFalse();

        Admission ann = guards.enter(FakeRequest.get("/reports/1").by("ann"), AFTER_AUTHENTICATION);
        assertThat(isLetIn(ann)).isTrue();
        assertThat(isLetIn(guards.enter(FakeRequest.get("/reports/2").by("ann"), AFTER_AUTHENTICATION)))
                .isFalse();
        assertThat(isLetIn(guards.enter(FakeRequest.get("/reports/2").by("bob"), AFTER_AUTHENTICATION)))
                .isTrue();
        assertThat(isLetIn(guards.enter(FakeRequest.get("/other").by("ann"), AFTER_AUTHENTICATION)))
                .isTrue();

        ann.close();
        assertThat(isLetIn(guards.enter(FakeRequest.get("/reports/2").by("ann"), AFTER_AUTHENTICATION)))
                .isTrue();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/reports/1",
                "/r%65ports/1",
                "/reports%2F1",
                "/x/../reports/1",
                "/reports;a=b/1",
                "/x\\..\\reports/1"
            })
    void guardsAPathInWhateverWayItIsRead(String path) {
        HttpGuards guards = HttpGuards.create().guard(reports, "/reports/**").build();
        enter(guards, FakeRequest.get("/reports/1"));

        assertThat(isLetIn(enter(guards, FakeRequest.get(path)))).isFalse();
    }

    @Test
    void holdsAPlaceInEachGuardOrInNone() {
        NodeConcurrencyGuard exports = NodeConcurrencyGuard.named("exports", 1).build();
        LoadShedder many = LoadShedder.named("http").inFlight(10).build();
        HttpGuards guards = HttpGuards.create()
                .shed(many)
                .guard(reports, "/reports/**")
                .guard(exports, "/reports/exports")
                .build();
        Admission first = enter(guards, FakeRequest.get("/reports/exports"));
        assertThat(many.inFlight() + reports.inFlight() + exports.inFlight()).isEqualTo(3);
        first.close();
        assertThat(many.inFlight() + reports.inFlight() + exports.inFlight()).isZero();

        exports.tryEnter();
        assertThat(isLetIn(enter(guards, FakeRequest.get("/reports/exports")))).isFalse();
        assertThat(many.inFlight() + reports.inFlight()).isZero();
    }

    @Test
    void givesItsPlacesBackIfAKeyResolverThrows() {
        HttpGuards guards = HttpGuards.create()
                .shed(one)
                .guard(reports, "/**", request -> {
                    throw new UnsupportedOperationException("a bug");
                })
                .build();

        assertThatThrownBy(() -> enter(guards, FakeRequest.get("/a")))
                .isInstanceOf(UnsupportedOperationException.class);
        assertThat(one.inFlight()).isZero();
    }

    /** In the round that took the fewest bytes: those before it were not compiled, or disturbed. */
    @Test
    void refusesWithoutAnObject() {
        enter(shedding, FakeRequest.get("/a"));
        IncomingRequest request = new Bare();
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        long let = 0;
        long least = Long.MAX_VALUE;
        for (int round = 0; round < 2_000 && least > 0; round++) {
            long before = threads.getCurrentThreadAllocatedBytes();
            for (int i = 0; i < 1_000; i++) {
                let += isLetIn(shedding.enter(request, BEFORE_AUTHENTICATION)) ? 1 : 0;
            }
            least = Math.min(least, threads.getCurrentThreadAllocatedBytes() - before);
        }

        assertThat(least).isZero();
        assertThat(let).isZero();
    }

    @Test
    void roundsTheWaitUp() {
        assertThat(HttpMapping.busy(Duration.ofMillis(1)).fields()).containsEntry("Retry-After", "1");
        assertThat(HttpMapping.busy(Duration.ofMillis(5_001)).fields()).containsEntry("Retry-After", "6");
    }

    @ParameterizedTest
    @ValueSource(strings = {"/health/**", "/{any}", "/*"})
    void refusesToLeaveMoreThanAPathFree(String pattern) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> HttpGuards.create().free(pattern))
                .withMessage("path that guards leave free must be one path, without * or {name}, but is \"" + pattern
                        + "\"");
    }

    /** Makes nothing when it is asked. */
    private record Bare() implements IncomingRequest {
        @Override
        public String method() {
            return "GET";
        }

        @Override
        public String path() {
            return "/b";
        }

        @Override
        public List<String> field(String name) {
            return List.of();
        }

        @Override
        public String peer() {
            return "203.0.113.9";
        }

        @Override
        public Optional<String> principal() {
            return Optional.empty();
        }

        @Override
        public @Nullable Object kept(String name) {
            return null;
        }

        @Override
        public void keep(String name, Object value) {}
    }

    @Test
    void refusesAGuardThatWouldGetNoRequest() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> HttpGuards.create().free("/health").guard(reports, "/health"))
                .withMessage(
                        "guard \"reports\" is for /health, which is free, and would get no request: guard another path,"
                                + " or do not leave this one free");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> HttpGuards.create().guard(reports, "/health").free("/health"));
        HttpGuards.create().free("/health").guard(reports, "/**").build();
    }

    @Test
    void anObscurePathEntersEveryGuard() {
        HttpGuards guards = HttpGuards.create().guard(reports, "/reports/**").build();

        try (Admission admission = enter(guards, FakeRequest.get("/x%2fy/../reports"))) {
            assertThat(isLetIn(admission)).isTrue();
            assertThat(reports.inFlight()).isEqualTo(1);
        }
        assertThat(reports.inFlight()).isZero();
    }
}
