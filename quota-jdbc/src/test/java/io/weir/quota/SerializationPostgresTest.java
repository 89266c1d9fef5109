package io.weir.quota;

import static io.weir.quota.IdempotencyKey.fresh;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariDataSource;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.ZoneId;
import org.junit.jupiter.api.Test;

/** Two transactions that a database cannot put in an order. */
class SerializationPostgresTest {

    private static final Quota QUOTA =
            Quota.named("q").cap(100).period(Period.day(ZoneId.of("UTC"))).build();
    private static final Charge TEN = new Charge(QUOTA, "ann", 10);

    @Test
    void asksForTheWholeTransactionAgainWhereAnotherOneHasSpentSinceItsSnapshot() throws SQLException {
        try (HikariDataSource pool = TestDatabase.pool(TestDatabase.emptyPostgres(), 4);
                QuotaLedger ledger =
                        QuotaLedger.over(pool).deadline(Duration.ofSeconds(20)).build();
                Connection mine = pool.getConnection()) {
            ledger.spend(fresh(), TEN); // the account is there, and is locked and not made
            mine.setAutoCommit(false);
            mine.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
            assertThat(TestDatabase.number(mine, "SELECT count(*) FROM weir_quota_account"))
                    .as("the snapshot")
                    .isEqualTo(1);
            assertThat(ledger.spend(fresh(), TEN).isGranted()).as("of another").isTrue();

            IdempotencyKey key = fresh();
            assertThatThrownBy(() -> ledger.on(mine).spend(key, TEN))
                    .isInstanceOf(RetryableQuotaException.class)
                    .hasRootCauseInstanceOf(SQLException.class);
            mine.rollback();
            assertThat(ledger.on(mine).spend(key, TEN).isReplay()).isFalse();
            mine.commit();
            mine.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
            assertThat(ledger.peek(QUOTA, "ann").spent()).isEqualTo(30);
            assertThat(ledger.verify()).isEmpty();
        }
    }
}
