package io.weir.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.FailurePolicy;
import io.weir.algorithm.Bandwidth;
import io.weir.store.contract.HistoryChecker;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class RowTest {

    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final Bandwidth BANDWIDTH = new Workload(true, FailurePolicy.DENY, false).bandwidth();

    @Test
    void addsTheClocksDifferenceWhereAnotherOwnerDecides() {
        assertThat(bound(Row.OWNER_CHANGES, Duration.ofSeconds(3), FailurePolicy.DENY, SECOND))
                .isEqualTo(HistoryChecker.of(BANDWIDTH).plusRefillOf(Duration.ofMillis(3_200)));
        assertThat(bound(Row.OWNER_CHANGES, Duration.ofSeconds(-3), FailurePolicy.DENY, SECOND))
                .isEqualTo(HistoryChecker.of(BANDWIDTH).plusRefillOf(Duration.ofMillis(3_200)));
    }

    @Test
    void addsSharesOnlyForAsLongAsTheyWereUsed() {
        assertThat(bound(Row.OWNER_CHANGES, Duration.ZERO, FailurePolicy.LOCAL_SHARE, SECOND))
                .isEqualTo(HistoryChecker.of(BANDWIDTH).plusPermits(3 * 34).plusRefillOf(Duration.ofMillis(1_200)));
        assertThat(bound(Row.OWNER_CHANGES, Duration.ZERO, FailurePolicy.LOCAL_SHARE, Duration.ZERO))
                .isEqualTo(HistoryChecker.of(BANDWIDTH).plusRefillOf(Duration.ofMillis(200)));
    }

    @Test
    void addsOneMoreCapacityWhereOneMoreOwnerGrants() {
        assertThat(bound(Row.OWNER_PAUSED, Duration.ZERO, FailurePolicy.DENY, Duration.ZERO))
                .isEqualTo(HistoryChecker.of(BANDWIDTH).plusPermits(100).plusRefillOf(Duration.ofMillis(300)));
        assertThat(bound(Row.ALL_COPIES_LOST, Duration.ZERO, FailurePolicy.DENY, Duration.ZERO))
                .isEqualTo(HistoryChecker.of(BANDWIDTH).plusPermits(100).plusRefillOf(Duration.ofMillis(200)));
    }

    /** {@code R*D*2/3} and {@code B}, and 0.2 s between clocks; with shares {@code R*t*4/3} and {@code B/3}. */
    @Test
    void addsWhatTwoSidesGrantOfAPartition() {
        assertThat(bound(Row.PARTITION, Duration.ZERO, FailurePolicy.DENY, SECOND))
                .isEqualTo(HistoryChecker.of(BANDWIDTH).plusPermits(100).plusRefillOf(Duration.ofMillis(4_200)));
        assertThat(bound(Row.PARTITION, Duration.ZERO, FailurePolicy.LOCAL_SHARE, SECOND))
                .isEqualTo(HistoryChecker.of(Bandwidth.of(100, 800, SECOND.multipliedBy(3)))
                        .plusPermits(100 + 34)
                        .plusRefillOf(Duration.ofMillis(3_150))); // at 267 a second as much as 4.2 s at 200
    }

    @Test
    void addsTheShareOfAClientThatIsCutOffAndNothingElse() {
        Workload strict = new Workload(true, FailurePolicy.LOCAL_SHARE, false, true);
        assertThat(Row.CLIENT_CUT_OFF.bound(strict, Duration.ZERO, SECOND))
                .isEqualTo(HistoryChecker.of(Bandwidth.of(100, 800, SECOND.multipliedBy(3)))
                        .plusPermits(34)
                        .plusRefillOf(Duration.ofNanos(7_500_000)));
    }

    @Test
    void addsNoSharesToAPartitionUnderAStrictLimit() {
        Workload strict = new Workload(true, FailurePolicy.LOCAL_SHARE, false, true);
        assertThat(Row.PARTITION.bound(strict, Duration.ZERO, SECOND))
                .isEqualTo(bound(Row.PARTITION, Duration.ZERO, FailurePolicy.DENY, SECOND));
    }

    private static HistoryChecker bound(Row row, Duration ahead, FailurePolicy policy, Duration shared) {
        return row.bound(new Workload(true, policy, false), ahead, shared);
    }
}
