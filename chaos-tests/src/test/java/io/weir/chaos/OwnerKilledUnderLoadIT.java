package io.weir.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.FailurePolicy;
import io.weir.Limit;
import io.weir.algorithm.Bandwidth;
import io.weir.store.contract.HistoryChecker;
import io.weir.store.contract.HistoryVerdict;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** The row "owner killed, backup alive": {@code B + R*t}, and acknowledged grants survive. */
class OwnerKilledUnderLoadIT {

    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final String KEY = "hot";

    /** The {@code d} of the row "owner changes to a member whose clock is d ahead": as far as owners' clocks are apart. */
    private static final Duration OWNERS_APART = Duration.ofMillis(200);

    @Test
    void grantsNoMoreThanTheRefillThroughTheKill() {
        Bandwidth bandwidth = Bandwidth.of(200, 400, Duration.ofSeconds(1));
        History history = new History();
        long killedNanos = killOwnerUnderLoad(
                "refilled", bandwidth, Duration.ofSeconds(7), history, () -> Waits.pause(Duration.ofSeconds(2)));
        judge("owner killed under load", bandwidth, history);
        assertThat(grantsAskedForAfter(killedNanos, history)).isGreaterThan(400);
    }

    @Test
    void forgetsNoGrantOfABucketThatDoesNotRefill() {
        long capacity = 6_000;
        Bandwidth bandwidth = Bandwidth.of(capacity, 1, Duration.ofDays(365));
        History history = new History();
        long killedNanos = killOwnerUnderLoad(
                "drained",
                bandwidth,
                Duration.ofSeconds(6),
                history,
                () -> Waits.until("half is granted", PATIENCE, () -> history.permits() > capacity / 2));
        judge("owner killed while draining", bandwidth, history);
        assertThat(grantsAskedForAfter(killedNanos, history)).isPositive();
    }

    private static void judge(String name, Bandwidth bandwidth, History history) {
        HistoryVerdict verdict =
                history.judge(name, HistoryChecker.of(bandwidth).plusRefillOf(OWNERS_APART));
        assertThat(verdict.withinBound()).as(verdict.toString()).isTrue();
    }

    private static long grantsAskedForAfter(long nanos, History history) {
        return history.grants().stream()
                .filter(grant -> grant.startNanos() > nanos)
                .count();
    }

    /** Twelve writers on three members, one of which is killed; when it was. */
    private static long killOwnerUnderLoad(
            String name, Bandwidth bandwidth, Duration length, History history, Runnable untilKill) {
        Limit limit = Limit.named(name, FailurePolicy.DENY)
                .bandwidth(bandwidth)
                .deadline(Duration.ofMillis(250))
                .build();
        try (Cluster cluster = new Cluster(name)) {
            cluster.limit(limit);
            cluster.add(Role.FULL);
            cluster.add(Role.FULL);
            cluster.add(Role.FULL);
            cluster.awaitSafe();
            MemberProcess owner = cluster.ownerOf(name, KEY);
            Load load = Load.lasting(length, name, KEY).threads(4).pause(Duration.ofMillis(2));
            Map<MemberProcess, CompletableFuture<Tally>> loads = new HashMap<>();
            cluster.alive().forEach(each -> loads.put(each, each.begin(load, history)));
            untilKill.run();
            owner.kill();
            long killedNanos = System.nanoTime();
            loads.remove(owner); // it ends without an answer
            loads.values().forEach(MemberProcess::await);
            return killedNanos;
        }
    }
}
