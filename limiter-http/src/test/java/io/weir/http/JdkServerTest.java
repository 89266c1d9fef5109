package io.weir.http;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.weir.FailurePolicy;
import io.weir.Limit;
import io.weir.algorithm.Bandwidth;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** The example of the package's documentation, over a real connection. */
class JdkServerTest {

    private static final Limit ONE_A_MINUTE = Limit.named("per-client", FailurePolicy.DENY)
            .bandwidth(Bandwidth.of(1, 1, Duration.ofMinutes(1)))
            .build();

    @Test
    void answersAreWhatTheClientReceives() throws IOException, InterruptedException {
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        try (LimitedService service = new LimitedService(ONE_A_MINUTE)) {
            server.createContext("/", exchange -> limited(exchange, service));
            server.start();

            HttpResponse<String> granted = get(server);
            HttpResponse<String> denied = get(server);

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
        } finally {
            server.stop(0);
        }
    }

    private static void limited(HttpExchange exchange, LimitedService service) throws IOException {
        try (exchange) {
            HttpAnswer answer = HttpMapping.standard().answer(service.ask(1), service.now());
            answer.fields().forEach(exchange.getResponseHeaders()::set);
            if (answer instanceof HttpAnswer.Denied denied) {
                send(exchange, denied.status(), denied.body());
            } else {
                send(exchange, 200, "handled");
            }
        }
    }

    private static void send(HttpExchange exchange, int status, String text) throws IOException {
        byte[] body = text.getBytes(StandardCharsets.UTF_8);
        exchange.sendResponseHeaders(status, body.length);
        exchange.getResponseBody().write(body);
    }

    private static HttpResponse<String> get(HttpServer server) throws IOException, InterruptedException {
        URI uri = URI.create("http://" + server.getAddress().getAddress().getHostAddress() + ":"
                + server.getAddress().getPort() + "/");
        return HttpClient.newHttpClient()
                .send(HttpRequest.newBuilder(uri).build(), HttpResponse.BodyHandlers.ofString());
    }
}
