package io.weir.http;

import static io.weir.http.Position.BEFORE_AUTHENTICATION;
import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.weir.FailurePolicy;
import io.weir.Limit;
import io.weir.MicrometerMeters;
import io.weir.algorithm.Bandwidth;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What clients write changes nothing but their own count. */
@ParameterizedClass
@EnumSource
class ContainerKeysTest {

    private static final KeyResolver CLIENT = KeyResolver.field("X-Client");

    private static final Limit TEN = Limit.named("ten", FailurePolicy.GRANT)
            .bandwidth(Bandwidth.of(10, 10, Duration.ofMinutes(1)))
            .build();

    private final Container container;

    private final SimpleMeterRegistry meters = new SimpleMeterRegistry();
    private final Limits limits = Limits.of(weir -> weir.limit(TEN).meters(MicrometerMeters.in(meters)), 1_000);

    ContainerKeysTest(Container container) {
        this.container = container;
    }

    @AfterEach
    void close() {
        limits.close();
    }

    private Container.Running start(KeyResolver key) throws Exception {
        HttpLimits http = limits.http(Route.limitedBy("ten", "/**", key)).build();
        return container.start(Application.of(context -> {
            Application.filter(context, "weir", new RateLimitFilter(http, BEFORE_AUTHENTICATION));
            Application.serve(context, "/", (request, response) -> {});
        }));
    }

    private static List<Integer> statuses(Container.Running server, int requests, String... fields) throws IOException {
        List<Integer> statuses = new ArrayList<>();
        for (int i = 0; i < requests; i++) {
            String[] numbered = Arrays.stream(fields).map(new Numbering(i)::in).toArray(String[]::new);
            statuses.add(RawConnection.status(RawConnection.answer(server, "GET /", numbered)));
        }
        return statuses;
    }

    private record Numbering(int number) {
        String in(String field) {
            return field.replace("#", Integer.toString(number));
        }
    }

    private static void assertTenAreGranted(List<Integer> statuses) {
        assertThat(statuses.subList(0, 10)).containsOnly(200);
        assertThat(statuses.subList(10, statuses.size())).containsOnly(429);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "X-Forwarded-For: 198.51.100.#",
                "X-Real-IP: 198.51.100.#",
                "Forwarded: for=198.51.100.#",
                "X-Client-IP: 198.51.100.#",
                "True-Client-IP: 198.51.100.#",
                "X-Forwarded-For: 127.0.0.1, 198.51.100.#"
            })
    void aClientWithoutAProxyCannotSayWhoItIs(String field) throws Exception {
        try (Container.Running server = start(ClientAddress.ofConnection())) {
            assertTenAreGranted(statuses(server, 14, field));
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "X-Forwarded-For: 198.51.100.#, 203.0.113.50",
                "X-Forwarded-For: 198.51.100.#, 203.0.113.50, 127.0.0.1",
                "X-Forwarded-For: 198.51.100.#\r\nX-Forwarded-For: 203.0.113.50:4711",
                "X-Forwarded-For: \"198.51.100.#, 203.0.113.50",
                "X-Forwarded-For: 198.51.100.#, [::ffff:203.0.113.50]:4711",
            })
    void aClientOfAProxyIsWhoTheProxySaysItIs(String field) throws Exception {
        try (Container.Running server = start(ClientAddress.ofConnection().behind("127.0.0.0/8"))) {
            assertTenAreGranted(statuses(server, 14, field));
            assertThat(limits.left("ten", "203.0.113.50")).isZero();
        }
    }

    @Test
    void whatIsNoAddressCountsForTheProxy() throws Exception {
        try (Container.Running server = start(ClientAddress.ofConnection().behind("127.0.0.1"))) {
            statuses(server, 3, "X-Forwarded-For: 198.51.100.#, garbage");
            statuses(server, 3, "X-Forwarded-For: " + "198.51.100.7, ".repeat(900) + "garbage#");

            assertThat(limits.left("ten", "127.0.0.1")).isEqualTo(4);
        }
    }

    @Test
    void longKeysCountApartAndAreNotKept() throws Exception {
        String same = "k".repeat(8_000);
        try (Container.Running server = start(CLIENT)) {
            statuses(server, 3, "X-Client: " + same + "a");
            statuses(server, 2, "X-Client: " + same + "b");

            assertThat(limits.left("ten", same + "a")).isEqualTo(7);
            assertThat(limits.left("ten", same + "b")).isEqualTo(8);
        }
    }

    /** Either the container refuses them, or they are keys like others: nothing fails, and nothing comes back. */
    @Test
    void oddCharactersHarmNobody() throws Exception {
        List<String> odd = List.of(
                "a\0b",
                "a\1b",
                "a\u007fb",
                "a\tb",
                "a\rb",
                "a\nX-Injected: 1",
                "\r\n folded",
                "\u00e9\u00ff",
                "%0d%0aX-Injected:1",
                "{}()/\\@:",
                "");
        try (Container.Running server = start(CLIENT)) {
            for (String value : odd) {
                for (String[] request : new String[][] {
                    {"GET /", "X-Client: " + value},
                    {"GET /" + value, "X-Client: ann"},
                    {"GET /?" + value, "X-Client: ann"},
                    {"GE" + value + "T /", "X-Client: ann"},
                    {"GET /", "X-Client: ann", "Origin: " + value},
                    {"GET /", "X-Client: ann", "X-Cl" + value + "ient: bob"},
                }) {
                    String answer =
                            RawConnection.answer(server, request[0], Arrays.copyOfRange(request, 1, request.length));
                    assertThat(RawConnection.status(answer)).as(answer).isNotEqualTo(500);
                    assertThat(answer.substring(0, Math.max(0, answer.indexOf("\r\n\r\n")))
                                    .toLowerCase(Locale.ROOT))
                            .doesNotContain("\nx-injected");
                }
            }
            assertThat(statuses(server, 1, "X-Client: someone else")).containsExactly(200);
        }
    }

    @Test
    void nothingOfARequestComesBackInADenial() throws Exception {
        try (Container.Running server = start(CLIENT)) {
            limits.drain("ten", "echo");

            String denied = RawConnection.answer(
                    server,
                    "GET /echo;echo?echo=echo",
                    "X-Client: echo",
                    "Origin: https://echo.example",
                    "Accept: echo");

            assertThat(denied).startsWith("HTTP/1.1 429 ").doesNotContainIgnoringCase("echo");
        }
    }

    /** This store keeps 1,000 keys, and with no time passing it can drop none: whoever comes later is granted without a meter. */
    @Test
    void aFloodOfKeysPathsAndMethodsLeavesNothingBehind() throws Exception {
        try (Container.Running server = start(CLIENT)) {
            limits.drain("ten", "drained");
            List<String> few = flood(server, 0, 900);
            int metersOfFew = meters.getMeters().size();
            List<String> many = flood(server, 900, 10_000);

            assertThat(few).hasSize(900).allMatch(fields -> fields.contains("RateLimit:"));
            assertThat(many).hasSize(9_100);
            assertThat(many.stream().filter(fields -> fields.contains("RateLimit:")))
                    .as("keys that found room")
                    .hasSize(99);
            assertThat(statuses(server, 1, "X-Client: drained")).containsExactly(429);
            assertThat(meters.getMeters())
                    .hasSizeLessThan(metersOfFew + 8)
                    .allSatisfy(meter -> assertThat(meter.getId().toString()).doesNotContainIgnoringCase("flood"));
        }
    }

    /** Each request with a key, a path and a method of its own, one behind the other without waiting for answers. */
    private static List<String> flood(Container.Running server, int from, int to) throws Exception {
        try (RawConnection connection = new RawConnection(server)) {
            Thread sender = new Thread(() -> {
                try {
                    for (int i = from; i < to; i++) {
                        connection.send("FLOOD" + (char) ('A' + i / 26 % 26) + (char) ('A' + i % 26) + " /flood" + i
                                + " HTTP/1.1\r\nHost: localhost\r\nX-Client: flood" + i
                                + (i == to - 1 ? "\r\nConnection: close\r\n\r\n" : "\r\n\r\n"));
                    }
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            });
            sender.start();
            String answers = new String(connection.received().readAllBytes(), StandardCharsets.ISO_8859_1);
            sender.join();
            return Pattern.compile("HTTP/1\\.1 200.*?\r\n\r\n", Pattern.DOTALL)
                    .matcher(answers)
                    .results()
                    .map(MatchResult::group)
                    .toList();
        }
    }
}
