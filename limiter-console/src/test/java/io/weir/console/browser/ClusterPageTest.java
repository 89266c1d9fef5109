package io.weir.console.browser;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import com.hazelcast.cluster.MembershipAdapter;
import com.hazelcast.cluster.MembershipEvent;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.extension.ExtendWith;
import org.openqa.selenium.json.Json;

/** The page of a node of three, while clients ask all of them; one node does not outlive the tests. */
@ExtendWith(Browsing.class)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class ClusterPageTest {

    /** A table as it is shown, and the look that it is of, in one go. */
    private static final String SHOWN = "const text = (row, part) => row.querySelector(part).textContent;"
            + "return [document.getElementById('tick').textContent,"
            + "[...document.querySelectorAll('#rows .row')].map(row => ['.name', '.granted', '.denied', '.value', '.word']"
            + ".map(part => text(row, part)))]";

    private static Nodes nodes;
    private static PageServer server;

    private final HttpClient http = HttpClient.newHttpClient();

    @BeforeAll
    static void start() {
        nodes = Nodes.start(3);
        server = PageServer.of(nodes.get(0).console);
    }

    @AfterAll
    static void stop() {
        server.close();
        nodes.close();
    }

    @Test
    @Order(1)
    void showsTheNumbersOfTheInterfaceUnderLoad(Chromium page) throws Exception {
        page.open(server.url());
        page.awaitText("#sentence", "All limits are enforced as written on 3 of 3 nodes.");
        page.await("denials", () -> !page.text("#rows .denied.some").isEmpty());

        Map<Long, Map<?, ?>> told = new HashMap<>();
        Map<Long, List<?>> shown = new HashMap<>();
        page.await("four looks", () -> {
            Map<?, ?> data = data();
            told.put((Long) data.get("tick"), data);
            List<?> look = (List<?>) page.js(SHOWN);
            shown.put(Long.parseLong(String.valueOf(look.get(0))), (List<?>) look.get(1));
            return told.keySet().stream().filter(shown::containsKey).count() >= 4;
        });

        List<Long> before = nodes.asked();
        told.keySet().retainAll(shown.keySet());
        told.forEach((tick, data) -> assertSame(list(object(data, "limits"), "list"), shown.get(tick)));
        Map<?, ?> total = object(named("per-client", list(object(data(), "limits"), "list")), "total");
        assertThat(number(total, "granted") + number(total, "denied"))
                .as("what all nodes were asked")
                .isGreaterThan(Collections.max(before))
                .isLessThanOrEqualTo((double)
                        nodes.asked().stream().mapToLong(Long::longValue).sum());
        assertThat(page.complaints()).isEmpty();
        assertThat(page.requested()).allSatisfy(each -> assertThat(each).startsWith(server.url()));
    }

    @Test
    @Order(2)
    void opensALimitWithItsBusiestKeysAndShadow(Chromium page) {
        page.open(server.url() + "#limit=search");

        page.awaitText("#facts", "203.0.113.9");
        page.awaitText("#facts", "search-next, shadow");
        page.await("a line", () -> !page.text("#legend-granted").equals("–"));
        assertThat(page.text("#detail-state"))
                .contains("token bucket, 20 a second", "Every grant by its bucket itself.");
        assertThat(page.complaints()).isEmpty();
    }

    @Test
    @Order(3)
    void showsWithinTwoSecondsThatAMemberIsGone(Chromium page) throws Exception {
        page.open(server.url());
        page.awaitText("#sentence", "3 of 3 nodes");
        String address = Nodes.addressOf(nodes.get(2));
        CompletableFuture<Long> known = new CompletableFuture<>();
        nodes.get(0).member.getCluster().addMembershipListener(new MembershipAdapter() {
            @Override
            public void memberRemoved(MembershipEvent event) {
                known.complete(System.nanoTime());
            }
        });

        nodes.get(2).die();
        long knownNanos = known.get(30, TimeUnit.SECONDS);
        page.awaitText("#sentence", address);

        assertThat(Duration.ofNanos(System.nanoTime() - knownNanos)).isLessThan(Duration.ofSeconds(2));
        page.await(
                "who left", () -> page.text("#members").matches("(?s).*" + Pattern.quote(address) + "\\s+left\\s.*"));
        page.awaitText("#sentence", "2 of 2 nodes");
        assertThat(page.text("#sentence")).startsWith("Member " + address + " left");
        assertThat(page.complaints()).isEmpty();
    }

    private static void assertSame(List<?> told, List<?> shown) {
        assertThat(shown).hasSameSizeAs(told);
        for (Object row : shown) {
            List<?> cells = (List<?>) row;
            Map<?, ?> limit = named(String.valueOf(cells.get(0)), told);
            assertSame(object(limit, "rate").get("granted"), String.valueOf(cells.get(1)), 0.05);
            assertSame(object(limit, "rate").get("denied"), String.valueOf(cells.get(2)), 0.05);
            Object headroom = limit.get("headroom");
            assertSame(
                    headroom == null ? null : ((Number) headroom).doubleValue() * 100,
                    String.valueOf(cells.get(3)).replace(" %", ""),
                    0.5);
            assertThat(cells.get(4)).isEqualTo(limit.get("state").equals("EXACT") ? "as written" : "degraded");
        }
    }

    private static void assertSame(Object told, String shown, double rounded) {
        if (told == null) {
            assertThat(shown).isEqualTo("–");
        } else {
            double number = ((Number) told).doubleValue();
            double least = shown.startsWith("<") ? 0.05 : Double.parseDouble(shown.replace(",", ""));
            assertThat(least).isCloseTo(number, within(number < 999.95 ? rounded + 1e-9 : 0.5));
        }
    }

    private Map<?, ?> data() {
        try {
            HttpRequest request = HttpRequest.newBuilder(URI.create(server.url() + "data?limits=50&filter="))
                    .build();
            return new Json().toType(http.send(request, BodyHandlers.ofString()).body(), Map.class);
        } catch (IOException e) {
            throw new AssertionError(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError(e);
        }
    }

    private static Map<?, ?> named(String name, List<?> limits) {
        return limits.stream()
                .map(each -> (Map<?, ?>) each)
                .filter(each -> name.equals(each.get("name")))
                .findFirst()
                .orElseThrow(() -> new AssertionError("the interface tells of no limit \"" + name + "\""));
    }

    private static Map<?, ?> object(Map<?, ?> in, String field) {
        return (Map<?, ?>) in.get(field);
    }

    private static List<?> list(Map<?, ?> in, String field) {
        return (List<?>) in.get(field);
    }

    private static double number(Map<?, ?> in, String field) {
        return ((Number) in.get(field)).doubleValue();
    }
}
