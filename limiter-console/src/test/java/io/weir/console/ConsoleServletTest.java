package io.weir.console;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.Weir;
import io.weir.store.LocalStore;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.apache.catalina.Context;
import org.apache.catalina.LifecycleException;
import org.apache.catalina.connector.Connector;
import org.apache.catalina.startup.Tomcat;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The servlet in Tomcat, below a context path, with rounds that run by themselves. */
@Timeout(60)
class ConsoleServletTest {

    private static final HttpClient CLIENT = HttpClient.newHttpClient();

    private static final Tomcat TOMCAT = new Tomcat();
    private static final ConsoleMeters METERS = ConsoleMeters.create();
    private static final Weir WEIR = Weir.over(LocalStore.create())
            .limit(TestNode.limit("one"))
            .meters(METERS)
            .build();
    private static final Console CONSOLE = Console.of(WEIR, METERS).node("n1").build();
    private static int port;

    @BeforeAll
    static void start() throws LifecycleException {
        Connector connector = new Connector();
        connector.setPort(0);
        connector.setProperty("address", "127.0.0.1");
        TOMCAT.setBaseDir(Path.of("target", "tomcat").toAbsolutePath().toString());
        TOMCAT.setConnector(connector);
        Context context = TOMCAT.addContext("/shop", null);
        Logger.getLogger(context.getLogName()).setLevel(Level.OFF); // on its own, since Tomcat has switched it on
        context.addServletContainerInitializer(
                (classes, servlets) -> servlets.addServlet("console", new ConsoleServlet(CONSOLE))
                        .addMapping("/weir/*"),
                Set.of());
        TOMCAT.start();
        port = connector.getLocalPort();
    }

    @AfterAll
    static void stop() throws LifecycleException {
        TOMCAT.stop();
        TOMCAT.destroy();
        CONSOLE.close();
        WEIR.close();
    }

    @Test
    void servesThePageAndItsFiles() throws IOException, InterruptedException {
        Map<String, String> types = Map.of(
                "/weir/", "text/html",
                "/weir/app.js", "text/javascript",
                "/weir/app.css", "text/css",
                "/weir/uplot.js", "text/javascript",
                "/weir/uplot.css", "text/css");
        for (Map.Entry<String, String> each : types.entrySet()) {
            HttpResponse<String> response = send("GET", each.getKey());
            assertThat(response.statusCode()).as(each.getKey()).isEqualTo(200);
            assertThat(response.headers().firstValue("Content-Type").orElse(""))
                    .startsWith(each.getValue())
                    .containsIgnoringCase("charset=utf-8");
            assertThat(response.body()).isNotEmpty();
        }
        assertThat(send("GET", "/weir/uplot.js").body()).contains("uPlot");
    }

    @Test
    void everyAnswerForbidsWhatThePageDoesNotNeed() throws IOException, InterruptedException {
        for (String each : List.of("/weir/", "/weir/app.js", "/weir/data", "/weir/nothing")) {
            HttpResponse<String> response = send("GET", each);
            assertThat(response.headers().firstValue("Content-Security-Policy"))
                    .as(each)
                    .hasValue("default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self';"
                            + " img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'");
            assertThat(response.headers().firstValue("X-Content-Type-Options")).hasValue("nosniff");
            assertThat(response.headers().firstValue("Referrer-Policy")).hasValue("no-referrer");
        }
        assertThat(send("GET", "/weir/data").headers().firstValue("Cache-Control"))
                .hasValue("no-store");
    }

    @Test
    void givesDataAndCountsOn() throws IOException, InterruptedException {
        WEIR.limiter("one").tryAcquire("ann");
        HttpResponse<String> response = send("GET", "/weir/data?limits=50&filter=");
        assertThat(response.headers().firstValue("Content-Type").orElse("")).startsWith("application/json");
        JsonTree data = JsonTree.of(response.body().getBytes(StandardCharsets.UTF_8));
        assertThat(data.at("node").text()).isEqualTo("n1");
        assertThat(data.at("limits.list.0.name").text()).isEqualTo("one");
    }

    @Test
    void dataMovesOnByItself() throws IOException, InterruptedException {
        double first = tick();
        long giveUpNanos = System.nanoTime() + Duration.ofSeconds(30).toNanos();
        while (tick() < first + 2) {
            assertThat(System.nanoTime() - giveUpNanos).isNegative();
        }
    }

    private static double tick() throws IOException, InterruptedException {
        return JsonTree.of(send("GET", "/weir/data").body().getBytes(StandardCharsets.UTF_8))
                .at("tick")
                .number();
    }

    @Test
    void answersHeadWithoutABody() throws IOException, InterruptedException {
        for (String each : List.of("/weir/", "/weir/data")) {
            HttpResponse<String> response = send("HEAD", each);
            assertThat(response.statusCode()).isEqualTo(200);
            assertThat(response.body()).isEmpty();
            assertThat(response.headers().firstValueAsLong("Content-Length").orElse(0))
                    .isPositive();
        }
    }

    @Test
    void sendsWhoForgotTheSlashOneFurther() throws IOException, InterruptedException {
        HttpResponse<String> response = send("GET", "/weir");
        assertThat(response.statusCode()).isEqualTo(308);
        URI asked = URI.create("http://127.0.0.1:" + port + "/shop/weir");
        assertThat(asked.resolve(response.headers().firstValue("Location").orElseThrow()))
                .hasPath("/shop/weir/");
    }

    @Test
    void hasNothingElse() throws IOException, InterruptedException {
        for (String each : List.of(
                "/weir/nothing",
                "/weir/app.js/",
                "/weir/index.html",
                "/weir/../weir/x",
                "/weir/%2e%2e/%2e%2e/etc/passwd")) {
            assertThat(send("GET", each).statusCode()).as(each).isIn(404, 400);
        }
    }

    @Test
    void refusesToBeWrittenTo() throws IOException, InterruptedException {
        for (String each : List.of("POST", "PUT", "DELETE", "OPTIONS", "PATCH")) {
            HttpResponse<String> response = send(each, "/weir/data");
            assertThat(response.statusCode()).as(each).isEqualTo(405);
            assertThat(response.headers().firstValue("Allow")).hasValue("GET, HEAD");
        }
    }

    private static HttpResponse<String> send(String method, String path) throws IOException, InterruptedException {
        return CLIENT.send(
                HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/shop" + path))
                        .method(method, HttpRequest.BodyPublishers.noBody())
                        .build(),
                HttpResponse.BodyHandlers.ofString());
    }
}
