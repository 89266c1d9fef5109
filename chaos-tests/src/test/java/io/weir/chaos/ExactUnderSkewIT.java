package io.weir.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.FailurePolicy;
import io.weir.Limit;
import io.weir.algorithm.Bandwidth;
import io.weir.store.contract.HistoryChecker;
import io.weir.store.contract.HistoryVerdict;
import java.time.Duration;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Callers' clocks do not matter, and neither does how many they are: I1 to the permit. */
@Execution(ExecutionMode.CONCURRENT)
class ExactUnderSkewIT {

    private static final int CAPACITY = 1_000;
    private static final int KEYS_PER_SKEW = 10;
    private static final int CALLS_PER_PROCESS = 1_000;
    private static final int THREADS_PER_PROCESS = 13;
    private static final Duration TEN_SECONDS = Duration.ofSeconds(10);

    private static final Limit LIMIT = Limit.named("exact", FailurePolicy.DENY)
            .bandwidth(Bandwidth.of(CAPACITY, 1, Duration.ofDays(365)))
            .deadline(Duration.ofSeconds(30))
            .exact()
            .build();

    private static final Limit LEASED = Limit.named("leased", FailurePolicy.DENY)
            .bandwidth(LIMIT.bandwidths().get(0))
            .deadline(Duration.ofSeconds(30))
            .build();

    private static final Duration LEASES_ARE_BACK = Duration.ofSeconds(1);

    @Test
    void grantsTheCapacityExactlyWhateverCallersClocksSay() {
        System.out.println("ExactUnderSkewIT: clocks are skewed by " + Skew.available());
        try (Cluster cluster = new Cluster("skew")) {
            cluster.limit(LIMIT);
            cluster.limit(LEASED);
            cluster.add(Role.FULL);
            cluster.add(Role.FULL);
            cluster.add(Role.FULL);
            grantExactly(cluster, "client-ahead", TEN_SECONDS, TEN_SECONDS.negated());
            grantExactly(cluster, "client-behind", TEN_SECONDS.negated(), TEN_SECONDS);
        }
    }

    private static void grantExactly(Cluster cluster, String skew, Duration client, Duration lite) {
        List<MemberProcess> skewed = List.of(cluster.add(Role.CLIENT, client), cluster.add(Role.LITE, lite));
        cluster.awaitSafe();
        Set<MemberProcess> lucky = new HashSet<>();
        for (int i = 1; i <= KEYS_PER_SKEW; i++) {
            lucky.addAll(grantExactly(cluster, skew + "-" + i));
        }
        grantTheRestOnceLeasesAreBack(cluster, skew + "-leased");
        assertThat(lucky).as("processes that compete").containsExactlyInAnyOrderElementsOf(cluster.alive());
        skewed.forEach(MemberProcess::end);
    }

    /**
     * While the load goes on, a process that is done may hold some; it gives them back. Nothing is made, and nothing lost
     * but what was lent by a call that a process gave up in a stall.
     */
    private static void grantTheRestOnceLeasesAreBack(Cluster cluster, String key) {
        Load load = Load.ofCalls(CALLS_PER_PROCESS, LEASED.name(), key).threads(THREADS_PER_PROCESS);
        History history = new History();
        List<CompletableFuture<Tally>> loads =
                cluster.alive().stream().map(each -> each.begin(load, history)).toList();
        loads.forEach(each -> assertThat(MemberProcess.await(each).unanswered()).isZero());
        assertThat(history.permits()).isBetween(CAPACITY / 2L, (long) CAPACITY);

        Waits.pause(LEASES_ARE_BACK);
        MemberProcess.await(cluster.alive().get(0).begin(load, history));
        assertThat(history.permits()).as("permits of key %s", key).isBetween(CAPACITY * 9 / 10L, (long) CAPACITY);
    }

    /** The processes that were granted something. */
    private static Set<MemberProcess> grantExactly(Cluster cluster, String key) {
        Load load = Load.ofCalls(CALLS_PER_PROCESS, LIMIT.name(), key).threads(THREADS_PER_PROCESS);
        History history = new History();
        Map<MemberProcess, CompletableFuture<Tally>> loads = new LinkedHashMap<>();
        cluster.alive().forEach(each -> loads.put(each, each.begin(load, history)));
        Set<MemberProcess> lucky = new HashSet<>();
        loads.forEach((process, end) -> {
            Tally tally = MemberProcess.await(end);
            assertThat(tally.calls()).isEqualTo(CALLS_PER_PROCESS);
            assertThat(tally.unanswered()).isZero();
            if (tally.granted() > 0) {
                lucky.add(process);
            }
        });
        HistoryVerdict verdict = history.judge(
                "exact " + key, HistoryChecker.of(LIMIT.bandwidths().get(0)));
        assertThat(verdict.withinBound()).isTrue();
        assertThat(history.permits()).isEqualTo(CAPACITY);
        return lucky;
    }
}
