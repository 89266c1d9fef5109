package io.weir.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.FailurePolicy;
import io.weir.algorithm.Bandwidth;
import io.weir.store.contract.HistoryChecker;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class RowTest {

    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final Bandwidth BANDWIDTH = Bandwidth.of(90, 300, SECOND);

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
                .isEqualTo(HistoryChecker.of(BANDWIDTH).plusPermits(90).plusRefillOf(Duration.ofMillis(1_200)));
        assertThat(bound(Row.OWNER_CHANGES, Duration.ZERO, FailurePolicy.LOCAL_SHARE, Duration.ZERO))
                .isEqualTo(HistoryChecker.of(BANDWIDTH).plusRefillOf(Duration.ofMillis(200)));
    }

    @Test
    void addsOneMoreCapacityWhereOneMoreOwnerGrants() {
        assertThat(bound(Row.OWNER_PAUSED, Duration.ZERO, FailurePolicy.DENY, Duration.ZERO))
                .isEqualTo(HistoryChecker.of(BANDWIDTH).plusPermits(90).plusRefillOf(Duration.ofMillis(300)));
        assertThat(bound(Row.ALL_COPIES_LOST, Duration.ZERO, FailurePolicy.DENY, Duration.ZERO))
                .isEqualTo(HistoryChecker.of(BANDWIDTH).plusPermits(90).plusRefillOf(Duration.ofMillis(200)));
    }

    /** {@code R*D*2/3} and {@code B}, and 0.2 s between clocks; with shares {@code R*t*4/3} and {@code B/3}. */
    @Test
    void addsWhatTwoSidesGrantOfAPartition() {
        assertThat(bound(Row.PARTITION, Duration.ZERO, FailurePolicy.DENY, SECOND))
                .isEqualTo(HistoryChecker.of(BANDWIDTH).plusPermits(90).plusRefillOf(Duration.ofMillis(4_200)));
        assertThat(bound(Row.PARTITION, Duration.ZERO, FailurePolicy.LOCAL_SHARE, SECOND))
                .isEqualTo(HistoryChecker.of(Bandwidth.of(90, 1_200, SECOND.multipliedBy(3)))
                        .plusPermits(90 + 30)
                        .plusRefillOf(Duration.ofMillis(3_150))); // at 400 a second as much as 4.2 s at 300
    }

    private static HistoryChecker bound(Row row, Duration ahead, FailurePolicy policy, Duration shared) {
        return row.bound(BANDWIDTH, ahead, policy, shared);
    }
}
