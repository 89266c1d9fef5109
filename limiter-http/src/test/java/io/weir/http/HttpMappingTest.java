package io.weir.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.entry;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import io.weir.Decision;
import io.weir.FailurePolicy;
import io.weir.Limit;
import io.weir.Limiter;
import io.weir.Weir;
import io.weir.algorithm.Bandwidth;
import io.weir.store.LocalStore;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class HttpMappingTest {

    private static final String QUOTA_EXCEEDED = "https://iana.org/assignments/http-problem-types#quota-exceeded";
    private static final String REDUCED_CAPACITY =
            "https://iana.org/assignments/http-problem-types#temporary-reduced-capacity";

    private static final HttpMapping STANDARD = HttpMapping.standard();

    @Test
    void grantLeavesEverythingButTheMeterToTheHandler() {
        try (LimitedService service = new LimitedService(limit(5, Duration.ofMinutes(1)))) {
            assertThat(STANDARD.answer(service.ask(1), service.now()))
                    .isEqualTo(new HttpAnswer.Granted(Map.of(
                            "RateLimit-Policy", "\"per-client\";q=5;w=60",
                            "RateLimit", "\"per-client\";r=4;t=12",
                            "X-RateLimit-Limit", "5",
                            "X-RateLimit-Remaining", "4",
                            "X-RateLimit-Reset", "1800000012")));
        }
    }

    @Test
    void denialSaysWhenToComeBackAndWhatIsLeft() {
        try (LimitedService service = new LimitedService(limit(5, Duration.ofMinutes(1)))) {
            service.ask(4);

            HttpAnswer.Denied denied = denied(STANDARD.answer(service.ask(3), service.now()));

            assertThat(denied.status()).isEqualTo(429);
            assertThat(denied.fields())
                    .containsExactly(
                            entry("Content-Type", "application/problem+json"),
                            entry("Retry-After", "24"),
                            entry("RateLimit-Policy", "\"per-client\";q=5;w=60"),
                            entry("RateLimit", "\"per-client\";r=1;t=12"),
                            entry("X-RateLimit-Limit", "5"),
                            entry("X-RateLimit-Remaining", "1"),
                            entry("X-RateLimit-Reset", "1800000012"));
            assertThat(json(denied.body()))
                    .containsExactly(
                            entry("type", QUOTA_EXCEEDED),
                            entry("title", "Request cannot be satisfied as assigned quota has been exceeded"),
                            entry("status", 429L),
                            entry("violated-policies", List.of("per-client")),
                            entry("retry_after", 24L));
        }
    }

    @Test
    void whatWasToldBeforeChangesNoAnswer() {
        HttpMapping mapping = HttpMapping.standard();
        try (LimitedService service = new LimitedService(limit(5, Duration.ofMinutes(1)));
                LimitedService other = new LimitedService(limit(4, Duration.ofMinutes(1)))) {
            service.ask(4);
            other.ask(3);
            Instant now = service.now();
            List<Decision> denials = List.of(
                    service.ask(2), service.ask(2), other.ask(2), service.ask(2), service.ask(3), service.ask(9));

            for (Decision denial : denials) {
                for (Instant when : List.of(now, now.plusSeconds(1))) {
                    HttpAnswer anew = HttpMapping.standard().answer(denial, when);
                    assertThat(mapping.answer(denial, when)).isEqualTo(anew);
                    assertThat(mapping.answer(denial, when)).isEqualTo(anew);
                }
            }
        }
    }

    @Test
    void tellsTheSameAgainWithoutMakingItAnew() {
        HttpMapping mapping = HttpMapping.standard();
        try (LimitedService service = new LimitedService(limit(5, Duration.ofMinutes(1)))) {
            service.ask(4);
            Instant now = service.now();

            HttpAnswer first = mapping.answer(service.ask(2), now);

            assertThat(mapping.answer(service.ask(2), now)).isSameAs(first);
            assertThat(mapping.answer(service.ask(3), now)).isNotEqualTo(first);
            assertThat(mapping.answer(service.ask(2), now)).isEqualTo(first).isNotSameAs(first);
        }
    }

    @Test
    void nobodyCanChangeWhatIsTold() {
        try (LimitedService service = new LimitedService(limit(5, Duration.ofMinutes(1)))) {
            Map<String, String> fields =
                    STANDARD.answer(service.ask(1), service.now()).fields();

            assertThatThrownBy(() -> fields.put("RateLimit", "none")).isInstanceOf(UnsupportedOperationException.class);
            assertThatThrownBy(() -> fields.remove("RateLimit")).isInstanceOf(UnsupportedOperationException.class);
        }
    }

    @Test
    void denialNamesThePolicyWithTheLongestWait() {
        Limit limit = Limit.named("per-client", FailurePolicy.DENY)
                .bandwidth(new Bandwidth("burst", 2, 2, Duration.ofSeconds(1)))
                .bandwidth(new Bandwidth("hourly", 2, 2, Duration.ofHours(1)))
                .build();
        try (LimitedService service = new LimitedService(limit)) {
            service.ask(2);

            HttpAnswer.Denied denied = denied(STANDARD.answer(service.ask(1), service.now()));

            assertThat(json(denied.body())).containsEntry("violated-policies", List.of("hourly"));
            assertThat(denied.fields()).containsEntry("Retry-After", "1800");
        }
    }

    /** A client must not be told to retry what can never succeed. */
    @Test
    void moreThanTheCapacityIsDeniedWithoutAnyWait() {
        try (LimitedService service = new LimitedService(limit(3, Duration.ofSeconds(2)))) {
            HttpAnswer.Denied denied = denied(STANDARD.answer(service.ask(4), service.now()));

            assertThat(denied.status()).isEqualTo(429);
            assertThat(denied.fields())
                    .doesNotContainKey("Retry-After")
                    .containsEntry("RateLimit", "\"per-client\";r=3;t=0");
            assertThat(json(denied.body()))
                    .containsExactly(
                            entry("type", QUOTA_EXCEEDED),
                            entry("title", "Request cannot be satisfied as assigned quota has been exceeded"),
                            entry("status", 429L),
                            entry("violated-policies", List.of("per-client")));
            assertThat(STANDARD.answer(service.ask(3), service.now())).isInstanceOf(HttpAnswer.Granted.class);
        }
    }

    @Test
    void moreThanOneOfSeveralCapacitiesNamesThatOne() {
        Limit limit = Limit.named("per-client", FailurePolicy.DENY)
                .bandwidth(new Bandwidth("daily", 100, 100, Duration.ofDays(1)))
                .bandwidth(new Bandwidth("burst", 3, 3, Duration.ofSeconds(2)))
                .build();
        try (LimitedService service = new LimitedService(limit)) {
            HttpAnswer.Denied denied = denied(STANDARD.answer(service.ask(4), service.now()));

            assertThat(denied.fields()).doesNotContainKey("Retry-After");
            assertThat(json(denied.body())).containsEntry("violated-policies", List.of("burst"));
        }
    }

    @Test
    void whatWasImpossibleIsGrantedAfterTheCapacityWasRaised() {
        try (LimitedService service = new LimitedService(limit(3, Duration.ofSeconds(2)))) {
            service.ask(4);
            service.weir()
                    .change(Limit.named("per-client", FailurePolicy.DENY)
                            .bandwidth(Bandwidth.of(5, 5, Duration.ofSeconds(2)))
                            .version(2)
                            .build());

            assertThat(STANDARD.answer(service.ask(4), service.now()).fields())
                    .containsEntry("RateLimit", "\"per-client\";r=1;t=1");
        }
    }

    @Test
    void impossibleHasTheStatusThatWasChosenAndOtherDenialsKeepTheirs() {
        try (LimitedService service = new LimitedService(limit(3, Duration.ofSeconds(2)))) {
            Decision impossible = service.ask(4);
            service.ask(3);
            Decision denial = service.ask(1);
            for (int status : new int[] {400, 413, 429}) {
                HttpMapping mapping = STANDARD.impossibleStatus(status);
                HttpAnswer.Denied denied = denied(mapping.answer(impossible, service.now()));

                assertThat(denied.status()).isEqualTo(status);
                assertThat(denied.fields()).doesNotContainKey("Retry-After");
                assertThat(json(denied.body())).containsEntry("status", (long) status);
                assertThat(denied(mapping.answer(denial, service.now())).status())
                        .isEqualTo(429);
            }
        }
    }

    @Test
    void otherStatusesForTheImpossibleAreRefused() {
        for (int status : new int[] {0, 200, 404, 503}) {
            assertThatThrownBy(() -> STANDARD.impossibleStatus(status))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessage("impossibleStatus must be 429, 400 or 413 but is " + status);
        }
    }

    /** An outage is neither a 429, nor a wait or a balance that nobody knows. */
    @Test
    void storeAwayIsUnavailableWhereTheLimitFailsClosed() {
        for (HttpAnswer answer : duringAnOutage(FailurePolicy.DENY)) {
            HttpAnswer.Denied denied = denied(answer);
            assertThat(denied.status()).isEqualTo(503);
            assertThat(denied.fields()).containsExactly(entry("Content-Type", "application/problem+json"));
            assertThat(json(denied.body()))
                    .containsExactly(
                            entry("type", REDUCED_CAPACITY),
                            entry("title", "Request cannot be satisfied due to temporary server capacity constraints"),
                            entry("status", 503L));
        }
    }

    @Test
    void storeAwayIsGrantedWithoutAMeterWhereTheLimitFailsOpen() {
        assertThat(duringAnOutage(FailurePolicy.GRANT)).containsOnly(new HttpAnswer.Granted(Map.of()));
    }

    @Test
    void shareIsEnforcedWithoutAMeterAndWithoutAWait() {
        List<HttpAnswer> answers = duringAnOutage(FailurePolicy.LOCAL_SHARE);

        assertThat(answers.subList(0, 3)).containsOnly(new HttpAnswer.Granted(Map.of()));
        for (HttpAnswer answer : answers.subList(3, answers.size())) {
            HttpAnswer.Denied denied = denied(answer);
            assertThat(denied.status()).isEqualTo(429);
            assertThat(denied.fields()).containsExactly(entry("Content-Type", "application/problem+json"));
            assertThat(json(denied.body()))
                    .containsExactly(
                            entry("type", QUOTA_EXCEEDED),
                            entry("title", "Request cannot be satisfied as assigned quota has been exceeded"),
                            entry("status", 429L),
                            entry("violated-policies", List.of("per-client")));
        }
    }

    @Test
    void shareOfSeveralBandwidthsNamesNone() {
        Limit limit = Limit.named("per-client", FailurePolicy.LOCAL_SHARE)
                .bandwidth(new Bandwidth("burst", 5, 5, Duration.ofDays(1)))
                .bandwidth(new Bandwidth("daily", 1, 1, Duration.ofDays(1)))
                .build();
        try (Weir weir = Weir.over(ScriptedStore.away()).limit(limit).build()) {
            Limiter limiter = weir.limiter("per-client");
            limiter.tryAcquire("client");

            HttpAnswer.Denied denied = denied(STANDARD.answer(limiter.tryAcquire("client"), LimitedService.BEGIN));

            assertThat(json(denied.body())).containsOnlyKeys("type", "title", "status");
        }
    }

    @Test
    void limitThatIsSwitchedOffHasNoMeter() {
        try (LimitedService service = new LimitedService(limit(3, Duration.ofSeconds(2)))) {
            service.weir().limiter("per-client").switchOff();

            assertThat(STANDARD.answer(service.ask(1), service.now())).isEqualTo(new HttpAnswer.Granted(Map.of()));
        }
    }

    @Test
    void nothingOfTheKeyIsAnswered() {
        String key = "alice@example.com\r\nSet-Cookie: \"a\"";
        try (LimitedService service = new LimitedService(limit(1, Duration.ofSeconds(2)))) {
            Limiter limiter = service.weir().limiter("per-client");
            limiter.tryAcquire(key);

            assertThat(STANDARD.answer(limiter.tryAcquire(key), service.now()).toString())
                    .doesNotContain("alice", "Set-Cookie", "\r", "\n");
        }
    }

    @Test
    void denialWithTheStatusOfASuccessIsRefused() {
        assertThatThrownBy(() -> new HttpAnswer.Denied(200, Map.of(), "{}"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("status of a denial must be 400 to 599 but is 200");
    }

    private static Limit limit(long capacity, Duration period) {
        return Limit.named("per-client", FailurePolicy.DENY)
                .bandwidth(Bandwidth.of(capacity, capacity, period))
                .build();
    }

    /** The answers to a thousand requests under a limit of 3 a day while the store is away. */
    private static List<HttpAnswer> duringAnOutage(FailurePolicy policy) {
        Limit limit = Limit.named("per-client", policy)
                .bandwidth(Bandwidth.of(3, 3, Duration.ofDays(1)))
                .build();
        List<HttpAnswer> answers = new ArrayList<>();
        try (Weir weir = Weir.over(ScriptedStore.away()).limit(limit).build()) {
            for (int i = 0; i < 1_000; i++) {
                answers.add(STANDARD.answer(weir.limiter("per-client").tryAcquire("client"), LimitedService.BEGIN));
            }
        }
        return answers;
    }

    private static HttpAnswer.Denied denied(HttpAnswer answer) {
        assertThat(answer).isInstanceOf(HttpAnswer.Denied.class);
        return (HttpAnswer.Denied) answer;
    }

    /** The members of a JSON object of strings, integers and arrays of strings, in their order. */
    private static Map<String, Object> json(String text) {
        Map<String, Object> members = new LinkedHashMap<>();
        try (JsonParser parser = new JsonFactory().createParser(text)) {
            assertThat(parser.nextToken()).isEqualTo(JsonToken.START_OBJECT);
            for (String name = parser.nextFieldName(); name != null; name = parser.nextFieldName()) {
                Object value = switch (parser.nextToken()) {
                    case VALUE_STRING -> parser.getText();
                    case VALUE_NUMBER_INT -> parser.getLongValue();
                    case START_ARRAY -> strings(parser);
                    default -> throw new AssertionError("unexpected " + parser.currentToken() + " in " + text);
                };
                members.put(name, value);
            }
            assertThat(parser.nextToken()).as("anything after the object").isNull();
        } catch (IOException e) {
            throw new AssertionError("not JSON: " + text, e);
        }
        return members;
    }

    private static List<String> strings(JsonParser parser) throws IOException {
        List<String> strings = new ArrayList<>();
        while (parser.nextToken() != JsonToken.END_ARRAY) {
            strings.add(parser.getText());
        }
        return strings;
    }

    @Test
    void aBlockedKeyIsAbnormalUsageWithTheEndOfTheBlock() {
        Limit limit = Limit.named("per-client", FailurePolicy.DENY)
                .bandwidth(Bandwidth.of(10, 1, Duration.ofDays(1)))
                .build();
        try (Weir weir = Weir.over(LocalStore.create()).limit(limit).build()) {
            weir.administration("ann").block("per-client", "bob", Duration.ofMinutes(10), "");

            HttpAnswer answer =
                    HttpMapping.standard().answer(weir.limiter("per-client").tryAcquire("bob", 11), Instant.now());

            HttpAnswer.Denied denied = (HttpAnswer.Denied) answer;
            assertThat(denied.status()).isEqualTo(429);
            assertThat(denied.fields()).containsOnlyKeys("Content-Type", "Retry-After");
            assertThat(Long.parseLong(denied.fields().get("Retry-After"))).isBetween(590L, 600L);
            assertThat(denied.body())
                    .contains("https://iana.org/assignments/http-problem-types#abnormal-usage-detected")
                    .contains("\"status\":429")
                    .contains("\"retry_after\":" + denied.fields().get("Retry-After"))
                    .doesNotContain("violated-policies");
        }
    }

    /** Else a client that slept as long as it was told would be denied again. */
    @Test
    void tellsNoWaitWhereThatOfOneDenialIsUnknown() {
        Limit here = Limit.named("here", FailurePolicy.DENY)
                .bandwidth(Bandwidth.of(1, 1, Duration.ofSeconds(1)))
                .build();
        try (Weir present =
                        Weir.over(LocalStore.create(() -> 0, 100)).limit(here).build();
                Weir away = Weir.over(ScriptedStore.away())
                        .limit(limit(3, Duration.ofDays(1)))
                        .build()) {
            present.limiter("here").tryAcquire("client");
            Decision known = present.limiter("here").tryAcquire("client");
            Decision impossible = present.limiter("here").tryAcquire("client", 2);
            Decision unknown = away.limiter("per-client").tryAcquire("client");

            for (List<Decision> each : List.of(List.of(known, unknown), List.of(unknown, known))) {
                HttpAnswer.Denied denied = denied(STANDARD.answer(each, LimitedService.BEGIN));
                assertThat(denied.status()).isEqualTo(503);
                assertThat(denied.fields()).doesNotContainKey("Retry-After");
            }
            HttpAnswer.Denied never =
                    denied(STANDARD.answer(List.of(unknown, impossible, known), LimitedService.BEGIN));
            assertThat(never.status()).isEqualTo(429);
            assertThat(never.fields()).doesNotContainKey("Retry-After");
        }
    }
}
