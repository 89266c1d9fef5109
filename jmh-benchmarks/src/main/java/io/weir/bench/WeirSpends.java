package io.weir.bench;

import io.weir.quota.Charge;
import io.weir.quota.IdempotencyKey;
import io.weir.quota.Period;
import io.weir.quota.Quota;
import io.weir.quota.QuotaLedger;
import java.time.Duration;
import java.time.ZoneOffset;
import javax.sql.DataSource;

/** Spends by a ledger of Weir's. */
final class WeirSpends implements Spends {

    private final Quota quota;
    private final QuotaLedger ledger;

    WeirSpends(DataSource pool, int workers, long cap) {
        quota = Quota.named("bench")
                .cap(cap)
                .period(Period.month(ZoneOffset.UTC))
                .build();
        ledger = QuotaLedger.over(pool)
                .workers(workers)
                .deadline(Duration.ofSeconds(10))
                .build();
    }

    @Override
    public boolean spend(String key, String idempotencyKey) {
        return ledger.spend(IdempotencyKey.of(idempotencyKey), new Charge(quota, key, 1))
                .isGranted();
    }

    @Override
    public void close() {
        ledger.close();
    }
}
