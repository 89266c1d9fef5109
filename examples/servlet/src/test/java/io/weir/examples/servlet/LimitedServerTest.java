package io.weir.examples.servlet;

import static org.assertj.core.api.Assertions.assertThat;

import com.hazelcast.config.Config;
import com.hazelcast.config.JoinConfig;
import com.hazelcast.core.Hazelcast;
import com.hazelcast.core.HazelcastInstance;
import java.io.IOException;
import java.net.InetSocketAddress;
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
        try (LimitedServer server = LimitedServer.start(hazelcast, new InetSocketAddress("127.0.0.1", 0))) {
            HttpResponse<String> first = get(server, "/api/reports/1");
            assertThat(first.statusCode()).isEqualTo(200);
            assertThat(first.headers().firstValue("RateLimit-Policy")).contains("\"per-client\";q=20;w=2");

            HttpResponse<String> last = first;
            for (int i = 0; i < 1_000 && last.statusCode() == 200; i++) {
                last = get(server, "/api/reports/1");
            }

            assertThat(last.statusCode()).isEqualTo(429);
            assertThat(last.headers().firstValue("Retry-After")).contains("1");
            assertThat(last.body()).contains("\"violated-policies\":[\"per-client\"]");
            assertThat(get(server, "/health").statusCode()).isEqualTo(200);
            assertThat(get(server, "/health").headers().firstValue("RateLimit")).isEmpty();
        } finally {
            hazelcast.shutdown();
        }
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
