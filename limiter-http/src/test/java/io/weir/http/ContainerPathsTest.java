package io.weir.http;

import static io.weir.http.Position.BEFORE_AUTHENTICATION;
import static org.assertj.core.api.Assertions.assertThat;

import io.weir.guard.NodeConcurrencyGuard;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** However a path is written: where a container takes it is what was charged. */
@ParameterizedClass
@EnumSource
class ContainerPathsTest {

    private static final int TRICKS = Integer.getInteger("weir.tricks", 500);

    private final Container container;

    private final AtomicReference<String> reached = new AtomicReference<>("nothing");
    private final Limits limits =
            Limits.of(Limits.perMinute("dear", 1_000_000_000), Limits.perMinute("cheap", 1_000_000_000));

    ContainerPathsTest(Container container) {
        this.container = container;
    }

    @AfterEach
    void close() {
        limits.close();
    }

    private Container.Running start(String context, boolean lenient) throws Exception {
        HttpLimits http = limits.http(
                        Route.free("/health"),
                        Route.free("/static/**"),
                        Route.limitedBy("dear", "/api/dear/**", KeyResolver.fixed("all")),
                        Route.limitedBy("cheap", "/**", KeyResolver.fixed("all")))
                .build();
        return container.start(Application.of(servlets -> {
                    Application.filter(servlets, "weir", new RateLimitFilter(http, BEFORE_AUTHENTICATION));
                    Application.serve(servlets, "/api/dear/*", (request, response) -> reached.set("dear"));
                    for (String name : List.of("cheap", "static")) {
                        Application.serve(servlets, "/" + name + "/*", (request, response) -> reached.set(name));
                    }
                    Application.serve(servlets, "/health", (request, response) -> reached.set("health"));
                    Application.serve(servlets, "/", (request, response) -> reached.set("the rest"));
                })
                .within(context)
                .leniently(lenient));
    }

    @ParameterizedTest
    @CsvSource({"'', false", "'', true", "/shop, false", "/shop, true"})
    void noWayOfWritingAPathReachesADearServletUncharged(String context, boolean lenient) throws Exception {
        long seed = Long.getLong("weir.seed", System.nanoTime());
        System.out.println("ContainerPathsTest: replay with -Dweir.seed=" + seed);
        PathTricks tricks = new PathTricks(seed);
        int dear = 0;
        int disguised = 0;
        try (Container.Running server = start(context, lenient)) {
            for (int i = 0; i < TRICKS; i++) {
                String path = tricks.disguisedContext(context) + tricks.next();
                long dearLeft = limits.left("dear", "all");
                reached.set("nothing");

                String answer = RawConnection.answer(server, "GET " + (i % 10 == 0 ? "http://localhost" : "") + path);

                assertThat(RawConnection.status(answer)).as(path).isNotEqualTo(500);
                if ("dear".equals(reached.get())) {
                    dear++;
                    disguised += path.startsWith(context + "/api/dear") ? 0 : 1;
                    assertThat(dearLeft - limits.left("dear", "all"))
                            .as("charged as dear for %s", path)
                            .isEqualTo(1);
                }
            }
        }
        assertThat(dear).as("tricks that get there").isGreaterThan(TRICKS / 25);
        assertThat(disguised).as("tricks that are some").isGreaterThan(TRICKS / 100);
    }

    @ParameterizedTest
    @CsvSource({"'', false", "'', true", "/shop, true"})
    void noWayOfWritingAPathReachesAGuardedServletUncounted(String context, boolean lenient) throws Exception {
        long seed = Long.getLong("weir.seed", System.nanoTime());
        System.out.println("ContainerPathsTest: replay with -Dweir.seed=" + seed);
        PathTricks tricks = new PathTricks(seed);
        NodeConcurrencyGuard guard = NodeConcurrencyGuard.named("dear", 5).build();
        HttpGuards guards = HttpGuards.create().guard(guard, "/api/dear/**").build();
        List<Integer> counted = Collections.synchronizedList(new ArrayList<>());
        try (Container.Running server = container.start(Application.of(servlets -> {
                    Application.filter(servlets, "weir", new GuardFilter(guards, BEFORE_AUTHENTICATION));
                    Application.serve(servlets, "/api/dear/*", (request, response) -> counted.add(guard.inFlight()));
                    Application.serve(servlets, "/", (request, response) -> {});
                })
                .within(context)
                .leniently(lenient))) {
            for (int i = 0; i < TRICKS; i++) {
                String path = tricks.disguisedContext(context) + tricks.next();
                RawConnection.answer(server, "GET " + path);
                assertThat(counted).as("of %s", path).allMatch(calls -> calls > 0);
            }
        }
        assertThat(counted).as("tricks that get there").hasSizeGreaterThan(TRICKS / 25);
    }

    @ParameterizedTest
    @ValueSource(strings = {"/static/../api/dear/x", "/api//../dear/x", "/x%2fy/../dear"})
    void refusesWhatReadsInMoreThanOneWay(String path) throws Exception {
        try (Container.Running server = start("", true)) {
            String answer = RawConnection.answer(server, "GET " + path);

            assertThat(answer).startsWith("HTTP/1.1 400 ").contains("can be read in more than one way");
            assertThat(reached).hasValue("nothing");
        }
    }

    /** Requests that are for no path of an application. */
    @ParameterizedTest
    @CsvSource({
        "OPTIONS *",
        "CONNECT localhost:80",
        "GET *",
        "GET dear",
        "GET localhost:80",
        "GET //",
        "GET http://localhost"
    })
    void survivesRequestsWithoutAPath(String requestLine) throws Exception {
        try (Container.Running server = start("", true);
                RawConnection connection = new RawConnection(server)) {
            connection.send(requestLine + " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");

            String line = new String(connection.received().readNBytes(12), StandardCharsets.US_ASCII);
            assertThat(line).startsWith("HTTP/1.1 ").isNotEqualTo("HTTP/1.1 500");
        }
    }
}
