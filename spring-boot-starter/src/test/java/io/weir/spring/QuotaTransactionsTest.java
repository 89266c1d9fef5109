package io.weir.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.weir.quota.Charge;
import io.weir.quota.IdempotencyKey;
import io.weir.quota.Quota;
import io.weir.quota.QuotaLedger;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.core.io.ClassPathResource;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.jdbc.datasource.DataSourceUtils;
import org.springframework.transaction.support.TransactionTemplate;

/** What the documents say of spends within a transaction of Spring's, on both databases, and with it the starter on PostgreSQL. */
class QuotaTransactionsTest {

    private final ApplicationContextRunner application = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(WeirQuotaAutoConfiguration.class))
            .withPropertyValues(
                    "weir.quota.deadline=20s",
                    "weir.quotas.mails.cap=10",
                    "weir.quotas.mails.period=year",
                    "weir.quotas.mails.zone=UTC");

    @Test
    void spendAndEffectCommitTogetherOnH2() {
        DataSource dataSource = MemoryDatabase.create();
        application
                .withPropertyValues("weir.quota.schema=create")
                .withBean(DataSource.class, () -> dataSource)
                .run(context -> commitTogether(dataSource, context.getBean(QuotaLedger.class), mails(context)));
    }

    @Test
    void spendAndEffectCommitTogetherOnPostgres() throws Exception {
        try (EmbeddedPostgres server = EmbeddedPostgres.builder().start()) {
            DataSource dataSource = server.getPostgresDatabase();
            ApplicationContextRunner onPostgres = application.withBean(DataSource.class, () -> dataSource);
            onPostgres.run(
                    context -> assertThat(context).getFailure().rootCause().hasMessageContaining("weir_quota_account"));
            new JdbcTemplate(dataSource)
                    .execute(new ClassPathResource("io/weir/quota/postgresql/V1__weir_quota.sql")
                            .getContentAsString(StandardCharsets.UTF_8));
            onPostgres.run(context -> {
                assertThat(context).hasNotFailed();
                commitTogether(dataSource, context.getBean(QuotaLedger.class), mails(context));
            });
        }
    }

    private static Quota mails(ApplicationContext context) {
        return context.getBean(Quotas.class).named("mails");
    }

    private static void commitTogether(DataSource dataSource, QuotaLedger ledger, Quota mails) {
        JdbcTemplate jdbc = new JdbcTemplate(dataSource);
        jdbc.execute("CREATE TABLE sent (address VARCHAR(50))");
        TransactionTemplate transactions = new TransactionTemplate(new DataSourceTransactionManager(dataSource));
        Charge one = new Charge(mails, "ann", 1);
        for (boolean fails : new boolean[] {true, false}) {
            transactions.executeWithoutResult(status -> {
                Connection connection = DataSourceUtils.getConnection(dataSource);
                assertThat(ledger.on(connection)
                                .spend(IdempotencyKey.of("k"), one)
                                .isReplay())
                        .isFalse();
                jdbc.update("INSERT INTO sent VALUES ('ann@example.com')");
                if (fails) {
                    status.setRollbackOnly();
                }
            });
            assertThat(ledger.peek(mails, "ann").spent()).isEqualTo(fails ? 0 : 1);
            assertThat(jdbc.queryForObject("SELECT count(*) FROM sent", Long.class))
                    .isEqualTo(fails ? 0 : 1);
        }
        Connection outside = DataSourceUtils.getConnection(dataSource);
        try {
            assertThatThrownBy(() -> ledger.on(outside).spend(IdempotencyKey.fresh(), one))
                    .isInstanceOf(IllegalStateException.class);
        } finally {
            DataSourceUtils.releaseConnection(outside, dataSource);
        }
        transactions.executeWithoutResult(status -> {
            ledger.spend(IdempotencyKey.fresh(), one);
            status.setRollbackOnly();
        });
        assertThat(ledger.peek(mails, "ann").spent()).as("of its own").isEqualTo(2);
        assertThat(ledger.verify()).isEmpty();
    }
}
