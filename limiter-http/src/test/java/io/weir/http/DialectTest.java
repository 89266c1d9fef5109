package io.weir.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.entry;

import io.weir.FailurePolicy;
import io.weir.Limit;
import io.weir.Weir;
import io.weir.algorithm.Algorithm;
import io.weir.algorithm.Bandwidth;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class DialectTest {

    private static final String NAME_CHARACTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-";

    private static final Limit FIVE_A_MINUTE = Limit.named("per-client", FailurePolicy.DENY)
            .bandwidth(Bandwidth.of(5, 5, Duration.ofMinutes(1)))
            .build();

    private static final Limit BURST_AND_DAILY = Limit.named("per-client", FailurePolicy.DENY)
            .bandwidth(new Bandwidth("burst", 100, 100, Duration.ofMinutes(1)))
            .bandwidth(new Bandwidth("daily", 1000, 1000, Duration.ofDays(1)))
            .build();

    @Test
    void ietf11CallsTheOnlyBandwidthByTheNameOfItsLimit() {
        assertThat(fieldsAfter(2, FIVE_A_MINUTE, Dialect.IETF_11))
                .containsExactly(
                        entry("RateLimit-Policy", "\"per-client\";q=5;w=60"),
                        entry("RateLimit", "\"per-client\";r=3;t=12"));
    }

    @Test
    void ietf11KeepsTheNameThatABandwidthWasGiven() {
        Limit named = Limit.named("per-client", FailurePolicy.DENY)
                .bandwidth(Bandwidth.of(5, 5, Duration.ofMinutes(1)).named("burst"))
                .build();

        assertThat(fieldsAfter(2, named, Dialect.IETF_11))
                .containsExactly(
                        entry("RateLimit-Policy", "\"burst\";q=5;w=60"), entry("RateLimit", "\"burst\";r=3;t=12"));
    }

    @Test
    void ietf11ListsEveryBandwidthAndMetersTheScarcest() {
        assertThat(fieldsAfter(100, BURST_AND_DAILY, Dialect.IETF_11))
                .containsExactly(
                        entry("RateLimit-Policy", "\"burst\";q=100;w=60, \"daily\";q=1000;w=86400"),
                        entry("RateLimit", "\"burst\";r=0;t=1"));
    }

    /** 2 of 5 a minute are taken, as a window begins. */
    @ParameterizedTest
    @CsvSource({
        "TOKEN_BUCKET, 3, 12",
        "LEAKY_BUCKET, 0, 24", // all or nothing, once two have drained
        "FIXED_WINDOW, 3, 60", // at its end
        "SLIDING_LOG, 3, 60",
        "SLIDING_WINDOW, 3, 90" // when half of the next window has passed, one of the two counts no more
    })
    void showsWhatIsLeftByAnyAlgorithm(Algorithm.Kind kind, int left, int next) {
        Limit limit = Limit.named("per-client", FailurePolicy.DENY)
                .algorithm(kind)
                .bandwidth(Bandwidth.perWindow(5, Duration.ofMinutes(1)))
                .build();

        assertThat(fieldsAfter(2, limit, Dialect.IETF_11))
                .containsExactly(
                        entry("RateLimit-Policy", "\"per-client\";q=5;w=60"),
                        entry("RateLimit", "\"per-client\";r=" + left + ";t=" + next));
    }

    @Test
    void ietfTrioResetsInSeconds() {
        assertThat(fieldsAfter(2, FIVE_A_MINUTE, Dialect.IETF_TRIO))
                .containsExactly(
                        entry("RateLimit-Limit", "5"),
                        entry("RateLimit-Remaining", "3"),
                        entry("RateLimit-Reset", "12"));
    }

    @Test
    void xEpochResetsAtASecondOfTheEpoch() {
        assertThat(fieldsAfter(2, FIVE_A_MINUTE, Dialect.X_EPOCH))
                .containsExactly(
                        entry("X-RateLimit-Limit", "5"),
                        entry("X-RateLimit-Remaining", "3"),
                        entry("X-RateLimit-Reset", "1800000012"));
    }

    @Test
    void xDeltaResetsInSeconds() {
        assertThat(fieldsAfter(2, FIVE_A_MINUTE, Dialect.X_DELTA))
                .containsExactly(
                        entry("X-RateLimit-Limit", "5"),
                        entry("X-RateLimit-Remaining", "3"),
                        entry("X-RateLimit-Reset", "12"));
    }

    @Test
    void severalAreSentTogether() {
        assertThat(fieldsAfter(2, FIVE_A_MINUTE, Dialect.X_DELTA, Dialect.IETF_TRIO, Dialect.IETF_11))
                .containsOnlyKeys(
                        "RateLimit-Policy",
                        "RateLimit",
                        "RateLimit-Limit",
                        "RateLimit-Remaining",
                        "RateLimit-Reset",
                        "X-RateLimit-Limit",
                        "X-RateLimit-Remaining",
                        "X-RateLimit-Reset");
    }

    @Test
    void ietf11AndXEpochAreTheStandard() {
        try (LimitedService service = new LimitedService(FIVE_A_MINUTE)) {
            assertThat(HttpMapping.standard().answer(service.ask(2), service.now()))
                    .isEqualTo(HttpMapping.standard()
                            .dialects(Dialect.X_EPOCH, Dialect.IETF_11)
                            .answer(service.peek(), service.now()));
        }
    }

    @Test
    void noneSendsNoMeter() {
        assertThat(fieldsAfter(2, FIVE_A_MINUTE)).isEmpty();
    }

    @Test
    void twoThatWriteTheSameFieldsAreRefused() {
        HttpMapping mapping = HttpMapping.standard();
        assertThatThrownBy(() -> mapping.dialects(Dialect.X_DELTA, Dialect.IETF_11, Dialect.X_EPOCH))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("X_EPOCH and X_DELTA both write X-RateLimit-Reset, choose one of them, but dialects are"
                        + " [IETF_11, X_EPOCH, X_DELTA]");
    }

    /** Neither the window, nor milliseconds, nor absent when it is zero. */
    @Test
    void resetIsTheTimeToTheNextPermit() {
        HttpMapping mapping = HttpMapping.standard();
        try (LimitedService service = new LimitedService(FIVE_A_MINUTE)) {
            assertThat(resets(mapping.answer(service.peek(), service.now())))
                    .as("full")
                    .containsExactly("\"per-client\";r=5;t=0", "1800000000");
            assertThat(resets(mapping.answer(service.ask(1), service.now())))
                    .as("after one call")
                    .containsExactly("\"per-client\";r=4;t=12", "1800000012");
            assertThat(resets(mapping.answer(service.ask(4), service.now())))
                    .as("drained")
                    .containsExactly("\"per-client\";r=0;t=12", "1800000012");
            assertThat(resets(mapping.answer(service.ask(5), service.now())))
                    .as("denied")
                    .containsExactly("\"per-client\";r=0;t=12", "1800000012");
        }
    }

    @Test
    void resetAtAFractionOfASecondIsRoundedUpOnceAndNotEarly() {
        try (LimitedService service = new LimitedService(FIVE_A_MINUTE)) {
            service.ask(1);
            service.pass(Duration.ofMillis(500)); // 11.5 s to go
            Instant now = service.now().plusMillis(200); // 1800000000.7 on the wall: the permit is there at ..12.2

            assertThat(resets(HttpMapping.standard().answer(service.peek(), now)))
                    .containsExactly("\"per-client\";r=4;t=12", "1800000013");
        }
    }

    @Test
    void windowsAreWholeSecondsAndAtLeastOne() {
        Limit limit = Limit.named("fast", FailurePolicy.DENY)
                .bandwidth(new Bandwidth("instant", 1, 1_000_000_000, Duration.ofSeconds(1)))
                .bandwidth(new Bandwidth("odd", 3, 2, Duration.ofSeconds(1)))
                .build();

        assertThat(fieldsAfter(1, limit, Dialect.IETF_11))
                .containsEntry("RateLimit-Policy", "\"instant\";q=1;w=1, \"odd\";q=3;w=2");
    }

    @Test
    void integersStayBelowTenToTheFifteenth() {
        Limit vast = Limit.named("vast", FailurePolicy.DENY)
                .bandwidth(new Bandwidth("default", Bandwidth.MAX_PERMITS, 1, Duration.ofDays(365)))
                .build();

        assertThat(fieldsAfter(1, vast, Dialect.IETF_11, Dialect.X_DELTA))
                .containsExactly(
                        entry("RateLimit-Policy", "\"vast\";q=999999999999999;w=9223372037"),
                        entry("RateLimit", "\"vast\";r=999999999999999;t=31536000"),
                        entry("X-RateLimit-Limit", "999999999999999"),
                        entry("X-RateLimit-Remaining", "999999999999999"),
                        entry("X-RateLimit-Reset", "31536000"));
    }

    @Test
    void ietf11IsStructuredWhateverTheNames() {
        String first = NAME_CHARACTERS.substring(0, 40);
        String second = NAME_CHARACTERS.substring(40);
        Limit limit = Limit.named("any", FailurePolicy.DENY)
                .bandwidth(new Bandwidth(first, 7, 1, Duration.ofSeconds(2)))
                .bandwidth(new Bandwidth(second, Bandwidth.MAX_PERMITS, 1, Duration.ofNanos(1)))
                .build();

        Map<String, String> fields = fieldsAfter(3, limit, Dialect.IETF_11);

        assertThat(PolicyItem.parse(fields.getOrDefault("RateLimit-Policy", "")))
                .containsExactly(
                        new PolicyItem(first, Map.of("q", 7L, "w", 14L)),
                        new PolicyItem(second, Map.of("q", 999_999_999_999_999L, "w", 4_611_686_019L)));
        assertThat(PolicyItem.parse(fields.getOrDefault("RateLimit", "")))
                .containsExactly(new PolicyItem(first, Map.of("r", 4L, "t", 2L)));
    }

    /** The reason why nothing is escaped. */
    @Test
    void noNameHasACharacterThatWouldNeedEscaping() {
        for (char c = 0; c < 0x180; c++) {
            if (NAME_CHARACTERS.indexOf(c) < 0) {
                String name = "a" + c;
                assertThatThrownBy(() -> Limit.named(name, FailurePolicy.DENY))
                        .isInstanceOf(IllegalArgumentException.class);
                assertThatThrownBy(() -> new Bandwidth(name, 1, 1, Duration.ofSeconds(1)))
                        .isInstanceOf(IllegalArgumentException.class);
            }
        }
    }

    @Test
    void newerNumbersOfAnotherNodeReplaceThePoliciesThatAreNoLongerInForce() {
        Limit newer = Limit.named("per-client", FailurePolicy.DENY)
                .bandwidth(new Bandwidth("burst", 50, 50, Duration.ofMinutes(1)))
                .bandwidth(new Bandwidth("daily", 1000, 1000, Duration.ofDays(1)))
                .version(2)
                .build();
        try (LimitedService behind = new LimitedService(BURST_AND_DAILY);
                Weir ahead = Weir.over(behind.store()).limit(newer).build()) {
            ahead.limiter("per-client").tryAcquire("client", 10);

            assertThat(HttpMapping.standard()
                            .dialects(Dialect.IETF_11)
                            .answer(behind.ask(1), behind.now())
                            .fields())
                    .containsExactly(
                            entry("RateLimit-Policy", "\"burst\";q=50;w=60, \"daily\";q=1000;w=86400"),
                            entry("RateLimit", "\"burst\";r=39;t=2"));
        }
    }

    private static Map<String, String> fieldsAfter(long permits, Limit limit, Dialect... dialects) {
        try (LimitedService service = new LimitedService(limit)) {
            return HttpMapping.standard()
                    .dialects(dialects)
                    .answer(service.ask(permits), service.now())
                    .fields();
        }
    }

    private static List<String> resets(HttpAnswer answer) {
        return List.of(
                answer.fields().getOrDefault("RateLimit", "absent"),
                answer.fields().getOrDefault("X-RateLimit-Reset", "absent"));
    }
}
