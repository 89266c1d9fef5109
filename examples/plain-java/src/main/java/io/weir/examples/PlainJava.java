package io.weir.examples;

import com.hazelcast.config.Config;
import com.hazelcast.core.Hazelcast;
import com.hazelcast.core.HazelcastInstance;
import io.weir.Decision;
import io.weir.FailurePolicy;
import io.weir.Limit;
import io.weir.Weir;
import io.weir.algorithm.Bandwidth;
import io.weir.hazelcast.HazelcastStore;
import java.time.Duration;
import java.util.Optional;

/** A member of a cluster that limits its clients. Each one that is started joins the others, and all count together. */
public final class PlainJava implements AutoCloseable {

    private final HazelcastInstance hazelcast;
    private final Weir weir;

    /** Joins the cluster that {@code settings} describe. */
    PlainJava(Config settings) {
        Config config = HazelcastStore.configure(settings, "shop"); // the map of buckets, and who decides in a split
        this.hazelcast = Hazelcast.newHazelcastInstance(config); // you have one already

        Limit perClient = Limit.named("per-client", FailurePolicy.LOCAL_SHARE) // what happens if the cluster is away
                .bandwidth(Bandwidth.of(100, 50, Duration.ofSeconds(1))) // bursts of 100, 50 a second
                .build();
        this.weir = Weir.over(HazelcastStore.join(hazelcast, "shop"))
                .limit(perClient)
                .build();
    }

    /** Asks more often than it may. */
    public static void main(String[] args) {
        try (PlainJava service = new PlainJava(new Config())) {
            for (int i = 1; i <= 110; i++) {
                System.out.println(i + ": " + service.answer("ann"));
            }
            System.out.println("Another client: " + service.answer("bob"));
        }
    }

    /** What a service would do for each of its requests. */
    String answer(String clientId) {
        Decision decision = weir.limiter("per-client").tryAcquire(clientId);
        if (!decision.granted()) {
            return tooManyRequests(decision.retryAfter());
        }
        return "hello " + clientId;
    }

    private static String tooManyRequests(Optional<Duration> retryAfter) {
        return "too many requests"
                + retryAfter.map(wait -> ", come back in " + wait).orElse("");
    }

    @Override
    public void close() {
        weir.close(); // before Hazelcast, so that what this node has leased goes back
        hazelcast.shutdown();
    }
}
