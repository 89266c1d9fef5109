package io.weir.quota;

import static io.weir.quota.IdempotencyKey.fresh;
import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import org.junit.jupiter.api.Test;

/** What a node remembers of an exhausted quota, when its period ends. */
class RejectionsResetTest {

    private static final Quota QUOTA =
            Quota.named("q").cap(1).period(Period.day(ZoneId.of("UTC"))).build();
    private static final Charge ONE = new Charge(QUOTA, "ann", 1);

    @Test
    void grantsAtTheResetWithoutBeingTold() {
        Instant reset = Instant.parse("2026-07-16T00:00:00Z");
        SettableClock clock = new SettableClock(reset.minusSeconds(3_600));
        try (HikariDataSource pool = TestDatabase.pool(TestDatabase.newH2(), 4);
                QuotaLedger ledger = QuotaLedger.over(pool)
                        .clock(clock)
                        .deadline(Duration.ofSeconds(20))
                        .build()) {
            ledger.spend(fresh(), ONE);
            ledger.spend(fresh(), ONE);
            clock.set(reset.minusNanos(1_000));
            QuotaDecision remembered = ledger.spend(fresh(), ONE);
            assertThat(remembered.source()).isEqualTo(QuotaDecision.Source.MEMORY);
            assertThat(remembered.resetsAt()).contains(reset);
            clock.set(reset);
            QuotaDecision granted = ledger.spend(fresh(), ONE);
            assertThat(granted.isGranted()).isTrue();
            assertThat(granted.source()).isEqualTo(QuotaDecision.Source.LEDGER);
        }
    }
}
