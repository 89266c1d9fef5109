package io.weir.spring;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.Weir;
import io.weir.store.Store;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.health.actuate.endpoint.StatusAggregator;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.health.contributor.Status;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

class Boot4HealthTest {

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

    private static Status status(HealthIndicator indicator) {
        return Objects.requireNonNull(indicator.health()).getStatus();
    }
}
