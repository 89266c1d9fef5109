package io.weir.quota;

import static io.weir.quota.IdempotencyKey.fresh;
import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import java.time.Duration;
import java.time.ZoneOffset;
import org.junit.jupiter.api.Test;

/** What a ledger leaves behind that is closed while its database is slow. */
class ClosingPostgresTest {

    private static final Charge TEN = new Charge(
            Quota.named("tokens").cap(100).period(Period.month(ZoneOffset.UTC)).build(), "ann", 10);

    @Test
    void takesBackBeforeItEndsWhatACallerWasToldIsNotSpent() throws Exception {
        String url = TestDatabase.emptyPostgres();
        int port = TestDatabase.postgres().getPort();
        try (Link link = new Link(port);
                HikariDataSource pool = TestDatabase.pool(url.replace(":" + port + "/", ":" + link.port() + "/"), 2);
                HikariDataSource direct = TestDatabase.pool(url, 1);
                QuotaLedger other = QuotaLedger.over(direct).build()) {
            try (QuotaLedger hasty =
                    QuotaLedger.over(pool).deadline(Duration.ofMillis(600)).build()) {
                hasty.peek(TEN.quota(), "ann");
                link.holdAnswersAfter("COMMIT\0"); // the statement, and not READ COMMITTED
                assertThat(hasty.spend(fresh(), TEN).source()).isEqualTo(QuotaDecision.Source.POLICY);
                assertThat(other.peek(TEN.quota(), "ann").spent()).isEqualTo(10);
                link.release();
            }
            assertThat(other.peek(TEN.quota(), "ann").spent()).isZero();
            assertThat(other.verify()).isEmpty();
        }
    }
}
