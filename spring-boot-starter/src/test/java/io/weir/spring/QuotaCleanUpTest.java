package io.weir.spring;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.quota.Charge;
import io.weir.quota.IdempotencyKey;
import io.weir.quota.Period;
import io.weir.quota.Quota;
import io.weir.quota.QuotaLedger;
import io.weir.quota.Retention;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.concurrent.atomic.AtomicReference;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;

class QuotaCleanUpTest {

    private static final Charge ONE = new Charge(
            Quota.named("tokens").cap(10).period(Period.month(ZoneOffset.UTC)).build(), "ann", 1);

    private final AtomicReference<Instant> now = new AtomicReference<>(Instant.parse("2026-07-15T12:00:00Z"));
    private final DataSource database = MemoryDatabase.create();
    private final QuotaLedger ledger =
            QuotaLedger.over(database).clock(now::get).build();

    @Test
    void deletesWhatIsOldAndTellsHowMuch() {
        new QuotaSchema(database).require(LedgerProperties.Schema.CREATE);
        try (ledger;
                QuotaCleanUp cleanUp = new QuotaCleanUp(ledger, Retention.standard());
                Logged log = new Logged(QuotaCleanUp.class)) {
            ledger.spend(IdempotencyKey.of("k"), ONE);
            cleanUp.run();
            assertThat(ledger.spend(IdempotencyKey.of("k"), ONE).isReplay()).isTrue();

            now.updateAndGet(instant -> instant.plus(Duration.ofDays(31)));
            cleanUp.run();

            assertThat(ledger.spend(IdempotencyKey.of("k"), ONE).isReplay()).isFalse();
            assertThat(log.messages()).containsExactly("Deleted {0} old rows of quotas.");
        }
    }

    @Test
    void tellsWhatItCouldNotDo() {
        try (ledger;
                QuotaCleanUp cleanUp = new QuotaCleanUp(ledger, Retention.standard());
                Logged log = new Logged(QuotaCleanUp.class)) {
            cleanUp.run(); // without tables

            assertThat(log.messages()).singleElement().asString().contains("could not be deleted");
        }
    }
}
