package io.weir.http;

import static io.weir.http.Position.BEFORE_AUTHENTICATION;
import static org.assertj.core.api.Assertions.assertThat;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.net.http.HttpResponse;
import java.util.Arrays;
import java.util.List;
import java.util.function.BiConsumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** Scripts of other origins are limited as everybody is, and can read by what. */
@ParameterizedClass
@EnumSource
class ContainerCorsTest {

    private static final String SHOP = "https://shop.example";

    private final Container container;

    private final Limits limits = Limits.of(Limits.perMinute("forty", 40));

    ContainerCorsTest(Container container) {
        this.container = container;
    }

    @AfterEach
    void close() {
        limits.close();
    }

    private Application application(BiConsumer<HttpServletRequest, HttpServletResponse> beforeDenial) {
        HttpLimits http = limits.http(Route.limitedBy("forty", "/**", ClientAddress.ofConnection()))
                .build();
        return Application.of(context -> {
            Application.filter(context, "weir", new RateLimitFilter(http, BEFORE_AUTHENTICATION, beforeDenial));
            Application.serve(context, "/", (request, response) -> {
                if (request.getMethod().equals("OPTIONS")) {
                    response.setHeader("Access-Control-Allow-Methods", "GET");
                }
                response.setHeader("Access-Control-Allow-Origin", SHOP);
            });
        });
    }

    private static HttpResponse<String> preflight(Client client) throws Exception {
        return client.send("OPTIONS", "/", "Origin", SHOP, "Access-Control-Request-Method", "GET");
    }

    private void assertFortyAreGrantedAndTheNextCanBeRead(Application application) throws Exception {
        try (Container.Running server = container.start(application)) {
            Client client = new Client(server);
            for (int i = 0; i < 40; i++) {
                assertThat(preflight(client).statusCode()).isEqualTo(200);
                assertThat(client.get("/", "Origin", SHOP).statusCode()).isEqualTo(200);
            }
            assertThat(preflight(client).headers().allValues("Access-Control-Allow-Origin"))
                    .containsExactly(SHOP);

            HttpResponse<String> denied = client.get("/", "Origin", SHOP);

            assertThat(denied.statusCode()).isEqualTo(429);
            assertThat(denied.headers().allValues("Access-Control-Allow-Origin"))
                    .containsExactly(SHOP);
            assertThat(exposed(denied))
                    .contains("Retry-After", "RateLimit", "RateLimit-Policy", "X-RateLimit-Remaining")
                    .doesNotContain("Content-Type");
        }
    }

    private static List<String> exposed(HttpResponse<?> response) {
        return response.headers().allValues("Access-Control-Expose-Headers").stream()
                .flatMap(line -> Arrays.stream(line.split(",\\s*")))
                .toList();
    }

    @Test
    void behindTheContainersOwnCors() throws Exception {
        assertFortyAreGrantedAndTheNextCanBeRead(
                application((request, response) -> {}).allowing(SHOP));
    }

    @Test
    void beforeWhateverDoesCors() throws Exception {
        assertFortyAreGrantedAndTheNextCanBeRead(
                application((request, response) -> response.setHeader("Access-Control-Allow-Origin", SHOP)));
    }

    @Test
    void chargesWhatIsNoPreflight() throws Exception {
        try (Container.Running server = container.start(application((request, response) -> {}))) {
            Client client = new Client(server);

            client.send("OPTIONS", "/");
            client.send("OPTIONS", "/", "Origin", SHOP);
            client.send("OPTIONS", "/", "Access-Control-Request-Method", "GET");
            client.get("/", "Origin", SHOP, "Access-Control-Request-Method", "GET");

            assertThat(limits.left("forty", "127.0.0.1")).isEqualTo(36);
        }
    }
}
