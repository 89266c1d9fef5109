package io.weir.spring;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.FailurePolicy;
import io.weir.Health;
import io.weir.LimitHealth;
import io.weir.Weir;
import io.weir.store.OwnerHealth;
import io.weir.store.StoreUnavailableException.Reason;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** What both Spring Boots have in common; what they call health is in {@code Boot3HealthTest}, and its like for 4. */
class ActuatorTest {

    private final ApplicationContextRunner application = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(WeirAutoConfiguration.class, WeirActuatorAutoConfiguration.class))
            .withPropertyValues(
                    "weir.store=local",
                    "weir.limits.per-client.failure-policy=deny",
                    "weir.limits.per-client.capacity=100",
                    "weir.limits.per-client.refill=50/s",
                    "weir.limits.per-client.version=3");

    @Test
    void endpointIsThereIfItIsExposed() {
        application.run(context -> assertThat(context).doesNotHaveBean(WeirEndpoint.class));
        application
                .withPropertyValues("management.endpoints.web.exposure.include=weir")
                .run(context -> {
                    WeirEndpoint endpoint = context.getBean(WeirEndpoint.class);
                    assertThat(endpoint.overview().limits()).singleElement().satisfies(limit -> {
                        assertThat(limit.on()).isTrue();
                        assertThat(limit.version()).isEqualTo(3);
                        assertThat(limit.failurePolicy()).isEqualTo("DENY");
                        assertThat(limit.state()).isEqualTo("EXACT");
                        assertThat(limit.bandwidths())
                                .containsExactly(new WeirEndpoint.BandwidthView("default", 100, 50, "PT1S"));
                    });
                    assertThat(endpoint.limit("per-client")).isNotNull();
                    assertThat(endpoint.limit("unknown")).isNull();
                });
    }

    @Test
    void endpointShowsALimitThatIsSwitchedOff() {
        application
                .withPropertyValues("management.endpoints.web.exposure.include=weir")
                .run(context -> {
                    context.getBean(Weir.class).limiter("per-client").switchOff();
                    assertThat(context.getBean(WeirEndpoint.class).overview().limits())
                            .singleElement()
                            .satisfies(limit -> assertThat(limit.on()).isFalse());
                });
    }

    @Test
    void endpointShowsTheBusiestKeysIfTheyAreWatched() {
        application
                .withPropertyValues("management.endpoints.web.exposure.include=weir", "weir.keys.shown=1")
                .withPropertyValues("weir.keys.watch=true")
                .run(context -> {
                    Weir weir = context.getBean(Weir.class);
                    weir.limiter("per-client").tryAcquire("bob");
                    for (int i = 0; i < 3; i++) {
                        weir.limiter("per-client").tryAcquire("ann");
                    }
                    assertThat(Objects.requireNonNull(
                                            context.getBean(WeirEndpoint.class).limit("per-client"))
                                    .busiestKeys())
                            .singleElement()
                            .satisfies(busy -> assertThat(busy.key()).isEqualTo("ann"));
                });
    }

    @Test
    void endpointShowsNoKeysIfTheyAreNotWatched() {
        application
                .withPropertyValues("management.endpoints.web.exposure.include=weir")
                .run(context -> {
                    context.getBean(Weir.class).limiter("per-client").tryAcquire("ann");
                    assertThat(context.getBean(WeirEndpoint.class).overview().limits())
                            .singleElement()
                            .satisfies(limit -> assertThat(limit.busiestKeys()).isEmpty());
                });
    }

    @Test
    void detailsSayWhyALimitIsDegradedAndWhichMemberLacksTheJar() {
        String why = "a member cannot read Weir's classes: put the same version of hazelcast-store on the class path";
        Health health = new Health(
                List.of(
                        new LimitHealth(
                                "logins",
                                LimitHealth.State.DEGRADED,
                                Duration.ofSeconds(7),
                                FailurePolicy.DENY,
                                Reason.INCOMPATIBLE,
                                why,
                                42,
                                Duration.ofSeconds(9)),
                        new LimitHealth(
                                "others",
                                LimitHealth.State.EXACT,
                                Duration.ofHours(1),
                                FailurePolicy.GRANT,
                                null,
                                null,
                                0,
                                Duration.ZERO)),
                List.of(
                        new OwnerHealth("[10.0.0.1]:5701", OwnerHealth.State.UNREACHABLE, Duration.ofSeconds(7), why),
                        new OwnerHealth("[10.0.0.2]:5701", OwnerHealth.State.REACHABLE, Duration.ofHours(1), null)));

        assertThat(HealthDetails.status(health)).isEqualTo("DOWN");
        assertThat(HealthDetails.of(health))
                .isEqualTo(Map.of(
                        "limits",
                        Map.of(
                                "logins",
                                Map.of(
                                        "state", "DEGRADED",
                                        "lasting", "PT7S",
                                        "policy", "DENY",
                                        "reason", "INCOMPATIBLE",
                                        "why", why,
                                        "answeredByPolicy", 42L),
                                "others",
                                "EXACT"),
                        "owners",
                        Map.of(
                                "[10.0.0.1]:5701",
                                Map.of("state", "UNREACHABLE", "lasting", "PT7S", "why", why),
                                "[10.0.0.2]:5701",
                                "REACHABLE")));
    }
}
