package io.weir.http;

import static io.weir.http.Position.BEFORE_AUTHENTICATION;
import static org.assertj.core.api.Assertions.assertThat;

import com.hazelcast.config.Config;
import com.hazelcast.core.Hazelcast;
import com.hazelcast.core.HazelcastInstance;
import io.weir.FailurePolicy;
import io.weir.Limit;
import io.weir.Weir;
import io.weir.algorithm.Bandwidth;
import io.weir.hazelcast.HazelcastStore;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What clients are told is true, also of buckets in a cluster and on its clock. */
class ThousandClientsTest {

    private static final int CLIENTS = 1_000;
    private static final int GRANTS_OF_EACH = 4;

    private static final Limit TWO_IN_THREE_SECONDS = Limit.named("per-client", FailurePolicy.DENY)
            .bandwidth(Bandwidth.of(2, 2, Duration.ofSeconds(3)))
            .deadline(Duration.ofSeconds(5)) // this is about waits, not about a machine that is too busy
            .build();

    private static final HazelcastInstance MEMBER = Hazelcast.newHazelcastInstance(alone());

    @AfterAll
    static void stop() {
        MEMBER.getLifecycleService().terminate();
    }

    /** Each alone on its key, and all at once. */
    @ParameterizedTest
    @EnumSource
    void areAllGrantedOnceTheyHaveWaitedAsTold(Container container) throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(16);
        try (Weir weir = Weir.over(HazelcastStore.join(MEMBER, "thousand"))
                        .limit(TWO_IN_THREE_SECONDS)
                        .build();
                Container.Running server = start(container, weir)) {
            List<PatientClient> clients = new ArrayList<>();
            for (int i = 0; i < CLIENTS; i++) {
                PatientClient client = new PatientClient(container + "-" + i, new Client(server), threads);
                clients.add(client);
                threads.execute(client);
            }
            int denied = 0;
            for (PatientClient client : clients) {
                denied += client.done.get(60, TimeUnit.SECONDS).denied;
            }

            assertThat(denied).as("denials, without which this shows nothing").isGreaterThan(CLIENTS / 4);
        } finally {
            threads.shutdownNow();
        }
    }

    private static Config alone() {
        Config config = HazelcastStore.configure(new Config(), "thousand")
                .setClusterName("weir-http-" + ProcessHandle.current().pid())
                .setProperty("hazelcast.wait.seconds.before.join", "0")
                .setProperty("hazelcast.phone.home.enabled", "false")
                .setProperty("hazelcast.logging.type", "none")
                .setProperty("hazelcast.partition.count", "31");
        config.getJetConfig().setEnabled(false);
        config.getNetworkConfig().setPort(0).getInterfaces().setEnabled(true).addInterface("127.0.0.1");
        config.getNetworkConfig().getJoin().getAutoDetectionConfig().setEnabled(false);
        config.getNetworkConfig().getJoin().getMulticastConfig().setEnabled(false);
        return config;
    }

    private static Container.Running start(Container container, Weir weir) throws Exception {
        HttpLimits http = HttpLimits.over(weir)
                .route(Route.limitedBy("per-client", "/**", KeyResolver.field("X-Client")))
                .build();
        return container.start(Application.of(context -> {
            Application.filter(context, "weir", new RateLimitFilter(http, BEFORE_AUTHENTICATION));
            Application.serve(context, "/", (request, response) -> {});
        }));
    }

    /** Asks as fast as it can, and waits exactly as long as it is told. */
    private static final class PatientClient implements Runnable {
        private final String name;
        private final Client client;
        private final ExecutorService threads;
        private final CompletableFuture<PatientClient> done = new CompletableFuture<>();
        private int granted;
        private int denied;
        private boolean hasWaited;

        PatientClient(String name, Client client, ExecutorService threads) {
            this.name = name;
            this.client = client;
            this.threads = threads;
        }

        @Override
        public void run() {
            try {
                while (granted < GRANTS_OF_EACH) {
                    HttpResponse<String> response = client.get("/", "X-Client", name);
                    if (response.statusCode() == 429 && !hasWaited) {
                        denied++;
                        hasWaited = true;
                        long seconds = Long.parseLong(Client.field(response, "Retry-After"));
                        CompletableFuture.delayedExecutor(seconds, TimeUnit.SECONDS, threads)
                                .execute(this);
                        return;
                    }
                    if (response.statusCode() != 200) {
                        throw new IllegalStateException("waited: " + hasWaited + ", is answered " + response.headers());
                    }
                    hasWaited = false;
                    granted++;
                }
                done.complete(this);
            } catch (Exception e) {
                done.completeExceptionally(new IllegalStateException(name, e));
            }
        }
    }
}
