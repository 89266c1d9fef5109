package io.weir.demo;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import io.weir.FailurePolicy;
import io.weir.Limit;
import io.weir.Weir;
import io.weir.algorithm.Bandwidth;
import io.weir.console.Console;
import io.weir.console.ConsoleMeters;
import io.weir.store.LocalStore;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class HelloServerTest {

    private final HttpClient http = HttpClient.newHttpClient();
    private final ConsoleMeters meters = ConsoleMeters.create();
    private final Weir weir = Weir.over(LocalStore.create())
            .limit(Limit.named("hello", FailurePolicy.DENY)
                    .bandwidth(Bandwidth.of(2, 1, Duration.ofHours(1)))
                    .build())
            .meters(meters)
            .build();
    private final Console console = Console.of(weir, meters).build();
    private HttpServer server;

    @BeforeEach
    void start() throws IOException {
        server = HelloServer.start(0, weir.limiter("hello"), console);
    }

    @AfterEach
    void stop() {
        server.stop(0);
        console.close();
        weir.close();
    }

    @Test
    void saysHelloWithTheMeter() throws Exception {
        HttpResponse<String> response = get("/hello", "me");

        assertThat(response.statusCode()).isEqualTo(200);
        assertThat(response.body()).isEqualTo("hello\n");
        assertThat(response.headers().firstValue("X-RateLimit-Remaining")).hasValue("1");
    }

    @Test
    void deniesWithAProblemAndWhenToComeBack() throws Exception {
        get("/hello", "me");
        get("/hello", "me");
        HttpResponse<String> response = get("/hello", "me");

        assertThat(response.statusCode()).isEqualTo(429);
        assertThat(response.headers().firstValue("Content-Type")).hasValue("application/problem+json");
        assertThat(response.headers().firstValueAsLong("Retry-After").orElse(0)).isBetween(3_500L, 3_600L);
        assertThat(response.body()).contains("\"status\":429");
        assertThat(get("/hello", "you").statusCode()).isEqualTo(200);
    }

    @Test
    void countsRequestsWithoutAKeyAsOneKey() throws Exception {
        assertThat(get("/hello").statusCode()).isEqualTo(200);
        assertThat(get("/hello", "anonymous").statusCode()).isEqualTo(200);
        assertThat(get("/hello").statusCode()).isEqualTo(429);
    }

    @Test
    void showsTheConsole() throws Exception {
        HttpResponse<String> page = get("/weir/");
        HttpResponse<String> data = get("/weir/data");

        assertThat(page.statusCode()).isEqualTo(200);
        assertThat(page.headers().firstValue("Content-Security-Policy")).isPresent();
        assertThat(page.body()).contains("app.js");
        assertThat(data.body()).contains("\"hello\"");
        assertThat(get("/weirdo").statusCode()).isEqualTo(404);
    }

    @Test
    void answersHead() throws Exception {
        HttpResponse<String> response = http.send(
                request("/hello")
                        .method("HEAD", HttpRequest.BodyPublishers.noBody())
                        .build(),
                BodyHandlers.ofString());

        assertThat(response.statusCode()).isEqualTo(200);
        assertThat(response.body()).isEmpty();
    }

    @Test
    void explainsItself() throws Exception {
        int port = server.getAddress().getPort();

        assertThat(get("/").body())
                .contains("curl -i -H 'X-API-Key: me' http://127.0.0.1:" + port + "/hello")
                .contains("The limit: 2 permits at once, and 1 more each second.");
        assertThat(get("/hello/you").statusCode()).isEqualTo(404);
    }

    private HttpResponse<String> get(String path) throws IOException, InterruptedException {
        return http.send(request(path).build(), BodyHandlers.ofString());
    }

    private HttpResponse<String> get(String path, String key) throws IOException, InterruptedException {
        return http.send(request(path).header("X-API-Key", key).build(), BodyHandlers.ofString());
    }

    private HttpRequest.Builder request(String path) {
        return HttpRequest.newBuilder(
                URI.create("http://127.0.0.1:" + server.getAddress().getPort() + path));
    }
}
