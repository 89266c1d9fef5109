package io.weir.examples.servlet;

import static org.assertj.core.api.Assertions.assertThat;

import com.hazelcast.config.Config;
import com.hazelcast.config.JoinConfig;
import com.hazelcast.core.Hazelcast;
import com.hazelcast.core.HazelcastInstance;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class LimitedServerTest {

    private final HttpClient http = HttpClient.newHttpClient();

    @Test
    void deniesWhoAsksTooMuchAndAnswersProbes() throws Exception {
        HazelcastInstance hazelcast = Hazelcast.newHazelcastInstance(alone());
        try (LimitedServer server = LimitedServer.start(hazelcast, 0)) {
            HttpResponse<String> granted = askUntil(server, 200, "RateLimit-Policy");
            assertThat(granted.headers().firstValue("RateLimit-Policy")).contains("\"per-client\";q=20;w=2");

            HttpResponse<String> denied = askUntil(server, 429, "Retry-After");
            assertThat(denied.headers().firstValue("Retry-After")).contains("1");
            assertThat(denied.body()).contains("\"violated-policies\":[\"per-client\"]");
            assertThat(get(server, "/health").statusCode()).isEqualTo(200);
            assertThat(get(server, "/health").headers().firstValue("RateLimit")).isEmpty();
        } finally {
            hazelcast.shutdown();
        }
    }

    /** Until the cluster answers so: on a busy machine this node's share may answer first, which knows less. */
    private HttpResponse<String> askUntil(LimitedServer server, int status, String field)
            throws IOException, InterruptedException {
        for (int i = 0; i < 1_000; i++) {
            HttpResponse<String> response = get(server, "/api/reports/1");
            if (response.statusCode() == status
                    && response.headers().firstValue(field).isPresent()) {
                return response;
            }
        }
        throw new AssertionError("no answer " + status + " with " + field + " among 1000");
    }

    private static Config alone() {
        Config config = LimitedServer.configured(new Config())
                .setClusterName("weir-example-" + ProcessHandle.current().pid())
                .setProperty("hazelcast.wait.seconds.before.join", "0")
                .setProperty("hazelcast.phone.home.enabled", "false")
                .setProperty("hazelcast.logging.type", "none");
        config.getJetConfig().setEnabled(false);
        config.getNetworkConfig().setPort(0).getInterfaces().setEnabled(true).addInterface("127.0.0.1");
        JoinConfig join = config.getNetworkConfig().getJoin();
        join.getAutoDetectionConfig().setEnabled(false);
        join.getMulticastConfig().setEnabled(false);
        return config;
    }

    private HttpResponse<String> get(LimitedServer server, String path) throws IOException, InterruptedException {
        HttpRequest request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + server.port() + path))
                .timeout(Duration.ofSeconds(30))
                .build();
        return http.send(request, HttpResponse.BodyHandlers.ofString());
    }
}
