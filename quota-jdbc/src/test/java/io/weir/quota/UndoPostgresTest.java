package io.weir.quota;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import java.time.Duration;
import java.time.ZoneId;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;

/** What was committed after its caller was told no, and was asked for again before it was taken back. */
class UndoPostgresTest {

    private static final Charge TEN = new Charge(
            Quota.named("q")
                    .cap(100)
                    .period(Period.year(ZoneId.of("UTC"), java.time.MonthDay.of(1, 1)))
                    .build(),
            "ann",
            10);

    @Test
    void aReplayThatGotItAsItsAnswerKeepsItFromBeingTakenBack() throws Exception {
        String url = TestDatabase.emptyPostgres();
        int port = TestDatabase.postgres().getPort();
        try (Link link = new Link(port);
                HikariDataSource slow = TestDatabase.pool(url.replace(":" + port + "/", ":" + link.port() + "/"), 1);
                HikariDataSource pool = TestDatabase.pool(url, 4);
                QuotaLedger hasty =
                        QuotaLedger.over(slow).deadline(Duration.ofMillis(600)).build();
                QuotaLedger other =
                        QuotaLedger.over(pool).deadline(Duration.ofSeconds(20)).build()) {
            hasty.peek(TEN.quota(), "ann");
            link.holdAnswersAfter("COMMIT\0"); // the statement, and not READ COMMITTED
            IdempotencyKey key = IdempotencyKey.of("k");
            assertThat(hasty.spend(key, TEN).source()).isEqualTo(QuotaDecision.Source.POLICY);
            assertThat(link.isHeld()).as("it was on its way to be committed").isTrue();

            QuotaDecision replay = other.spend(key, TEN);
            assertThat(replay.isGranted()).isTrue();
            assertThat(replay.isReplay()).isTrue();
            link.release();

            // What is not taken back leaves no trace to wait for. Others, which nobody asks for again, are taken back
            // after it.
            long end = System.nanoTime() + Duration.ofSeconds(30).toNanos();
            long granted = 0;
            for (int i = 0; isNothingUndone(pool); i++) {
                assertThat(System.nanoTime()).isLessThan(end);
                link.holdAnswersAfter("COMMIT\0");
                // No spend, which may be done without that statement.
                granted += hasty.reserve(IdempotencyKey.of("other" + i), Duration.ofHours(1), TEN.withAmount(1))
                                .isGranted()
                        ? 1
                        : 0;
                link.release();
            }
            while (other.peek(TEN.quota(), "ann").reserved() != granted) {
                assertThat(System.nanoTime()).isLessThan(end);
                Thread.sleep(20);
            }
            assertThat(other.peek(TEN.quota(), "ann").spent()).isEqualTo(10);
            assertThat(other.spend(key, TEN).isReplay()).isTrue();
            assertThat(other.verify()).isEmpty();
        }
    }

    private static boolean isNothingUndone(DataSource dataSource) {
        return TestDatabase.number(dataSource, "SELECT count(*) FROM weir_quota_ledger WHERE kind = 'UNDO'") == 0;
    }
}
