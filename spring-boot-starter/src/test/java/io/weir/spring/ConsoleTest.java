package io.weir.spring;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.weir.FailurePolicy;
import io.weir.Limit;
import io.weir.Weir;
import io.weir.algorithm.Bandwidth;
import io.weir.console.Console;
import io.weir.console.ConsoleAnswer;
import io.weir.console.ConsoleMeters;
import io.weir.console.ConsoleServlet;
import io.weir.store.LocalStore;
import jakarta.servlet.Filter;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.context.runner.ReactiveWebApplicationContextRunner;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.boot.web.servlet.ServletRegistrationBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.mock.web.MockFilterChain;
import org.springframework.mock.web.MockHttpServletRequest;
import org.springframework.mock.web.MockHttpServletResponse;

class ConsoleTest {

    private static final AutoConfigurations OURS = AutoConfigurations.of(
            WeirAutoConfiguration.class, WeirQuotaAutoConfiguration.class, WeirConsoleAutoConfiguration.class);

    private static final String[] LIMITED = {
        "weir.store=local",
        "weir.limits.one.failure-policy=deny",
        "weir.limits.one.capacity=1",
        "weir.limits.one.refill=1/day",
        "spring.application.name=shop",
        "HOSTNAME=pod-7"
    };

    private final WebApplicationContextRunner servlets =
            new WebApplicationContextRunner().withConfiguration(OURS).withPropertyValues(LIMITED);

    @Test
    void isNotThereUnlessItIsWanted() {
        servlets.run(context -> assertThat(context)
                .hasNotFailed()
                .doesNotHaveBean(Console.class)
                .doesNotHaveBean(ServletRegistrationBean.class));
    }

    @Test
    void servesThePageUnderItsPath() {
        servlets.withPropertyValues("weir.console.enabled=true").run(context -> {
            assertThat(servlet(context.getBean(ServletRegistrationBean.class))).containsExactly("/weir/*");
            assertThat(data(context.getBean(Console.class)))
                    .contains("\"node\":\"pod-7\"", "\"name\":\"one\"", "\"period\":\"PT24H\"");
        });
        servlets.withPropertyValues("weir.console.enabled=true", "weir.console.path=/admin/limits")
                .run(context -> assertThat(servlet(context.getBean(ServletRegistrationBean.class)))
                        .containsExactly("/admin/limits/*"));
    }

    /** Whoever is on call looks at it when everything else is refused. */
    @Test
    void isNotLimitedItself() {
        servlets.withConfiguration(AutoConfigurations.of(WeirHttpAutoConfiguration.class))
                .withPropertyValues(
                        "weir.console.enabled=true",
                        "weir.http.routes[0].path=/**",
                        "weir.http.routes[0].limit=one",
                        "weir.http.routes[0].key=all")
                .run(context -> {
                    Filter filter =
                            ((FilterRegistrationBean<?>) context.getBean("weirFilterBeforeAuthentication")).getFilter();
                    assertThat(List.of(status(filter, "/shop"), status(filter, "/shop")))
                            .containsExactly(200, 429);
                    assertThat(status(filter, "/weir/data")).isEqualTo(200);
                });
    }

    private static int status(Filter filter, String path) throws Exception {
        MockHttpServletResponse response = new MockHttpServletResponse();
        filter.doFilter(new MockHttpServletRequest("GET", path), response, new MockFilterChain());
        return response.getStatus();
    }

    private static Iterable<String> servlet(ServletRegistrationBean<?> registration) {
        assertThat(registration.getServlet()).isInstanceOf(ConsoleServlet.class);
        return List.copyOf(registration.getUrlMappings());
    }

    @Test
    void countsBesideTheApplicationsMeters() {
        servlets.withPropertyValues("weir.console.enabled=true")
                .withBean(MeterRegistry.class, SimpleMeterRegistry::new)
                .run(context -> {
                    context.getBean(Weir.class).limiter("one").tryAcquire("ann");
                    context.getBean(Weir.class).limiter("one").tryAcquire("ann");
                    assertThat(data(context.getBean(Console.class)))
                            .contains("\"total\":{\"granted\":1,\"denied\":1,\"never\":0}");
                    assertThat(context.getBean(MeterRegistry.class)
                                    .get("weir.decisions")
                                    .tag("outcome", "denied")
                                    .tag("source", "local")
                                    .counter()
                                    .count())
                            .isEqualTo(1);
                });
    }

    @Test
    void showsQuotas() {
        servlets.withPropertyValues(
                        "weir.console.enabled=true",
                        "weir.quotas.tokens.cap=1000",
                        "weir.quotas.tokens.unit=tokens",
                        "weir.quotas.tokens.period=month",
                        "weir.quotas.tokens.zone=Europe/Berlin",
                        "weir.quotas.tokens.failure-policy=deny",
                        "weir.quota.schema=create")
                .withBean(DataSource.class, MemoryDatabase::create)
                .run(
                        context -> assertThat(data(context.getBean(Console.class)))
                                .contains(
                                        "\"quotas\":[{\"name\":\"tokens\",\"cap\":1000,\"unit\":\"tokens\",\"period\":\"MONTH\""));
    }

    @Test
    void masksKeys() {
        servlets.withPropertyValues("weir.console.enabled=true", "weir.console.mask-keys=true", "weir.keys.watch=true")
                .run(context -> {
                    context.getBean(Weir.class).limiter("one").tryAcquire("ann@example.org");
                    assertThat(data(context.getBean(Console.class)))
                            .contains("\"busiest\":[{\"key\":\"#")
                            .doesNotContain("ann");
                });
    }

    @Test
    void refusesAPathThatIsNone() {
        for (String each : new String[] {"weir", "/weir/", "/", "/we ir", "/weir/*"}) {
            servlets.withPropertyValues("weir.console.enabled=true", "weir.console.path=" + each)
                    .run(context -> assertThat(context)
                            .getFailure()
                            .rootCause()
                            .isInstanceOf(Misconfiguration.class)
                            .hasMessageContaining("weir.console.path"));
        }
    }

    @Test
    void saysWhatToAddWhereTheConsoleIsMissing() {
        servlets.withClassLoader(new FilteredClassLoader("io.weir.console"))
                .withPropertyValues("weir.console.enabled=true")
                .run(context -> assertThat(context)
                        .getFailure()
                        .rootCause()
                        .isInstanceOf(Misconfiguration.class)
                        .hasMessageContaining("not on the class path"));
        servlets.withClassLoader(new FilteredClassLoader("io.weir.console"))
                .run(context -> assertThat(context).hasNotFailed());
    }

    @Test
    void isThereWithoutAPageWhereThereAreNoServlets() {
        new ApplicationContextRunner()
                .withConfiguration(OURS)
                .withPropertyValues(LIMITED)
                .withPropertyValues("weir.console.enabled=true")
                .run(context -> assertThat(context).hasSingleBean(Console.class));
        try (Logged logged = new Logged(Weir.class)) {
            new ReactiveWebApplicationContextRunner()
                    .withConfiguration(OURS)
                    .withPropertyValues(LIMITED)
                    .withPropertyValues("weir.console.enabled=true")
                    .run(context -> assertThat(context).hasSingleBean(Console.class));
            assertThat(logged.messages()).anySatisfy(each -> assertThat(each).contains("WebFlux"));
        }
    }

    @Test
    void anApplicationsOwnWeirNeedsMetersThatCount() {
        servlets.withPropertyValues("weir.console.enabled=true")
                .withUserConfiguration(OwnWeir.class)
                .run(context -> assertThat(context)
                        .getFailure()
                        .rootCause()
                        .isInstanceOf(Misconfiguration.class)
                        .hasMessageContaining("the application's own"));
        servlets.withPropertyValues("weir.console.enabled=true")
                .withUserConfiguration(OwnWeirThatCounts.class)
                .run(context -> assertThat(data(context.getBean(Console.class))).contains("\"name\":\"mine\""));
    }

    private static String data(Console console) {
        ConsoleAnswer answer = console.answer("GET", "/weir", "/data", null);
        assertThat(answer.status()).isEqualTo(200);
        return new String(answer.body(), StandardCharsets.UTF_8);
    }

    private static Weir.Builder mine() {
        return Weir.over(LocalStore.create())
                .limit(Limit.named("mine", FailurePolicy.DENY)
                        .bandwidth(Bandwidth.of(1, 1, Duration.ofDays(1)))
                        .build());
    }

    @Configuration(proxyBeanMethods = false)
    static class OwnWeir {
        @Bean
        Weir mineAlone() {
            return mine().build();
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class OwnWeirThatCounts {
        @Bean
        ConsoleMeters counts() {
            return ConsoleMeters.create();
        }

        @Bean
        Weir mineThatCounts(ConsoleMeters counts) {
            return mine().meters(counts).build();
        }
    }
}
