package io.weir.examples.shop;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;

/** Three instances of the shop, each in a JVM of its own: what is in the YAML is the limit of all of them together. */
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class ThreeInstancesTest {

    private static final Duration PATIENCE = Duration.ofSeconds(90);

    /** JVMs that have just started are slow, and what shares and policies answer then is no part of the limit. */
    private static final String PATIENT = "--weir.limits.per-client.deadline=10s";

    private static final String ALSO = "--weir.limits.pages.deadline=10s";

    private static final int CAPACITY = 100;
    private static final int REFILL = 50;

    private static final HttpClient HTTP =
            HttpClient.newBuilder().connectTimeout(Duration.ofSeconds(5)).build();

    private static final List<ShopProcess> INSTANCES = new ArrayList<>();

    @BeforeAll
    static void start() throws Exception {
        Path hazelcast = hazelcast();
        for (int i = 1; i <= 3; i++) {
            INSTANCES.add(ShopProcess.start(
                    "shop-" + i, List.of("--spring.hazelcast.config=file:" + hazelcast, PATIENT, ALSO)));
        }
        for (ShopProcess each : INSTANCES) {
            each.awaitOutput("Started ShopApplication", PATIENCE);
            each.awaitOutput("Members {size:3", PATIENCE);
        }
    }

    @AfterAll
    static void end() {
        INSTANCES.forEach(ShopProcess::close);
    }

    /** A cluster of its own, whoever else runs one on this machine. */
    private static Path hazelcast() throws IOException {
        String yaml = """
                hazelcast:
                  cluster-name: shop-%d
                  properties:
                    hazelcast.phone.home.enabled: false
                    hazelcast.wait.seconds.before.join: 0
                  network:
                    port:
                      port: %d
                      port-count: 3
                    interfaces:
                      enabled: true
                      interfaces: [127.0.0.1]
                    join:
                      auto-detection:
                        enabled: false
                      tcp-ip:
                        enabled: true
                        member-list: ['127.0.0.1:%d', '127.0.0.1:%d', '127.0.0.1:%d']
                """;
        int first = ShopProcess.freePorts(3);
        Path file = Path.of("target", "hazelcast-three.yaml").toAbsolutePath();
        return Files.writeString(
                file, yaml.formatted(ProcessHandle.current().pid(), first, first, first + 1, first + 2));
    }

    /** What two clients of each instance are granted and denied together, who ask all the time. */
    private static Asked askAllOf(List<ShopProcess> instances, Duration time) throws Exception {
        ExecutorService threads = Executors.newCachedThreadPool();
        try {
            long begin = System.nanoTime();
            List<Future<int[]>> clients = new ArrayList<>();
            for (ShopProcess instance : instances) {
                for (int i = 0; i < 2; i++) {
                    clients.add(threads.submit(() -> ask(instance, begin + time.toNanos())));
                }
            }
            int granted = 0;
            int denied = 0;
            for (Future<int[]> each : clients) {
                granted += each.get()[0];
                denied += each.get()[1];
            }
            return new Asked(granted, denied, (System.nanoTime() - begin) / 1e9);
        } finally {
            threads.shutdownNow();
        }
    }

    private static int[] ask(ShopProcess instance, long endNanos) throws Exception {
        int granted = 0;
        int denied = 0;
        while (System.nanoTime() < endNanos) {
            HttpResponse<String> answer = send(HttpRequest.newBuilder(instance.uri("/api/products")));
            switch (answer.statusCode()) {
                case 200 -> granted++;
                case 429 -> denied++;
                default -> throw new AssertionError(answer + " " + answer.body());
            }
        }
        return new int[] {granted, denied};
    }

    private record Asked(int granted, int denied, double seconds) {

        void assertWithinTheLimit(int atOnce) {
            assertThat(denied)
                    .as("denied, else the limit was not reached: %s", this)
                    .isGreaterThan(0);
            assertThat(granted)
                    .as("granted: %s", this)
                    .isLessThanOrEqualTo((int) Math.ceil(CAPACITY + REFILL * seconds))
                    .isGreaterThan((int) (0.9 * (atOnce + REFILL * seconds)));
        }
    }

    private static HttpResponse<String> send(HttpRequest.Builder request) throws Exception {
        return HTTP.send(request.timeout(Duration.ofSeconds(20)).build(), HttpResponse.BodyHandlers.ofString());
    }

    private static HttpResponse<String> report(ShopProcess instance, String customer, int pages) throws Exception {
        return send(HttpRequest.newBuilder(instance.uri("/api/reports/" + pages))
                .header("X-Customer", customer)
                .POST(HttpRequest.BodyPublishers.noBody()));
    }

    @Test
    @Order(1)
    void chargeAnAnnotatedMethodTogether() throws Exception {
        assertThat(report(INSTANCES.get(0), "ann", 15).body()).isEqualTo("15 pages for ann");
        HttpResponse<String> denied = report(INSTANCES.get(1), "ann", 10);
        assertThat(denied.statusCode()).isEqualTo(429);
        assertThat(denied.headers().firstValueAsLong("Retry-After").orElseThrow())
                .isPositive();
        assertThat(denied.headers().firstValue("Content-Type")).hasValue("application/problem+json");
        assertThat(report(INSTANCES.get(2), "ann", 5).statusCode()).isEqualTo(200);
        assertThat(report(INSTANCES.get(2), "bob", 20).statusCode()).isEqualTo(200);
    }

    @Test
    @Order(2)
    void grantTogetherWhatTheYamlSays() throws Exception {
        Asked asked = askAllOf(INSTANCES, Duration.ofSeconds(4));

        System.out.println("Three instances: " + asked);
        asked.assertWithinTheLimit(CAPACITY / 2); // the test before has asked
    }

    @Test
    @Order(3)
    void goOnTogetherWhenOneIsKilled() throws Exception {
        INSTANCES.get(0).kill();
        INSTANCES.get(1).awaitOutput("Members {size:2", PATIENCE);

        Asked asked = askAllOf(INSTANCES.subList(1, 3), Duration.ofSeconds(4));

        System.out.println("Two of three instances: " + asked);
        asked.assertWithinTheLimit(0);
    }
}
