package io.weir.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.weir.Weir;
import io.weir.quota.Quota;
import io.weir.quota.QuotaLedger;
import io.weir.quota.TablesMissingException;
import io.weir.store.Store;
import java.util.Objects;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.springframework.boot.actuate.health.HealthIndicator;
import org.springframework.boot.actuate.health.Status;
import org.springframework.boot.actuate.health.StatusAggregator;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

class Boot3HealthTest {

    private final ApplicationContextRunner application = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(WeirAutoConfiguration.class, WeirActuatorAutoConfiguration.class))
            .withBean(Store.class, AwayStore::new)
            .withPropertyValues(
                    "weir.limits.per-client.failure-policy=grant",
                    "weir.limits.per-client.capacity=100",
                    "weir.limits.per-client.refill=50/s");

    @Test
    void isUpAndThenDegradedWhichAloneTakesNothingDown() {
        application.run(context -> {
            HealthIndicator health = context.getBean(HealthIndicator.class);
            assertThat(status(health)).isEqualTo(Status.UP);

            context.getBean(Weir.class).limiter("per-client").tryAcquire("ann");

            Status degraded = status(health);
            assertThat(degraded.getCode()).isEqualTo("DEGRADED");
            assertThat(health.health()).asString().contains("the cluster is away");
            assertThat(StatusAggregator.getDefault().getAggregateStatus(Status.UP, degraded))
                    .isEqualTo(Status.UP);
        });
    }

    @Test
    void isNotThereIfSwitchedOff() {
        application
                .withPropertyValues("management.health.weir.enabled=false")
                .run(context -> assertThat(context).hasNotFailed().doesNotHaveBean(HealthIndicator.class));
    }

    @Test
    void quotasAreDownWithoutTheirTables() {
        ApplicationContextRunner quotas = new ApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(WeirQuotaAutoConfiguration.class))
                .withBean(DataSource.class, MemoryDatabase::create)
                .withPropertyValues(
                        "weir.quota.schema=none",
                        "weir.quota.deadline=20s",
                        "weir.quotas.tokens.cap=10",
                        "weir.quotas.tokens.period=day",
                        "weir.quotas.tokens.zone=UTC");
        quotas.run(context -> {
            HealthIndicator health = context.getBean("weirQuotasHealthIndicator", HealthIndicator.class);
            assertThat(status(health)).isEqualTo(Status.UP);

            Quota tokens = context.getBean(Quotas.class).named("tokens");
            QuotaLedger ledger = context.getBean(QuotaLedger.class);
            assertThatThrownBy(() -> ledger.peek(tokens, "ann")).isInstanceOf(TablesMissingException.class);

            assertThat(status(health)).isEqualTo(Status.DOWN);
            assertThat(health.health()).asString().contains("classpath:io/weir/quota/h2", "lasting");
        });
        quotas.withPropertyValues("management.health.weirquotas.enabled=false")
                .run(context -> assertThat(context).hasNotFailed().doesNotHaveBean(HealthIndicator.class));
    }

    private static Status status(HealthIndicator indicator) {
        return Objects.requireNonNull(indicator.health()).getStatus();
    }
}
