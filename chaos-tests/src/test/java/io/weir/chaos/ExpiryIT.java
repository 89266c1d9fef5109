package io.weir.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.FailurePolicy;
import io.weir.Limit;
import io.weir.algorithm.Bandwidth;
import io.weir.store.contract.HistoryChecker;
import io.weir.store.contract.HistoryVerdict;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Idle buckets vanish, on backups too; a bucket that is not full does not. */
@Execution(ExecutionMode.CONCURRENT)
class ExpiryIT {

    private static final int IDLE_KEYS = 2_000;
    private static final String BUSY_KEY = "busy";
    private static final Bandwidth BANDWIDTH = Bandwidth.of(10, 10, Duration.ofSeconds(1));
    private static final Duration HALF_FILL_TIME = BANDWIDTH.window().dividedBy(2);

    /** Longer than an entry lives after its last write, so that each that lasts so long has been kept by its touches. */
    private static final Duration TOUCHED = Duration.ofSeconds(16);

    /**
     * The time to fill, the deadline and the 5 s for which a call is remembered after it, the 7 s that an entry is kept
     * longer, and as much again for Hazelcast's clean-up on a busy machine.
     */
    private static final Duration SLACK = Duration.ofSeconds(30);

    private static final Limit LIMIT = Limit.named("idle", FailurePolicy.DENY)
            .bandwidth(BANDWIDTH)
            .deadline(Duration.ofSeconds(1))
            .build();

    @Test
    void dropsBucketsOnceTheyAreFullAndNeverBefore() {
        try (Cluster cluster = new Cluster("expiry")
                .with("hazelcast.internal.map.expiration.cleanup.percentage", "100")
                .with("hazelcast.internal.map.expiration.cleanup.operation.count", "271")
                .with("hazelcast.internal.map.expiration.task.period.seconds", "1")) {
            cluster.limit(LIMIT);
            MemberProcess member = cluster.add(Role.FULL);
            cluster.add(Role.FULL);
            cluster.awaitSafe();
            History busy = new History();
            member.run(Load.ofCalls(10, LIMIT.name(), BUSY_KEY), busy);
            touchOnce(member);
            assertThat(entries(cluster)).isEqualTo(2 * (IDLE_KEYS + 1));

            // Each half of the fill time ten permits are asked for and five have come back: the bucket is never
            // full, and one that were removed would show by granting all ten.
            Load touches = Load.lasting(TOUCHED, LIMIT.name(), BUSY_KEY)
                    .threads(2)
                    .permits(5)
                    .pause(HALF_FILL_TIME);
            member.run(touches, busy);
            HistoryVerdict verdict = busy.judge("expiry", HistoryChecker.of(BANDWIDTH));
            assertThat(verdict.withinBound()).as(verdict.toString()).isTrue();
            Waits.until("the map is empty", SLACK, () -> entries(cluster) == 0);
        }
    }

    private static void touchOnce(MemberProcess member) {
        String[] keys = IntStream.range(0, IDLE_KEYS).mapToObj(i -> "idle-" + i).toArray(String[]::new);
        Tally tally = member.run(Load.ofCalls(IDLE_KEYS, LIMIT.name(), keys).threads(4), new History());
        assertThat(tally.granted()).isEqualTo(IDLE_KEYS);
    }

    private static long entries(Cluster cluster) {
        List<MemberProcess> members = cluster.alive();
        return members.stream().mapToLong(MemberProcess::entries).sum();
    }
}
