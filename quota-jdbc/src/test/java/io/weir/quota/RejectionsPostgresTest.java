package io.weir.quota;

import static io.weir.quota.IdempotencyKey.fresh;
import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Two ledgers, as two nodes have them, over one database. */
class RejectionsPostgresTest {

    private static final Quota TOKENS = Quota.named("tokens")
            .cap(10)
            .period(Period.year(ZoneId.of("UTC"), java.time.MonthDay.of(1, 1)))
            .build();
    private static final Charge ALL = new Charge(TOKENS, "ann", 10);
    private static final Charge ONE = new Charge(TOKENS, "ann", 1);

    private HikariDataSource pool;
    private QuotaLedger here;
    private QuotaLedger there;

    @BeforeEach
    void open() {
        pool = TestDatabase.pool(TestDatabase.emptyPostgres(), 8);
        here = QuotaLedger.over(pool).deadline(Duration.ofSeconds(20)).build();
        there = QuotaLedger.over(pool).deadline(Duration.ofSeconds(20)).build();
    }

    @AfterEach
    void close() {
        here.close();
        there.close();
        pool.close();
    }

    @Test
    void endsWhatIsRememberedWithinASecondOfARaiseElsewhere() {
        QuotaDecision reserved = here.reserve(IdempotencyKey.of("r"), Duration.ofHours(1), ONE.withAmount(4));
        here.spend(IdempotencyKey.of("s"), ONE.withAmount(6));
        Map<String, Consumer<QuotaLedger>> raises = Map.of(
                "release", ledger -> ledger.release(reserved.reservation().orElseThrow()),
                "refund", ledger -> ledger.refund(fresh(), IdempotencyKey.of("s"), List.of(ONE)),
                "credit", ledger -> ledger.grantCredit(fresh(), ONE, Instant.parse("2100-01-01T00:00:00Z")),
                "cap", ledger -> ledger.setCap(fresh(), TOKENS, "ann", 20));
        for (String each : List.of("release", "refund", "credit", "cap")) {
            while (here.spend(fresh(), ONE).isGranted()) {
                // until there is no room
            }
            assertThat(here.spend(fresh(), ONE).source()).as(each).isEqualTo(QuotaDecision.Source.MEMORY);
            Objects.requireNonNull(raises.get(each)).accept(there);
            long from = System.nanoTime();
            while (!here.spend(fresh(), ONE).isGranted()) {
                assertThat(Duration.ofNanos(System.nanoTime() - from)).as(each).isLessThan(Duration.ofMillis(1_500));
                Thread.onSpinWait();
            }
        }
        assertThat(here.verify()).isEmpty();
    }

    @Test
    void answersAReplayOfWhatWasGrantedThoughTheQuotaIsExhausted() {
        there.spend(IdempotencyKey.of("granted"), ALL);
        assertThat(here.spend(IdempotencyKey.of("denied"), ALL).isGranted()).isFalse();
        assertThat(here.spend(IdempotencyKey.of("denied"), ALL).source()).isEqualTo(QuotaDecision.Source.MEMORY);
        assertThat(here.spend(IdempotencyKey.of("another"), ALL).source()).isEqualTo(QuotaDecision.Source.MEMORY);
        QuotaDecision replay = here.spend(IdempotencyKey.of("granted"), ALL);
        assertThat(replay.isReplay()).isTrue();
        assertThat(replay.isGranted()).isTrue();
    }

    @Test
    void asksTheDatabaseForWhatFitsTheRoomThatIsRemembered() {
        here.spend(fresh(), ONE.withAmount(7));
        assertThat(here.spend(fresh(), ONE.withAmount(4)).isGranted()).isFalse();
        assertThat(here.spend(fresh(), ONE.withAmount(3)).isGranted()).isTrue();
    }
}
