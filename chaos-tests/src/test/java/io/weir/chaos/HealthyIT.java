package io.weir.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.FailurePolicy;
import io.weir.Limit;
import io.weir.algorithm.Bandwidth;
import io.weir.store.contract.HistoryChecker;
import io.weir.store.contract.HistoryVerdict;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

/** The row "healthy": {@code B + R*t}, with nothing done to anybody, and {@code t} by the owner's clock. */
@Isolated("measures, and wants the machine for itself")
class HealthyIT {

    private static final Bandwidth BANDWIDTH = Bandwidth.of(20, 2_000, Duration.ofSeconds(1));
    private static final Duration LENGTH = Duration.ofSeconds(8);

    /** An owner that follows its cluster's clock may be fast by one part in ten thousand, to catch up with it. */
    private static final Duration FAST = LENGTH.dividedBy(10_000);

    private static final Limit LIMIT = Limit.named("healthy", FailurePolicy.DENY)
            .bandwidth(BANDWIDTH)
            .deadline(Duration.ofSeconds(1))
            .build();

    /** An owner that is not the master follows the master's clock, and none of that may show. */
    @Test
    void grantsNoMoreThanTheRefill() {
        try (Cluster cluster = new Cluster("healthy").with("hazelcast.heartbeat.interval.seconds", "1")) {
            cluster.limit(LIMIT);
            cluster.add(Role.FULL);
            cluster.add(Role.FULL);
            cluster.awaitSafe();
            String key = cluster.keyOwnedBy(cluster.alive().get(1), LIMIT.name());
            History history = new History();
            Load load = Load.lasting(LENGTH, LIMIT.name(), key).threads(6);
            List<CompletableFuture<Tally>> loads = cluster.alive().stream()
                    .map(each -> each.begin(load, history))
                    .toList();
            loads.forEach(MemberProcess::await);
            HistoryChecker bound = HistoryChecker.of(BANDWIDTH).plusRefillOf(FAST);
            HistoryVerdict verdict = history.judge("healthy", bound);
            assertThat(verdict.withinBound()).as(verdict.toString()).isTrue();
        }
    }
}
