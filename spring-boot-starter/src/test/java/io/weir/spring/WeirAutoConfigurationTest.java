package io.weir.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.weir.FailurePolicy;
import io.weir.Limit;
import io.weir.Limiter;
import io.weir.Meters;
import io.weir.Weir;
import io.weir.algorithm.Algorithm;
import io.weir.algorithm.Bandwidth;
import io.weir.algorithm.CarryOver;
import io.weir.algorithm.Penalty;
import io.weir.store.LocalStore;
import io.weir.store.Store;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.StandardEnvironment;
import org.springframework.core.env.SystemEnvironmentPropertySource;

class WeirAutoConfigurationTest {

    private static final String[] PER_CLIENT = {
        "weir.limits.per-client.failure-policy=deny",
        "weir.limits.per-client.capacity=100",
        "weir.limits.per-client.refill=50/s"
    };

    private final ApplicationContextRunner bare = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(
                    WeirAutoConfiguration.class,
                    WeirHazelcastAutoConfiguration.class,
                    RateLimitedAutoConfiguration.class));

    private final ApplicationContextRunner local = bare.withPropertyValues("weir.store=local");

    @Test
    void makesLimitsOfWhatIsWritten() {
        local.withPropertyValues(
                        "weir.nodes=3",
                        "weir.limits.per-client.failure-policy=local-share",
                        "weir.limits.per-client.capacity=100",
                        "weir.limits.per-client.refill=5/10s",
                        "weir.limits.per-client.deadline=20ms",
                        "weir.limits.per-client.exact=true",
                        "weir.limits.per-client.strict-partitions=true",
                        "weir.limits.per-client.version=7",
                        "weir.limits[api.v1].failure-policy=deny",
                        "weir.limits[api.v1].bandwidths[0].name=burst",
                        "weir.limits[api.v1].bandwidths[0].capacity=10",
                        "weir.limits[api.v1].bandwidths[0].refill=10/s",
                        "weir.limits[api.v1].bandwidths[1].name=daily",
                        "weir.limits[api.v1].bandwidths[1].capacity=1000",
                        "weir.limits[api.v1].bandwidths[1].refill=1000/day")
                .run(context -> assertThat(context.getBean(Weir.class).limiters())
                        .extracting(Limiter::limit)
                        .containsExactlyInAnyOrder(
                                Limit.named("per-client", FailurePolicy.LOCAL_SHARE)
                                        .bandwidth(Bandwidth.of(100, 5, Duration.ofSeconds(10)))
                                        .deadline(Duration.ofMillis(20))
                                        .exact()
                                        .strictPartitions()
                                        .version(7)
                                        .build(),
                                Limit.named("api.v1", FailurePolicy.DENY)
                                        .bandwidth(Bandwidth.of(10, 10, Duration.ofSeconds(1))
                                                .named("burst"))
                                        .bandwidth(Bandwidth.of(1000, 1000, Duration.ofDays(1))
                                                .named("daily"))
                                        .build()));
    }

    @Test
    void makesLimitsThatPunish() {
        local.withPropertyValues(
                        "weir.limits.login.failure-policy=deny",
                        "weir.limits.login.capacity=10",
                        "weir.limits.login.refill=10/m",
                        "weir.limits.login.penalty.strikes=5",
                        "weir.limits.login.penalty.per=10m",
                        "weir.limits.login.penalty.first=30s",
                        "weir.limits.login.penalty.longest=2h",
                        "weir.limits.login.penalty.forgiven-after=7d",
                        "weir.limits.standard.failure-policy=deny",
                        "weir.limits.standard.capacity=10",
                        "weir.limits.standard.refill=10/m",
                        "weir.limits.standard.penalty.strikes=3")
                .run(context -> assertThat(context.getBean(Weir.class).limiters())
                        .extracting(
                                each -> each.limit().name(),
                                each -> each.limit().penalty().orElseThrow())
                        .containsExactlyInAnyOrder(
                                tuple(
                                        "login",
                                        new Penalty(
                                                5,
                                                Duration.ofMinutes(10),
                                                Duration.ofSeconds(30),
                                                Duration.ofHours(2),
                                                Duration.ofDays(7))),
                                tuple("standard", Penalty.standard())));
    }

    /** From YAML as it is documented: what is in brackets is kept as it is. */
    @Test
    void givesSingleKeysNumbersOfTheirOwn(@TempDir Path folder) {
        try (ConfigurableApplicationContext context = new YamlApplication(folder).start("""
                weir:
                  store: local
                  limits:
                    "[api.v1]":
                      failure-policy: deny
                      capacity: 10
                      refill: 1/d
                      version: 3
                      overrides:
                        tenant-42: {capacity: 5000, refill: 1000/s}
                        42: {capacity: 1, refill: 1/s}
                        "[2001:db8::1]": {capacity: 2, refill: 1/s}
                        "[Tenant_7/eu.west]":
                          bandwidths:
                            - {name: burst, capacity: 10, refill: 10/s}
                            - {name: daily, capacity: 1000, refill: 1000/day}
                    mails:
                      failure-policy: deny
                      algorithm: sliding-log
                      refill: 10/h
                      overrides: {big: {refill: 100/h}}
                """)) {
            Weir weir = context.getBean(Weir.class);
            assertThat(weir.limiters())
                    .extracting(Limiter::limit)
                    .containsExactlyInAnyOrder(
                            Limit.named("api.v1", FailurePolicy.DENY)
                                    .bandwidth(Bandwidth.of(10, 1, Duration.ofDays(1)))
                                    .version(3)
                                    .override("tenant-42", Bandwidth.of(5_000, 1_000, Duration.ofSeconds(1)))
                                    .override("42", Bandwidth.of(1, 1, Duration.ofSeconds(1)))
                                    .override("2001:db8::1", Bandwidth.of(2, 1, Duration.ofSeconds(1)))
                                    .override(
                                            "Tenant_7/eu.west",
                                            Bandwidth.of(10, 10, Duration.ofSeconds(1))
                                                    .named("burst"),
                                            Bandwidth.of(1_000, 1_000, Duration.ofDays(1))
                                                    .named("daily"))
                                    .build(),
                            Limit.named("mails", FailurePolicy.DENY)
                                    .algorithm(Algorithm.Kind.SLIDING_LOG)
                                    .bandwidth(Bandwidth.perWindow(10, Duration.ofHours(1)))
                                    .override("big", Bandwidth.perWindow(100, Duration.ofHours(1)))
                                    .build());
            assertThat(weir.limiter("api.v1").tryAcquire("tenant-42", 4_000).granted())
                    .isTrue();
            assertThat(weir.limiter("api.v1").tryAcquire("eve", 11).impossible())
                    .isTrue();
        }
    }

    /** Spring Boot drops dashes and case of a plain name, and nothing of one in brackets: these are all different. */
    @Test
    void keepsANameInBracketsBesideAPlainOne(@TempDir Path folder) {
        try (ConfigurableApplicationContext context = new YamlApplication(folder).start("""
                weir:
                  store: local
                  limits:
                    mail: {failure-policy: deny, capacity: 1, refill: 1/s}
                    "[MAIL]": {failure-policy: deny, capacity: 2, refill: 1/s}
                    api:
                      failure-policy: deny
                      capacity: 10
                      refill: 1/s
                      overrides:
                        bob: {capacity: 3, refill: 1/s}
                        "[BOB]": {capacity: 4, refill: 1/s}
                        tenant42: {capacity: 5, refill: 1/s}
                        "[tenant-42]": {capacity: 6, refill: 1/s}
                        eve: {capacity: 7, refill: 1/s}
                        "[eve]": {capacity: 7, refill: 1/s}
                    "[API]":
                      failure-policy: deny
                      capacity: 10
                      refill: 1/s
                      overrides:
                        Bob: {capacity: 8, refill: 1/s}
                """)) {
            assertThat(context.getBean(Weir.class).limiters())
                    .extracting(Limiter::limit)
                    .containsExactlyInAnyOrder(
                            limit("mail", 1).build(),
                            limit("MAIL", 2).build(),
                            limit("api", 10)
                                    .override("bob", Bandwidth.of(3, 1, Duration.ofSeconds(1)))
                                    .override("BOB", Bandwidth.of(4, 1, Duration.ofSeconds(1)))
                                    .override("tenant42", Bandwidth.of(5, 1, Duration.ofSeconds(1)))
                                    .override("tenant-42", Bandwidth.of(6, 1, Duration.ofSeconds(1)))
                                    .override("eve", Bandwidth.of(7, 1, Duration.ofSeconds(1)))
                                    .build(),
                            limit("API", 10)
                                    .override("Bob", Bandwidth.of(8, 1, Duration.ofSeconds(1)))
                                    .build());
        }
    }

    private static Limit.Builder limit(String name, long capacity) {
        return Limit.named(name, FailurePolicy.DENY).bandwidth(Bandwidth.of(capacity, 1, Duration.ofSeconds(1)));
    }

    @Test
    void makesLimitsOfAnyAlgorithm() {
        local.withPropertyValues(
                        "weir.limits.mails.failure-policy=deny",
                        "weir.limits.mails.algorithm=sliding-log",
                        "weir.limits.mails.refill=100/h",
                        "weir.limits.mails.carry-over=as-is",
                        "weir.limits.calls.failure-policy=deny",
                        "weir.limits.calls.algorithm=leaky-bucket",
                        "weir.limits.calls.capacity=20",
                        "weir.limits.calls.refill=5/s",
                        "weir.limits.reports.failure-policy=deny",
                        "weir.limits.reports.algorithm=fixed-window",
                        "weir.limits.reports.carry-over=reset",
                        "weir.limits.reports.bandwidths[0].name=minute",
                        "weir.limits.reports.bandwidths[0].refill=10/m",
                        "weir.limits.reports.bandwidths[1].name=day",
                        "weir.limits.reports.bandwidths[1].capacity=100",
                        "weir.limits.reports.bandwidths[1].refill=100/d")
                .run(context -> assertThat(context.getBean(Weir.class).limiters())
                        .extracting(Limiter::limit)
                        .containsExactlyInAnyOrder(
                                Limit.named("mails", FailurePolicy.DENY)
                                        .algorithm(Algorithm.Kind.SLIDING_LOG)
                                        .bandwidth(Bandwidth.perWindow(100, Duration.ofHours(1)))
                                        .carryOver(CarryOver.AS_IS)
                                        .build(),
                                Limit.named("calls", FailurePolicy.DENY)
                                        .algorithm(Algorithm.Kind.LEAKY_BUCKET)
                                        .bandwidth(Bandwidth.of(20, 5, Duration.ofSeconds(1)))
                                        .build(),
                                Limit.named("reports", FailurePolicy.DENY)
                                        .algorithm(Algorithm.Kind.FIXED_WINDOW)
                                        .bandwidth(Bandwidth.perWindow(10, Duration.ofMinutes(1))
                                                .named("minute"))
                                        .bandwidth(Bandwidth.perWindow(100, Duration.ofDays(1))
                                                .named("day"))
                                        .carryOver(CarryOver.RESET)
                                        .build()));
    }

    @Test
    void takesAVariableForOneMoreNumberOfTheLimitThatIsWritten() {
        local.withPropertyValues(PER_CLIENT)
                .withInitializer(context -> context.getEnvironment()
                        .getPropertySources()
                        .addFirst(new SystemEnvironmentPropertySource(
                                StandardEnvironment.SYSTEM_ENVIRONMENT_PROPERTY_SOURCE_NAME,
                                Map.of("WEIR_LIMITS_PERCLIENT_CAPACITY", "7"))))
                .run(context -> assertThat(context.getBean(Weir.class).limiters())
                        .extracting(Limiter::limit)
                        .containsExactly(Limit.named("per-client", FailurePolicy.DENY)
                                .bandwidth(Bandwidth.of(7, 50, Duration.ofSeconds(1)))
                                .build()));
    }

    @Test
    void contributesTheMapToHazelcastBeforeThereAreLimits() {
        for (String namespace : new String[] {"weir.namespace=shop", "spring.application.name=shop"}) {
            bare.withPropertyValues(namespace, "weir.store=HAZELCAST")
                    .withUserConfiguration(CacheConfig.class)
                    .run(context -> assertThat(context.getBean(com.hazelcast.config.Config.class)
                                    .getMapConfigs())
                            .containsKey("weir.shop"));
        }
    }

    @Test
    void leavesToTheCoreWhatIsNotWritten() {
        local.withPropertyValues(PER_CLIENT)
                .run(context -> assertThat(context.getBean(Weir.class)
                                .limiter("per-client")
                                .limit())
                        .isEqualTo(Limit.named("per-client", FailurePolicy.DENY)
                                .bandwidth(Bandwidth.of(100, 50, Duration.ofSeconds(1)))
                                .build()));
    }

    @Test
    void isNotThereIfDisabled() {
        bare.withPropertyValues(PER_CLIENT)
                .withPropertyValues("weir.enabled=false")
                .withUserConfiguration(CacheConfig.class)
                .run(context -> {
                    assertThat(context).hasNotFailed();
                    assertThat(Arrays.stream(context.getBeanDefinitionNames())
                                    .map(context::getType)
                                    .filter(type -> type != null
                                            && type.getName().startsWith("io.weir.")
                                            && type != CacheConfig.class))
                            .isEmpty();
                    assertThat(context.getBean(com.hazelcast.config.Config.class)
                                    .getMapConfigs())
                            .doesNotContainKey("weir.shop");
                });
    }

    @Test
    void warnsOnceOfNoLimitsAndStarts() {
        try (Logged logged = new Logged(Weir.class)) {
            bare.run(context -> assertThat(context)
                    .hasNotFailed()
                    .doesNotHaveBean(Weir.class)
                    .doesNotHaveBean(Store.class));
            assertThat(logged.messages())
                    .singleElement()
                    .asString()
                    .startsWith("There is no limit, and so no bean of type Weir");
        }
    }

    @Test
    void takesAnEmptyMapForNoLimits(@TempDir Path folder) {
        try (ConfigurableApplicationContext context =
                new YamlApplication(folder).start("weir:\n  store: local\n  limits: {}\n")) {
            assertThat(context.getBeanProvider(Weir.class).getIfAvailable()).isNull();
        }
    }

    @Test
    void limitsLocallyWithoutHazelcastOnTheClassPath() {
        local.withPropertyValues(PER_CLIENT)
                .withClassLoader(new FilteredClassLoader("com.hazelcast", "io.weir.hazelcast", "io.micrometer"))
                .run(context -> assertThat(context).hasSingleBean(Weir.class));
    }

    @Test
    void saysThatHazelcastIsNotOnTheClassPath() {
        bare.withPropertyValues(PER_CLIENT)
                .withClassLoader(new FilteredClassLoader("com.hazelcast", "io.weir.hazelcast"))
                .run(context -> assertThat(context.getStartupFailure())
                        .rootCause()
                        .hasMessage("Limits are kept in Hazelcast, which is not on the class path."));
    }

    @Test
    void addsLimitsThatAreBeans() {
        local.withPropertyValues(PER_CLIENT)
                .withUserConfiguration(PerTenant.class)
                .run(context -> assertThat(context.getBean(Weir.class).limiters())
                        .extracting(each -> each.limit().name())
                        .containsExactly("per-client", "per-tenant"));
    }

    @Test
    void needsNothingWrittenIfLimitsAreBeans() {
        local.withUserConfiguration(PerTenant.class)
                .run(context -> assertThat(context).hasSingleBean(Weir.class));
    }

    @Test
    void givesWayToAWeir() {
        bare.withPropertyValues(PER_CLIENT)
                .withUserConfiguration(OwnWeir.class)
                .run(context -> assertThat(context).hasSingleBean(Weir.class).doesNotHaveBean(Store.class));
    }

    @Test
    void givesWayToAStore() {
        bare.withPropertyValues(PER_CLIENT)
                .withUserConfiguration(OwnStore.class)
                .run(context -> assertThat(context)
                        .hasSingleBean(Weir.class)
                        .hasSingleBean(Store.class)
                        .hasBean("ownStore"));
    }

    @Test
    void metersInTheRegistry() {
        local.withPropertyValues(PER_CLIENT)
                .withBean(MeterRegistry.class, SimpleMeterRegistry::new)
                .run(context -> {
                    context.getBean(Weir.class).limiter("per-client").tryAcquire("ann");
                    assertThat(context.getBean(MeterRegistry.class)
                                    .get("weir.decisions")
                                    .tags("limit", "per-client", "outcome", "granted", "source", "local")
                                    .counter()
                                    .count())
                            .isEqualTo(1);
                });
    }

    @Test
    void givesWayToMeters() {
        local.withPropertyValues(PER_CLIENT)
                .withBean(MeterRegistry.class, SimpleMeterRegistry::new)
                .withUserConfiguration(OwnMeters.class)
                .run(context -> assertThat(context).hasSingleBean(Meters.class).hasBean("ownMeters"));
    }

    @Test
    void needsNoRegistry() {
        local.withPropertyValues(PER_CLIENT)
                .run(context -> assertThat(context).hasSingleBean(Weir.class).doesNotHaveBean(Meters.class));
    }

    @Test
    void isFoundByTheClassPathAlone() {
        List<String> imported = org.springframework.boot.context.annotation.ImportCandidates.load(
                        org.springframework.boot.autoconfigure.AutoConfiguration.class, null)
                .getCandidates();

        assertThat(imported)
                .contains(
                        WeirAutoConfiguration.class.getName(),
                        WeirHazelcastAutoConfiguration.class.getName(),
                        RateLimitedAutoConfiguration.class.getName());
    }

    @Configuration(proxyBeanMethods = false)
    static class CacheConfig {
        @Bean
        com.hazelcast.config.Config config() {
            return new com.hazelcast.config.Config();
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class PerTenant {
        @Bean
        Limit perTenant() {
            return Limit.named("per-tenant", FailurePolicy.DENY)
                    .bandwidth(Bandwidth.of(1, 1, Duration.ofSeconds(1)))
                    .build();
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class OwnWeir {
        @Bean
        Weir ownWeir() {
            return Weir.over(LocalStore.create())
                    .limit(new PerTenant().perTenant())
                    .build();
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class OwnStore {
        @Bean
        Store ownStore() {
            return LocalStore.create();
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class OwnMeters {
        @Bean
        Meters ownMeters() {
            return (limit, policy) -> new Meters.OfLimit() {
                @Override
                public void decided(io.weir.algorithm.Verdict verdict, io.weir.store.Source source) {}

                @Override
                public void storeAsked(boolean answered, long nanos) {}

                @Override
                public void inFallback(long nanos) {}
            };
        }
    }
}
