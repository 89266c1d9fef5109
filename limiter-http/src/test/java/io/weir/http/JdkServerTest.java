package io.weir.http;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpPrincipal;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** The example of the documentation, over a real connection. */
class JdkServerTest {

    private static final HttpClient CLIENT = HttpClient.newHttpClient();

    @Test
    void answersAreWhatTheClientReceives() throws IOException, InterruptedException {
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        try (Limits limits = Limits.of(Limits.perMinute("per-client", 1))) {
            HttpLimits http = limits.http(Route.limitedBy("per-client", "/**", ClientAddress.ofConnection()))
                    .build();
            server.createContext("/", exchange -> limited(exchange, http));
            server.start();

            HttpResponse<String> granted = ask(server, "GET");
            HttpResponse<String> denied = ask(server, "GET");

            assertThat(granted.statusCode()).isEqualTo(200);
            assertThat(granted.body()).isEqualTo("handled");
            assertThat(granted.headers().allValues("RateLimit")).containsExactly("\"per-client\";r=0;t=60");
            assertThat(denied.statusCode()).isEqualTo(429);
            assertThat(denied.body())
                    .startsWith("{")
                    .contains("\"retry_after\":60")
                    .endsWith("}");
            assertThat(denied.headers().allValues("Content-Type")).containsExactly("application/problem+json");
            assertThat(denied.headers().allValues("Retry-After")).containsExactly("60");
            assertThat(denied.headers().allValues("X-RateLimit-Reset")).containsExactly("1800000060");

            HttpResponse<String> head = ask(server, "HEAD");
            assertThat(head.statusCode()).isEqualTo(429);
            assertThat(head.body()).isEmpty();
            assertThat(head.headers().allValues("Retry-After")).containsExactly("60");
            assertThat(ask(server, "GET").body()).isEqualTo(denied.body());
        } finally {
            server.stop(0);
        }
    }

    private static void limited(HttpExchange exchange, HttpLimits limits) throws IOException {
        try (exchange) {
            HttpAnswer answer = limits.answer(new Asked(exchange, new HashMap<>()), Position.BEFORE_AUTHENTICATION);
            answer.fields().forEach(exchange.getResponseHeaders()::set);
            if (answer instanceof HttpAnswer.Denied denied
                    && exchange.getRequestMethod().equals("HEAD")) {
                exchange.sendResponseHeaders(denied.status(), -1);
            } else if (answer instanceof HttpAnswer.Denied denied) {
                send(exchange, denied.status(), denied.body());
            } else {
                send(exchange, 200, "handled");
            }
        }
    }

    private record Asked(HttpExchange exchange, Map<String, Object> kept) implements IncomingRequest {

        @Override
        public String method() {
            return exchange.getRequestMethod();
        }

        @Override
        public String path() {
            return exchange.getRequestURI().getRawPath();
        }

        @Override
        public List<String> field(String name) {
            return exchange.getRequestHeaders().getOrDefault(name, List.of());
        }

        @Override
        public String peer() {
            return exchange.getRemoteAddress().getAddress().getHostAddress();
        }

        @Override
        public Optional<String> principal() {
            return Optional.ofNullable(exchange.getPrincipal()).map(HttpPrincipal::getName);
        }

        @Override
        public @Nullable Object kept(String name) {
            return kept.get(name);
        }

        @Override
        public void keep(String name, Object value) {
            kept.put(name, value);
        }
    }

    private static void send(HttpExchange exchange, int status, String text) throws IOException {
        byte[] body = text.getBytes(StandardCharsets.UTF_8);
        exchange.sendResponseHeaders(status, body.length);
        exchange.getResponseBody().write(body);
    }

    /** Whatever the server leaves unread or unfinished meets the next request on the same connection. */
    private static HttpResponse<String> ask(HttpServer server, String method) throws IOException, InterruptedException {
        URI uri = URI.create("http://" + server.getAddress().getAddress().getHostAddress() + ":"
                + server.getAddress().getPort() + "/");
        HttpRequest request = HttpRequest.newBuilder(uri)
                .timeout(Duration.ofSeconds(30))
                .method(method, HttpRequest.BodyPublishers.noBody())
                .build();
        return CLIENT.send(request, HttpResponse.BodyHandlers.ofString());
    }
}
