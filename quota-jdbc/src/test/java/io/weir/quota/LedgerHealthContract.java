package io.weir.quota;

import static io.weir.quota.IdempotencyKey.fresh;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariDataSource;
import io.weir.FailurePolicy;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.ZoneId;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A database that has no tables, or does not answer. */
abstract class LedgerHealthContract {

    /** Would let pass what is asked while the database is away. */
    private static final Charge ONE = new Charge(
            Quota.named("open")
                    .cap(10)
                    .period(Period.day(ZoneId.of("UTC")))
                    .onFailure(FailurePolicy.GRANT)
                    .build(),
            "ann",
            1);

    private HikariDataSource pool;
    private QuotaLedger ledger;

    /** Of a database that is this test's alone. */
    abstract String newDatabase();

    /** The folder of its migrations. */
    abstract String folder();

    @BeforeEach
    void open() {
        pool = TestDatabase.pool(newDatabase(), 4);
        ledger = QuotaLedger.over(pool).deadline(Duration.ofSeconds(20)).build();
    }

    @AfterEach
    void close() {
        ledger.close();
        pool.close();
    }

    private void execute(String sql) throws SQLException {
        try (Connection connection = pool.getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    @Test
    void missingTablesAreNoOutageAndSayWhatToRun() throws SQLException {
        assertThat(ledger.spend(fresh(), ONE).isGranted()).isTrue();
        execute("ALTER TABLE weir_quota_period RENAME TO elsewhere");
        for (int i = 0; i < 2; i++) { // the second with what the node has learnt of the first
            assertThatThrownBy(() -> ledger.spend(fresh(), ONE))
                    .isInstanceOf(TablesMissingException.class)
                    .hasMessageContaining("classpath:io/weir/quota/" + folder())
                    .hasMessageContaining("weir_quota_period");
        }
        assertThatThrownBy(() -> ledger.reserve(fresh(), Duration.ofMinutes(1), ONE))
                .isInstanceOf(TablesMissingException.class);
        assertThatThrownBy(() -> ledger.peek(ONE.quota(), "ann")).isInstanceOf(TablesMissingException.class);
        assertThatThrownBy(() -> ledger.verify()).isInstanceOf(TablesMissingException.class);
        try (Connection connection = pool.getConnection()) {
            connection.setAutoCommit(false);
            assertThatThrownBy(() -> ledger.on(connection).spend(fresh(), ONE))
                    .isInstanceOf(TablesMissingException.class);
            connection.rollback();
        }
        assertThat(ledger.health().state()).isEqualTo(LedgerHealth.State.TABLES_MISSING);
        assertThat(ledger.health().why()).contains(folder());

        execute("ALTER TABLE elsewhere RENAME TO weir_quota_period");
        assertThat(ledger.spend(fresh(), ONE).source()).isEqualTo(QuotaDecision.Source.LEDGER);
        assertThat(ledger.health().state()).isEqualTo(LedgerHealth.State.EXACT);
        assertThat(ledger.health().why()).isNull();
        assertThat(ledger.peek(ONE.quota(), "ann").spent()).isEqualTo(2);
    }

    @Test
    void healthSaysThatPoliciesAnswerUntilTheDatabaseDoes() throws SQLException {
        try (HikariDataSource small = TestDatabase.pool(pool.getJdbcUrl(), 1);
                QuotaLedger hasty =
                        QuotaLedger.over(small).deadline(Duration.ofMillis(100)).build()) {
            try (Connection taken = small.getConnection()) {
                assertThat(taken.isClosed()).isFalse();
                assertThat(hasty.health().state()).isEqualTo(LedgerHealth.State.EXACT);
                assertThat(hasty.spend(fresh(), ONE).source()).isEqualTo(QuotaDecision.Source.POLICY);
                LedgerHealth away = hasty.health();
                assertThat(away.state()).isEqualTo(LedgerHealth.State.DEGRADED);
                assertThat(away.why()).contains("PT0.1S");
                hasty.spend(fresh(), ONE);
                assertThat(hasty.health().lasting())
                        .as("from the beginning")
                        .isGreaterThan(away.lasting().plusMillis(90));
            }
            long end = System.nanoTime() + Duration.ofSeconds(20).toNanos();
            while (hasty.spend(fresh(), ONE).source() != QuotaDecision.Source.LEDGER) {
                assertThat(System.nanoTime()).isLessThan(end);
            }
            assertThat(hasty.health().state()).isEqualTo(LedgerHealth.State.EXACT);
        }
    }
}
