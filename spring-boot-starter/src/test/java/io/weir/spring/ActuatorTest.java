package io.weir.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import io.weir.FailurePolicy;
import io.weir.Health;
import io.weir.Limit;
import io.weir.LimitHealth;
import io.weir.Limiter;
import io.weir.Weir;
import io.weir.algorithm.Algorithm;
import io.weir.algorithm.Bandwidth;
import io.weir.algorithm.CarryOver;
import io.weir.store.OwnerHealth;
import io.weir.store.Source;
import io.weir.store.Store;
import io.weir.store.StoreUnavailableException.Reason;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.boot.actuate.autoconfigure.endpoint.EndpointAutoConfiguration;
import org.springframework.boot.actuate.autoconfigure.endpoint.web.WebEndpointAutoConfiguration;
import org.springframework.boot.actuate.endpoint.InvalidEndpointRequestException;
import org.springframework.boot.actuate.endpoint.InvocationContext;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.actuate.endpoint.web.WebEndpointsSupplier;
import org.springframework.boot.actuate.endpoint.web.WebOperation;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.web.server.ResponseStatusException;

/** What both Spring Boots have in common; what they call health is in {@code Boot3HealthTest}, and its like for 4. */
class ActuatorTest {

    private static final String[] LIMIT = {
        "weir.store=local",
        "weir.limits.per-client.failure-policy=deny",
        "weir.limits.per-client.capacity=100",
        "weir.limits.per-client.refill=50/s",
        "weir.limits.per-client.version=3"
    };

    private final ApplicationContextRunner application = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(WeirAutoConfiguration.class, WeirActuatorAutoConfiguration.class))
            .withPropertyValues(LIMIT);

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
    void endpointShowsKeysAndWhatWasSaidOfThemAndChangesNothing() {
        application
                .withPropertyValues(
                        "management.endpoints.web.exposure.include=weir",
                        "weir.endpoint.directives=2",
                        "weir.limits.per-client.overrides.plan.capacity=5000",
                        "weir.limits.per-client.overrides.plan.refill=1/s")
                .run(context -> {
                    Weir weir = context.getBean(Weir.class);
                    WeirEndpoint endpoint = context.getBean(WeirEndpoint.class);
                    assertThat(endpoint).isNotInstanceOf(WeirChangesEndpoint.class);
                    weir.limiter("per-client").tryAcquire("ann", 40);
                    weir.administration("ops").block("per-client", "bob", Duration.ofDays(1), "too many logins");
                    weir.administration("ops").override("per-client", "eve", Bandwidth.of(7, 1, Duration.ofDays(1)));
                    weir.administration("ops").block("per-client", "more", Duration.ofDays(1), "");

                    assertThat(endpoint.overview().behind()).isEqualTo("PT0S");
                    assertThat(endpoint.overview().directives())
                            .hasSize(2)
                            .anySatisfy(each -> {
                                assertThat(each.kind()).isEqualTo("BLOCK");
                                assertThat(each.key()).isEqualTo("bob");
                                assertThat(each.reason()).isEqualTo("too many logins");
                                assertThat(each.actor()).isEqualTo("ops");
                                assertThat(Instant.parse(Objects.requireNonNull(each.until())))
                                        .isAfter(Instant.parse(each.set()));
                            })
                            .anySatisfy(each -> assertThat(each.bandwidths())
                                    .containsExactly(new WeirEndpoint.BandwidthView("default", 7, 1, "PT24H")));
                    WeirEndpoint.KeyView ann = Objects.requireNonNull(endpoint.key("per-client", "ann"));
                    assertThat(ann.remaining()).isBetween(60L, 100L);
                    assertThat(ann.ownNumbers()).isFalse();
                    assertThat(Objects.requireNonNull(endpoint.key("per-client", "eve"))
                                    .ownNumbers())
                            .isTrue();
                    WeirEndpoint.KeyView plan = Objects.requireNonNull(endpoint.key("per-client", "plan"));
                    assertThat(plan.ownNumbers()).isTrue();
                    assertThat(plan.bandwidths())
                            .containsExactly(new WeirEndpoint.BandwidthView("default", 5_000, 1, "PT1S"));
                    assertThat(Duration.parse(Objects.requireNonNull(endpoint.key("per-client", "bob"))
                                    .blockedFor()))
                            .isPositive();
                    assertThat(endpoint.key("unknown", "ann")).isNull();
                });
    }

    @Test
    void endpointChangesThingsIfItIsToldTo() {
        application
                .withPropertyValues("management.endpoints.web.exposure.include=weir", "weir.endpoint.changes=true")
                .run(context -> {
                    Weir weir = context.getBean(Weir.class);
                    WeirChangesEndpoint endpoint = (WeirChangesEndpoint) context.getBean(WeirEndpoint.class);
                    SecurityContext nobody = SecurityContext.NONE;

                    endpoint.change("per-client", 4, 10, "1/day", null, nobody);
                    assertThat(weir.limiter("per-client").limit().rule().version())
                            .isEqualTo(4);
                    act(endpoint, "ann", WeirChangesEndpoint.Action.OVERRIDE, 20L, "1/day", null);
                    assertThat(weir.limiter("per-client").tryAcquire("ann", 20).granted())
                            .isTrue();
                    act(endpoint, "ann", WeirChangesEndpoint.Action.RESET, null, null, null);
                    assertThat(weir.limiter("per-client").peek("ann").remaining())
                            .hasValue(20);
                    act(endpoint, "ann", WeirChangesEndpoint.Action.CLEAR_OVERRIDE, null, null, null);
                    assertThat(weir.limiter("per-client").peek("ann").capacity())
                            .isEqualTo(10);
                    act(endpoint, "ann", WeirChangesEndpoint.Action.BLOCK, null, null, "10m");
                    assertThat(weir.limiter("per-client").tryAcquire("ann").source())
                            .isEqualTo(Source.BLOCKED);
                    act(endpoint, "ann", WeirChangesEndpoint.Action.UNBLOCK, null, null, null);
                    assertThat(weir.limiter("per-client").tryAcquire("ann").granted())
                            .isTrue();

                    assertThatThrownBy(() -> endpoint.change("per-client", 4, 11, "1/day", null, nobody))
                            .satisfies(refused -> assertStatus(refused, 409))
                            .hasMessageContaining("raise the version");
                    assertThatThrownBy(() -> endpoint.change("per-client", 5, 11, "soon", null, nobody))
                            .isInstanceOf(InvalidEndpointRequestException.class);
                    assertThatThrownBy(() -> endpoint.change("per-client", 5, 11, "1/day", "other", nobody))
                            .hasMessageContaining("no bandwidth of that name");
                    assertThatThrownBy(() -> act(endpoint, "ann", WeirChangesEndpoint.Action.BLOCK, null, null, null))
                            .hasMessageContaining("needs a duration");
                    assertThatThrownBy(() -> act(endpoint, "ann", WeirChangesEndpoint.Action.BLOCK, null, null, "soon"))
                            .hasMessageContaining("10m, 36h or PT10M");
                    assertThat(weir.limiter("per-client").limit().rule().version())
                            .isEqualTo(4);
                });
    }

    @Test
    void endpointShowsPenaltiesAndPardons() {
        application
                .withPropertyValues(
                        "management.endpoints.web.exposure.include=weir",
                        "weir.endpoint.changes=true",
                        "weir.limits.per-client.penalty.strikes=1")
                .run(context -> {
                    Weir weir = context.getBean(Weir.class);
                    WeirChangesEndpoint endpoint = (WeirChangesEndpoint) context.getBean(WeirEndpoint.class);
                    weir.limiter("per-client").strike("ann");
                    weir.limiter("per-client").strike("ann");
                    weir.administration("ops").block("per-client", "bob", Duration.ofDays(1), "");
                    assertThat(endpoint.overview().directives())
                            .extracting(WeirEndpoint.DirectiveView::key, WeirEndpoint.DirectiveView::level)
                            .containsExactly(tuple("ann", 1), tuple("bob", null));

                    act(endpoint, "ann", WeirChangesEndpoint.Action.PARDON, null, null, null);
                    assertThat(weir.limiter("per-client").tryAcquire("ann").granted())
                            .isTrue();
                    endpoint.change("per-client", 40, 10, "1/day", null, SecurityContext.NONE);
                    assertThat(weir.limiter("per-client").limit().penalty()).isPresent();
                });
    }

    @Test
    void changesAreAskedForByPathAndBody() {
        new WebApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(
                        WeirAutoConfiguration.class,
                        WeirActuatorAutoConfiguration.class,
                        EndpointAutoConfiguration.class,
                        WebEndpointAutoConfiguration.class))
                .withPropertyValues(LIMIT)
                .withPropertyValues("management.endpoints.web.exposure.include=weir", "weir.endpoint.changes=true")
                .run(context -> {
                    Map<String, WebOperation> operations = new HashMap<>();
                    context.getBean(WebEndpointsSupplier.class).getEndpoints().stream()
                            .flatMap(endpoint -> endpoint.getOperations().stream())
                            .forEach(each -> operations.put(
                                    each.getRequestPredicate().getHttpMethod() + " "
                                            + each.getRequestPredicate().getPath(),
                                    each));
                    assertThat(operations)
                            .containsOnlyKeys(
                                    "GET weir",
                                    "GET weir/{name}",
                                    "GET weir/{name}/{key}",
                                    "POST weir/{name}",
                                    "POST weir/{name}/{key}");

                    Weir weir = context.getBean(Weir.class);
                    invoke(
                            operations.get("POST weir/{name}"),
                            Map.of("name", "per-client", "version", 4, "capacity", 10, "refill", "1/day"));
                    assertThat(weir.limiter("per-client").peek("ann").capacity())
                            .isEqualTo(10);
                    WebOperation act = operations.get("POST weir/{name}/{key}");
                    invoke(
                            act,
                            Map.of("name", "*", "key", "ann", "action", "block", "duration", "10m", "reason", "why"));
                    assertThat(weir.limiter("per-client").tryAcquire("ann").source())
                            .isEqualTo(Source.BLOCKED);
                    invoke(act, Map.of("name", "*", "key", "ann", "action", "unblock"));
                    invoke(act, Map.of("name", "per-client", "key", "ann", "action", "clear-override"));
                    assertThat(weir.limiter("per-client").tryAcquire("ann").granted())
                            .isTrue();
                    assertThatThrownBy(() -> invoke(act, Map.of("name", "unknown", "key", "ann", "action", "reset")))
                            .satisfies(refused -> assertStatus(refused, 404));
                });
    }

    private static void invoke(@Nullable WebOperation operation, Map<String, Object> arguments) {
        Objects.requireNonNull(operation).invoke(new InvocationContext(SecurityContext.NONE, arguments));
    }

    private static void act(
            WeirChangesEndpoint endpoint,
            String key,
            WeirChangesEndpoint.Action action,
            @Nullable Long capacity,
            @Nullable String refill,
            @Nullable String duration) {
        endpoint.act("per-client", key, action, capacity, refill, duration, null, null, SecurityContext.NONE);
    }

    private static void assertStatus(Throwable refused, int status) {
        assertThat(refused)
                .isInstanceOfSatisfying(
                        ResponseStatusException.class,
                        each -> assertThat(each.getStatusCode().value()).isEqualTo(status));
    }

    private final ApplicationContextRunner changing = application.withPropertyValues(
            "management.endpoints.web.exposure.include=weir", "weir.endpoint.changes=true");

    private static WeirChangesEndpoint endpoint(ApplicationContext context) {
        return (WeirChangesEndpoint) context.getBean(WeirEndpoint.class);
    }

    @ParameterizedTest
    @EnumSource
    void changesNothingOfALimitButItsNumbers(Algorithm.Kind kind) {
        Limit.Builder builder = Limit.named("tried", FailurePolicy.GRANT)
                .bandwidth(Bandwidth.perWindow(10, Duration.ofSeconds(1)))
                .algorithm(kind)
                .carryOver(CarryOver.AS_IS)
                .debt(kind == Algorithm.Kind.TOKEN_BUCKET ? 9 : 0)
                .shadow();
        changing.run(context -> {
            Weir weir = context.getBean(Weir.class);
            weir.administration("ops").define(builder.build());

            endpoint(context).change("tried", 2, 20, "20/s", null, SecurityContext.NONE);

            Limit changed = weir.limiter("tried").limit();
            assertThat(changed.rule().algorithm().kind()).isEqualTo(kind);
            assertThat(changed.rule().carryOver()).isEqualTo(CarryOver.AS_IS);
            assertThat(changed.debt()).isEqualTo(kind == Algorithm.Kind.TOKEN_BUCKET ? 9 : 0);
            assertThat(changed.isShadow()).isTrue();
            assertThat(changed.bandwidths().get(0).capacity()).isEqualTo(20);
        });
    }

    @Test
    void anOverrideKeepsTheOtherBandwidths() {
        Bandwidth daily = Bandwidth.of(50, 50, Duration.ofDays(1)).named("daily");
        changing.run(context -> {
            Weir weir = context.getBean(Weir.class);
            WeirChangesEndpoint endpoint = endpoint(context);
            weir.administration("ops")
                    .define(Limit.named("two", FailurePolicy.DENY)
                            .bandwidth(Bandwidth.of(5, 5, Duration.ofSeconds(1)).named("burst"))
                            .bandwidth(daily)
                            .build());

            override(endpoint, 7L, "7/s", "burst");
            assertThat(weir.limiter("two").peek("ann").bandwidths())
                    .containsExactly(Bandwidth.of(7, 7, Duration.ofSeconds(1)).named("burst"), daily);
            override(endpoint, 90L, "90/day", "daily");
            assertThat(weir.limiter("two").peek("ann").bandwidths())
                    .extracting(Bandwidth::capacity)
                    .containsExactly(7L, 90L);
            assertThatThrownBy(() -> override(endpoint, 7L, "7/s", null))
                    .isInstanceOf(InvalidEndpointRequestException.class)
                    .hasMessageContaining("say which one, of [burst, daily]");
        });
    }

    @Test
    void anOverrideKeepsTheOtherBandwidthsThatTheDefinitionGivesTheKey() {
        changing.withPropertyValues(
                        "weir.limits.two.failure-policy=deny",
                        "weir.limits.two.bandwidths[0].name=burst",
                        "weir.limits.two.bandwidths[0].capacity=5",
                        "weir.limits.two.bandwidths[0].refill=5/s",
                        "weir.limits.two.bandwidths[1].name=daily",
                        "weir.limits.two.bandwidths[1].capacity=50",
                        "weir.limits.two.bandwidths[1].refill=50/day",
                        "weir.limits.two.overrides.ann.bandwidths[0].name=daily",
                        "weir.limits.two.overrides.ann.bandwidths[0].capacity=500",
                        "weir.limits.two.overrides.ann.bandwidths[0].refill=500/day")
                .run(context -> {
                    Limiter two = context.getBean(Weir.class).limiter("two");
                    assertThat(two.peek("ann").bandwidths())
                            .extracting(Bandwidth::capacity)
                            .containsExactly(500L);

                    override(endpoint(context), 7L, "7/s", null);

                    assertThat(two.peek("ann").bandwidths())
                            .containsExactly(
                                    Bandwidth.of(7, 7, Duration.ofSeconds(1)).named("daily"));
                });
    }

    /** The cap of a day, which the limit does not have, is not to go when a burst is raised. */
    @Test
    void anOverrideKeepsTheBandwidthsThatOnlyTheKeyHas() {
        Bandwidth burst = Bandwidth.of(500, 500, Duration.ofSeconds(1)).named("burst");
        Bandwidth daily = Bandwidth.of(100_000, 100_000, Duration.ofDays(1)).named("daily");
        changing.withPropertyValues(
                        "weir.limits.two.failure-policy=deny",
                        "weir.limits.two.capacity=100",
                        "weir.limits.two.refill=50/s",
                        "weir.limits.two.overrides.ann.bandwidths[0].name=burst",
                        "weir.limits.two.overrides.ann.bandwidths[0].capacity=500",
                        "weir.limits.two.overrides.ann.bandwidths[0].refill=500/s",
                        "weir.limits.two.overrides.ann.bandwidths[1].name=daily",
                        "weir.limits.two.overrides.ann.bandwidths[1].capacity=100000",
                        "weir.limits.two.overrides.ann.bandwidths[1].refill=100000/day")
                .run(context -> {
                    Limiter two = context.getBean(Weir.class).limiter("two");
                    WeirChangesEndpoint endpoint = endpoint(context);
                    assertThat(two.peek("ann").bandwidths()).containsExactly(burst, daily);

                    assertThatThrownBy(() -> override(endpoint, 600L, "600/s", null))
                            .isInstanceOf(InvalidEndpointRequestException.class)
                            .hasMessageContaining("say which one, of [burst, daily]");
                    assertThatThrownBy(() -> override(endpoint, 600L, "600/s", "default"))
                            .isInstanceOf(InvalidEndpointRequestException.class)
                            .hasMessageContaining("but [burst, daily]");
                    override(endpoint, 600L, "600/s", "burst");
                    assertThat(two.peek("ann").bandwidths())
                            .containsExactly(
                                    Bandwidth.of(600, 600, Duration.ofSeconds(1))
                                            .named("burst"),
                                    daily);
                    override(endpoint, 90L, "90/day", "daily");
                    assertThat(two.peek("ann").bandwidths())
                            .extracting(Bandwidth::capacity)
                            .containsExactly(600L, 90L);
                });
    }

    private static void override(WeirChangesEndpoint endpoint, Long capacity, String refill, @Nullable String which) {
        endpoint.act(
                "two",
                "ann",
                WeirChangesEndpoint.Action.OVERRIDE,
                capacity,
                refill,
                null,
                null,
                which,
                SecurityContext.NONE);
    }

    @Test
    void showsWhatIsPeculiarToALimit() {
        changing.run(context -> {
            context.getBean(Weir.class)
                    .administration("ops")
                    .define(Limit.named("tried", FailurePolicy.DENY)
                            .bandwidth(Bandwidth.of(5, 5, Duration.ofSeconds(1)))
                            .debt(3)
                            .shadowOf("per-client")
                            .carryOver(CarryOver.AS_IS)
                            .build());
            WeirEndpoint.LimitView tried =
                    Objects.requireNonNull(endpoint(context).limit("tried"));
            assertThat(tried.debt()).isEqualTo(3);
            assertThat(tried.carryOver()).isEqualTo("AS_IS");
            assertThat(tried.shadow()).isTrue();
            assertThat(tried.shadowOf()).isEqualTo("per-client");
            assertThat(Objects.requireNonNull(endpoint(context).limit("per-client"))
                            .shadow())
                    .isFalse();
        });
    }

    @Test
    void tellsApartWhatWentWrong() {
        changing.run(context -> {
            WeirChangesEndpoint endpoint = endpoint(context);
            assertThatThrownBy(() -> endpoint.change("unknown", 1, 1, "1/s", null, SecurityContext.NONE))
                    .satisfies(refused -> assertStatus(refused, 404));
        });
        changing.withBean(Store.class, AwayStore::new)
                .withPropertyValues("weir.store=local")
                .run(context -> assertThatThrownBy(
                                () -> act(endpoint(context), "ann", WeirChangesEndpoint.Action.RESET, null, null, null))
                        .satisfies(refused -> assertStatus(refused, 503)));
    }

    @Test
    void detailsSayForHowLongNothingWasHeardOfDirectives() {
        assertThat(HealthDetails.of(new Health(List.of(), List.of(), Duration.ofSeconds(9))))
                .isEqualTo(Map.of("limits", Map.of(), "directivesBehind", "PT9S"));
        assertThat(HealthDetails.of(new Health(List.of(), List.of()))).isEqualTo(Map.of("limits", Map.of()));
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
