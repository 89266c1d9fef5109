package io.weir.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.FailurePolicy;
import io.weir.Limit;
import io.weir.algorithm.Bandwidth;
import io.weir.store.contract.HistoryChecker;
import io.weir.store.contract.HistoryVerdict;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

/** A backup has what the owner computed, to the permit, though its clock is another. */
@Isolated("measures, and wants the machine for itself")
class OwnerKilledIT {

    private static final long CHECKS = 1_000;
    private static final long PERMITS = 700;
    private static final long REMAINING = 300_000;
    private static final String KEY = "key";

    private static final Limit LIMIT = Limit.named("balance", FailurePolicy.DENY)
            .bandwidth(Bandwidth.of(REMAINING + CHECKS * PERMITS, 1, Duration.ofDays(1)))
            .deadline(Duration.ofSeconds(10))
            .exact() // a lease whose call is given up in a stall is lost, and would be missing from the balance
            .build();

    @Test
    void everyOwnerKnowsTheBalanceExactly() {
        try (Cluster cluster = new Cluster("killed")) {
            cluster.limit(LIMIT);
            cluster.add(Role.FULL);
            cluster.add(Role.FULL, Duration.ofSeconds(5));
            cluster.add(Role.FULL, Duration.ofSeconds(2));
            cluster.awaitSafe();
            History history = new History();
            Load load = Load.ofCalls(CHECKS, LIMIT.name(), KEY).permits(PERMITS).threads(4);
            cluster.alive().get(0).run(load, history);
            assertThat(remaining(cluster)).isEqualTo(REMAINING);

            cluster.ownerOf(LIMIT.name(), KEY).kill();
            assertThat(remaining(cluster)).isEqualTo(REMAINING);

            cluster.add(Role.FULL, Duration.ofSeconds(4));
            cluster.awaitSafe();
            cluster.ownerOf(LIMIT.name(), KEY).kill();
            assertThat(remaining(cluster)).isEqualTo(REMAINING);

            HistoryChecker bound = HistoryChecker.of(LIMIT.bandwidths().get(0));
            HistoryVerdict verdict = history.judge("owner killed twice", bound);
            assertThat(verdict.withinBound()).as(verdict.toString()).isTrue();
            assertThat(history.permits()).isEqualTo(CHECKS * PERMITS);
            assertThat(cluster.processes())
                    .allSatisfy(each -> assertThat(each.log().problems())
                            .noneMatch(entry -> entry.contains("io.weir") || entry.contains("Backup")));
        }
    }

    private static long remaining(Cluster cluster) {
        return cluster.alive().get(0).peek(LIMIT.name(), KEY).remaining().orElseThrow();
    }
}
