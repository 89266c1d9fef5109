package io.weir.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.FailurePolicy;
import io.weir.Limit;
import io.weir.algorithm.Bandwidth;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Another factory id than Weir's own, where an application has taken that one. */
@Execution(ExecutionMode.CONCURRENT)
class FactoryIdIT {

    private static final String FACTORY_ID = "weir.hazelcast.factory-id";
    private static final long CALLS = 100;

    private static final Limit LIMIT = Limit.named("id", FailurePolicy.DENY)
            .bandwidth(Bandwidth.of(1_000_000, 1, Duration.ofDays(1)))
            .deadline(Duration.ofSeconds(10))
            .build();

    @Test
    void isTheSameOnAllNodesOrSaysSo() {
        try (Cluster cluster = new Cluster("factory-id").with(FACTORY_ID, "4711")) {
            cluster.limit(LIMIT);
            cluster.add(Role.FULL);
            MemberProcess same = cluster.add(Role.CLIENT);
            assertThat(run(same).granted()).isEqualTo(CALLS);

            cluster.with(FACTORY_ID, "4712");
            MemberProcess other = cluster.add(Role.CLIENT);
            assertThat(run(other).unanswered()).isEqualTo(CALLS);
            assertThat(other.log().problems())
                    .anyMatch(entry -> entry.contains("io.weir") && entry.contains(FACTORY_ID));
        }
    }

    private static Tally run(MemberProcess client) {
        return client.run(Load.ofCalls(CALLS, LIMIT.name(), "key"), new History());
    }
}
