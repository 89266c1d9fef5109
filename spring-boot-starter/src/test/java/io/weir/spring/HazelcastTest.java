package io.weir.spring;

import static org.assertj.core.api.Assertions.assertThat;

import com.hazelcast.client.HazelcastClient;
import com.hazelcast.client.config.ClientConfig;
import com.hazelcast.config.Config;
import com.hazelcast.config.InMemoryFormat;
import com.hazelcast.config.MapConfig;
import com.hazelcast.core.Hazelcast;
import com.hazelcast.core.HazelcastInstance;
import com.hazelcast.core.LifecycleEvent;
import com.hazelcast.instance.BuildInfoProvider;
import io.weir.LimitHealth;
import io.weir.Weir;
import io.weir.hazelcast.HazelcastStore;
import io.weir.store.Source;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Primary;
import org.springframework.context.event.EventListener;

/** In clusters of one, on whichever Hazelcast is on the class path. */
class HazelcastTest {

    private static final String MAP = "weir.shop";

    private final ApplicationContextRunner application = new ApplicationContextRunner()
            .withUserConfiguration(Application.class)
            .withPropertyValues(
                    "weir.namespace=shop",
                    "weir.limits.per-client.failure-policy=deny",
                    "weir.limits.per-client.capacity=3",
                    "weir.limits.per-client.refill=1/day",
                    "weir.limits.per-client.deadline=5s");

    @Test
    void runsOnTheHazelcastThatIsMeant() {
        assertThat(BuildInfoProvider.getBuildInfo().getVersion()).isEqualTo(System.getProperty("weir.test.hazelcast"));
    }

    @Test
    void contributesToAConfigBeanAndIsClosedFirst() {
        List<String> closed = new CopyOnWriteArrayList<>();
        application.withUserConfiguration(OneMember.class).run(context -> {
            assertThat(context).hasNotFailed();
            HazelcastInstance hazelcast = context.getBean(HazelcastInstance.class);
            Weir weir = context.getBean(Weir.class);
            assertThat(hazelcast.getConfig().getMapConfigs()).containsKey(MAP);
            assertThat(hazelcast.getSplitBrainProtectionService().getSplitBrainProtection("weir"))
                    .isNotNull();
            assertThat(weir.limiter("per-client").tryAcquire("ann").source()).isEqualTo(Source.CLUSTER);
            hazelcast.getLifecycleService().addLifecycleListener(event -> {
                if (event.getState() == LifecycleEvent.LifecycleState.SHUTTING_DOWN) {
                    weir.limiter("per-client").tryAcquire("bob");
                    closed.add(String.valueOf(weir.health().limits().get(0).reason()));
                }
            });
        });
        assertThat(closed).containsExactly("CLOSED");
    }

    @Test
    void contributesToHazelcastYaml(@TempDir Path folder) throws IOException {
        Path yaml = Files.writeString(folder.resolve("hazelcast.yaml"), """
                hazelcast:
                  cluster-name: weir-spring-yaml
                  properties:
                    hazelcast.phone.home.enabled: false
                    hazelcast.wait.seconds.before.join: 0
                    hazelcast.logging.type: none
                  network:
                    port: {port: 5701, auto-increment: true}
                    interfaces: {enabled: true, interfaces: [127.0.0.1]}
                    join:
                      auto-detection: {enabled: false}
                      multicast: {enabled: false}
                """);

        application
                .withPropertyValues("spring.hazelcast.config=" + yaml.toUri())
                .run(context -> {
                    assertThat(context).hasNotFailed();
                    HazelcastInstance hazelcast = context.getBean(HazelcastInstance.class);
                    assertThat(hazelcast.getConfig().getClusterName()).isEqualTo("weir-spring-yaml");
                    assertThat(hazelcast.getSplitBrainProtectionService().getSplitBrainProtection("weir"))
                            .isNotNull();
                    assertThat(context.getBean(Weir.class)
                                    .limiter("per-client")
                                    .tryAcquire("ann")
                                    .source())
                            .isEqualTo(Source.CLUSTER);
                });
    }

    @Test
    void limitsThroughAClient() {
        HazelcastInstance member =
                Hazelcast.newHazelcastInstance(HazelcastStore.configure(Loopback.config("weir-spring-client"), "shop"));
        try {
            ClientConfig config = new ClientConfig().setClusterName("weir-spring-client");
            config.getNetworkConfig()
                    .addAddress("127.0.0.1:"
                            + member.getCluster().getLocalMember().getAddress().getPort());
            config.setProperty("hazelcast.logging.type", "none");
            application
                    .withBean(HazelcastInstance.class, () -> HazelcastClient.newHazelcastClient(config))
                    .run(context -> {
                        assertThat(context).hasNotFailed();
                        assertThat(context.getBean(Weir.class)
                                        .limiter("per-client")
                                        .tryAcquire("ann")
                                        .source())
                                .isEqualTo(Source.CLUSTER);
                        assertThat(member.getMap(MAP).size()).isEqualTo(1);
                    });
        } finally {
            member.getLifecycleService().terminate();
        }
    }

    @Test
    void doesNotChooseBetweenTwo() {
        application
                .withUserConfiguration(TwoMembers.class)
                .run(context -> assertThat(context.getStartupFailure())
                        .rootCause()
                        .isNotNull()
                        .satisfies(unused -> assertThat(misconfiguration(context.getStartupFailure()))
                                .hasMessageContaining(
                                        "there are several beans of type HazelcastInstance: [cache, limits]")
                                .satisfies(each -> assertThat(each.action())
                                        .contains("Set weir.hazelcast-instance to the name of one of them"))));
    }

    @Test
    void takesTheOneThatIsNamed() {
        application
                .withUserConfiguration(TwoMembers.class)
                .withPropertyValues("weir.hazelcast-instance=limits")
                .run(context -> {
                    context.getBean(Weir.class).limiter("per-client").tryAcquire("ann");
                    assertThat(context.getBean("limits", HazelcastInstance.class)
                                    .getMap(MAP)
                                    .size())
                            .isEqualTo(1);
                });
    }

    @Test
    void takesThePrimaryOne() {
        application.withUserConfiguration(OnePrimary.class).run(context -> {
            context.getBean(Weir.class).limiter("per-client").tryAcquire("ann");
            assertThat(context.getBean("limits", HazelcastInstance.class)
                            .getMap(MAP)
                            .size())
                    .isEqualTo(1);
        });
    }

    @Test
    void leavesAMapThatIsConfiguredAlready() {
        Config config = Loopback.config("unused")
                .addMapConfig(HazelcastStore.mapConfig("shop").setInMemoryFormat(InMemoryFormat.OBJECT));

        new MapContribution(() -> "shop").addTo(config);

        MapConfig map = config.getMapConfig(MAP);
        assertThat(map.getInMemoryFormat()).isEqualTo(InMemoryFormat.OBJECT);
        assertThat(config.getSplitBrainProtectionConfigs()).containsKey("weir");
    }

    @Test
    void addsNoMapToHazelcastIfLimitsAreLocal() {
        application
                .withUserConfiguration(OneMember.class)
                .withPropertyValues("weir.store=local")
                .run(context -> assertThat(context.getBean(HazelcastInstance.class)
                                .getConfig()
                                .getMapConfigs())
                        .doesNotContainKey(MAP));
    }

    @Test
    void tellsOfLimitsThatAreDegraded() {
        application
                .withUserConfiguration(OneMember.class, Listening.class)
                .withPropertyValues("weir.limits.per-client.deadline=100ms")
                .run(context -> {
                    Listening listening = context.getBean(Listening.class);
                    Weir weir = context.getBean(Weir.class);
                    context.getBean(HazelcastInstance.class)
                            .getLifecycleService()
                            .terminate();
                    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
                    while (listening.heard.isEmpty() && System.nanoTime() < end) {
                        weir.limiter("per-client").tryAcquire("ann");
                        Thread.onSpinWait();
                    }
                    assertThat(listening.heard).extracting(LimitHealth::limit).contains("per-client");
                });
    }

    private static Misconfiguration misconfiguration(Throwable failure) {
        List<Throwable> causes = new ArrayList<>();
        for (Throwable each = failure; each != null; each = each.getCause()) {
            if (each instanceof Misconfiguration found) {
                return found;
            }
            causes.add(each);
        }
        throw new AssertionError("no misconfiguration in " + causes, failure);
    }

    /** With Spring Boot's Hazelcast, whichever package that is in. */
    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Application {}

    @Configuration(proxyBeanMethods = false)
    static class OneMember {
        @Bean
        Config config() {
            return Loopback.config("weir-spring");
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class TwoMembers {
        @Bean
        HazelcastInstance cache() {
            return Hazelcast.newHazelcastInstance(Loopback.config("weir-spring-cache"));
        }

        @Bean
        HazelcastInstance limits() {
            return Hazelcast.newHazelcastInstance(
                    HazelcastStore.configure(Loopback.config("weir-spring-limits"), "shop"));
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class OnePrimary {
        @Bean
        HazelcastInstance cache() {
            return new TwoMembers().cache();
        }

        @Bean
        @Primary
        HazelcastInstance limits() {
            return new TwoMembers().limits();
        }
    }

    static class Listening {
        final List<LimitHealth> heard = new CopyOnWriteArrayList<>();

        @EventListener
        void on(LimitHealth health) {
            heard.add(health);
        }
    }
}
