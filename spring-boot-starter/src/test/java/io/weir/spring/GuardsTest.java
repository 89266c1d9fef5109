package io.weir.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.hamcrest.Matchers.containsString;
import static org.springframework.test.web.servlet.result.MockMvcResultMatchers.content;
import static org.springframework.test.web.servlet.result.MockMvcResultMatchers.header;
import static org.springframework.test.web.servlet.result.MockMvcResultMatchers.status;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.weir.Weir;
import io.weir.guard.LoadShedder;
import io.weir.guard.NodeConcurrencyGuard;
import io.weir.http.HttpGuards;
import jakarta.servlet.Filter;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ReactiveWebApplicationContextRunner;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.mock.http.server.reactive.MockServerHttpRequest;
import org.springframework.mock.web.MockHttpServletRequest;
import org.springframework.mock.web.server.MockServerWebExchange;
import org.springframework.test.web.servlet.MockMvc;
import org.springframework.test.web.servlet.RequestBuilder;
import org.springframework.test.web.servlet.setup.MockMvcBuilders;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.context.WebApplicationContext;
import org.springframework.web.server.WebFilter;
import org.springframework.web.server.WebFilterChain;
import org.springframework.web.servlet.config.annotation.EnableWebMvc;
import reactor.core.Disposable;
import reactor.core.publisher.Mono;

class GuardsTest {

    private static final String[] SHED = {"weir.http.shed.in-flight=1", "weir.http.shed.retry-after=7s"};

    private static final String[] REPORTS = {
        "weir.http.concurrency[0].name=reports",
        "weir.http.concurrency[0].path=/reports/**",
        "weir.http.concurrency[0].calls=2",
        "weir.http.concurrency[0].per-key=1",
        "weir.http.concurrency[0].key=principal"
    };

    private static final AutoConfigurations OURS = AutoConfigurations.of(
            WeirAutoConfiguration.class,
            RateLimitedAutoConfiguration.class,
            WeirHttpAutoConfiguration.class,
            WeirGuardsAutoConfiguration.class);

    private final WebApplicationContextRunner application =
            new WebApplicationContextRunner().withConfiguration(OURS).withUserConfiguration(Site.class);

    private final ReactiveWebApplicationContextRunner reactive =
            new ReactiveWebApplicationContextRunner().withConfiguration(OURS);

    @Test
    void shedsWithoutAnyLimitAndLetsProbesPass() {
        application.withPropertyValues(SHED).run(context -> {
            assertThat(context).doesNotHaveBean(Weir.class);
            MockMvc site = site(context);
            pages(context).meanwhile = () -> {
                site.perform(get("/"))
                        .andExpect(status().isServiceUnavailable())
                        .andExpect(header().string("Retry-After", "7"))
                        .andExpect(content().string(containsString("#temporary-reduced-capacity")));
                site.perform(get("/livez")).andExpect(status().isOk());
                return "meanwhile";
            };

            site.perform(get("/meanwhile")).andExpect(content().string("meanwhile"));
            site.perform(get("/")).andExpect(status().isOk());
        });
    }

    @Test
    void chargesNobodyWhoIsShed() {
        application
                .withPropertyValues(SHED)
                .withPropertyValues(HttpTest.LIMITS)
                .withPropertyValues(HttpTest.ROUTES)
                .run(context -> {
                    MockMvc site = site(context);
                    pages(context).meanwhile = () -> {
                        for (int i = 0; i < 3; i++) {
                            site.perform(get("/")).andExpect(status().isServiceUnavailable());
                        }
                        return "meanwhile";
                    };

                    site.perform(get("/meanwhile")).andExpect(header().string("X-RateLimit-Remaining", "1"));
                    site.perform(get("/"))
                            .andExpect(status().isOk())
                            .andExpect(header().string("X-RateLimit-Remaining", "0"));
                    site.perform(get("/")).andExpect(status().isTooManyRequests());
                });
    }

    @Test
    void guardsPathsForEachUser() {
        application.withPropertyValues(REPORTS).run(context -> {
            MockMvc site = site(context);
            pages(context).meanwhile = () -> {
                site.perform(get("/reports/1", "ann")).andExpect(status().isServiceUnavailable());
                site.perform(get("/reports/1", "bob")).andExpect(status().isOk());
                site.perform(get("/", "ann")).andExpect(status().isOk());
                return "meanwhile";
            };

            site.perform(get("/reports/meanwhile", "ann")).andExpect(content().string("meanwhile"));
        });
    }

    @Test
    void standsInFrontOfTheLimitsOnBothSidesOfAuthentication() {
        application
                .withPropertyValues(SHED)
                .withPropertyValues(REPORTS)
                .withPropertyValues(HttpTest.LIMITS)
                .withPropertyValues(HttpTest.ROUTES)
                .run(context -> assertThat(filters(context))
                        .extracting(FilterRegistrationBean::getOrder)
                        .containsExactly(-102, -101, -99, -98));
    }

    @Test
    void registersNoFilterUnlessSomethingIsGuarded() {
        application.run(context -> assertThat(filters(context)).isEmpty());
    }

    @Test
    void isNotThereIfDisabled() {
        application
                .withPropertyValues(SHED)
                .withPropertyValues("weir.enabled=false")
                .run(context -> assertThat(context).hasNotFailed().doesNotHaveBean(HttpGuards.class));
    }

    @Test
    void metersItsGuards() {
        application
                .withPropertyValues(SHED)
                .withPropertyValues(REPORTS)
                .withBean(MeterRegistry.class, SimpleMeterRegistry::new)
                .run(context -> {
                    MeterRegistry registry = context.getBean(MeterRegistry.class);
                    MockMvc site = site(context);
                    pages(context).meanwhile = () -> {
                        site.perform(get("/"));
                        return String.valueOf(registry.get("weir.guard.in.flight")
                                .tag("guard", "http")
                                .gauge()
                                .value());
                    };

                    site.perform(get("/meanwhile")).andExpect(content().string("1.0"));
                    assertThat(registry.get("weir.guard.shed")
                                    .tag("guard", "http")
                                    .functionCounter()
                                    .count())
                            .isEqualTo(1);
                    assertThat(registry.find("weir.guard.shed").meters()).hasSize(2);
                });
    }

    @Test
    void takesALoadShedderThatIsABean() {
        application
                .withBean(
                        LoadShedder.class,
                        () -> LoadShedder.named("mine").queue(() -> 9, 8).build())
                .run(context -> site(context).perform(get("/")).andExpect(status().isServiceUnavailable()));
    }

    @Test
    void saysThatThereAreSeveralLoadShedders() {
        WebApplicationContextRunner several = application
                .withBean(
                        "one",
                        LoadShedder.class,
                        () -> LoadShedder.named("a").inFlight(9).build())
                .withBean(
                        "two",
                        LoadShedder.class,
                        () -> LoadShedder.named("b").inFlight(9).build());
        several.run(context -> assertThat(misconfiguration(context.getStartupFailure()))
                .contains("several beans of type LoadShedder")
                .contains("[one, two]"));
    }

    private static String misconfiguration(@Nullable Throwable failure) {
        for (Throwable each = failure; each != null; each = each.getCause()) {
            if (each instanceof Misconfiguration found) {
                return String.valueOf(found.getMessage());
            }
        }
        return "none";
    }

    @Test
    void answersACallThatFoundNoRoomAsTheFilterDoes() {
        application.run(context -> {
            NodeConcurrencyGuard guard = NodeConcurrencyGuard.named("calls", 1).build();
            guard.tryEnter();
            pages(context).meanwhile = () -> guard.call("ann", () -> "done");

            site(context)
                    .perform(get("/meanwhile"))
                    .andExpect(status().isServiceUnavailable())
                    .andExpect(header().string("Retry-After", "5"))
                    .andExpect(header().string("Content-Type", "application/problem+json"));
        });
    }

    @Test
    void shedsUnderWebFluxUntilARequestIsDoneFailsOrIsCancelled() {
        reactive.withPropertyValues(SHED).run(context -> {
            Disposable first = pass(context, exchange -> Mono.never()).subscribe();
            assertThat(statusOf(context)).isEqualTo(503);

            first.dispose();
            assertThat(statusOf(context)).isEqualTo(200);

            pass(context, exchange -> Mono.error(new IllegalStateException("a handler fails")))
                    .onErrorComplete()
                    .block();
            assertThat(statusOf(context)).isEqualTo(200);

            pass(context, exchange -> {
                        throw new IllegalStateException("a filter throws");
                    })
                    .onErrorComplete()
                    .block();
            assertThat(statusOf(context)).isEqualTo(200);
        });
    }

    @Test
    void saysWhatIsMissing() {
        assertStops("weir.http.shed.retry-after=7s")
                .startsWith("weir.http.shed.in-flight")
                .contains("this is missing");
        assertStops("weir.http.concurrency[0].path=/x").startsWith("weir.http.concurrency[0].name");
        assertStops("weir.http.concurrency[0].name=x", "weir.http.concurrency[0].calls=1")
                .startsWith("weir.http.concurrency[0].path");
        assertStops("weir.http.concurrency[0].name=x", "weir.http.concurrency[0].path=/x")
                .startsWith("weir.http.concurrency[0].calls");
    }

    @Test
    void namesWhatIsWrong() {
        assertStops("weir.http.shed.in-flight=0")
                .isEqualTo(
                        "weir.http.shed.in-flight is \"0\" (\"weir.http.shed.in-flight\" from property source \"test\"):"
                                + " inFlight of guard \"http\" must be at least 1 but is 0.");
        assertStops("weir.http.shed.in-flight=1", "weir.http.shed.retry-after=0s")
                .startsWith("weir.http.shed.retry-after is \"0s\"");
        assertStops(with(REPORTS, "weir.http.concurrency[0].per-key=3"))
                .startsWith("weir.http.concurrency[0].per-key is \"3\"");
        assertStops(with(REPORTS, "weir.http.concurrency[0].key=cookie"))
                .startsWith("weir.http.concurrency[0].key is \"cookie\"");
        assertStops(with(REPORTS, "weir.http.concurrency[0].path=reports"))
                .startsWith("weir.http.concurrency[0].path is \"reports\"");
        assertStops(with(REPORTS, "weir.http.concurrency[0].name=http")).contains("another guard is called so");
        assertStops(
                        "weir.http.concurrency[0].name=x",
                        "weir.http.concurrency[0].path=/x",
                        "weir.http.concurrency[0].calls=1",
                        "weir.http.concurrency[0].key=principal")
                .startsWith("weir.http.concurrency[0].key is \"principal\"")
                .contains("without per-key, keys are not told apart");
        assertStops(with(REPORTS, "weir.http.concurrency[0].path=/livez"))
                .startsWith("weir.http.concurrency[0].path is \"/livez\"")
                .contains("guard another path, or do not leave this one free");
        assertStops("weir.http.shed.in-flight=1", "weir.http.probes=/health/**")
                .startsWith("weir.http.probes is \"/health/**\"");
    }

    private static String[] with(String[] properties, String more) {
        String[] all = Arrays.copyOf(properties, properties.length + 1);
        all[properties.length] = more;
        return all;
    }

    private org.assertj.core.api.AbstractStringAssert<?> assertStops(String... properties) {
        String[] message = new String[1];
        application.withPropertyValues(properties).run(context -> {
            for (Throwable each = context.getStartupFailure(); each != null; each = each.getCause()) {
                if (each instanceof Misconfiguration found) {
                    message[0] = found.getMessage();
                }
            }
        });
        return assertThat(message[0]);
    }

    private static int statusOf(ApplicationContext context) {
        MockServerWebExchange exchange = MockServerWebExchange.from(MockServerHttpRequest.get("/"));
        pass(context, exchange, passed -> Mono.empty()).block();
        return exchange.getResponse().getStatusCode() == null
                ? 200
                : exchange.getResponse().getStatusCode().value();
    }

    private static Mono<Void> pass(ApplicationContext context, WebFilterChain chain) {
        return pass(context, MockServerWebExchange.from(MockServerHttpRequest.get("/")), chain);
    }

    private static Mono<Void> pass(ApplicationContext context, MockServerWebExchange exchange, WebFilterChain chain) {
        return context.getBean("weirGuardFilterBeforeAuthentication", WebFilter.class)
                .filter(exchange, chain);
    }

    private static List<FilterRegistrationBean<?>> filters(WebApplicationContext context) {
        return Arrays.stream(context.getBeanNamesForType(FilterRegistrationBean.class))
                .<FilterRegistrationBean<?>>map(name -> context.getBean(name, FilterRegistrationBean.class))
                .filter(FilterRegistrationBean::isEnabled)
                .sorted(Comparator.comparing(FilterRegistrationBean::getOrder))
                .toList();
    }

    private static RequestBuilder get(String path) {
        return get(path, request -> {});
    }

    private static RequestBuilder get(String path, String user) {
        return get(path, request -> request.setUserPrincipal(() -> user));
    }

    /** Not by the builders of Spring's tests, whose methods are others in Spring 7. */
    private static RequestBuilder get(String path, Consumer<MockHttpServletRequest> more) {
        return context -> {
            MockHttpServletRequest request = new MockHttpServletRequest(context, "GET", path);
            more.accept(request);
            return request;
        };
    }

    private static MockMvc site(WebApplicationContext context) {
        return MockMvcBuilders.webAppContextSetup(context)
                .addFilters(filters(context).stream()
                        .map(FilterRegistrationBean::getFilter)
                        .toArray(Filter[]::new))
                .build();
    }

    private static Pages pages(ApplicationContext context) {
        return context.getBean(Pages.class);
    }

    @Configuration(proxyBeanMethods = false)
    @EnableWebMvc
    static class Site {
        @Bean
        Pages pages() {
            return new Pages();
        }
    }

    @RestController
    static class Pages {

        /** What happens while a request is in flight. */
        private @Nullable Callable<String> meanwhile;

        @GetMapping({"/", "/livez", "/reports/1"})
        String page() {
            return "page";
        }

        @GetMapping({"/meanwhile", "/reports/meanwhile"})
        String meanwhile() throws Exception {
            return meanwhile == null ? "nothing" : meanwhile.call();
        }
    }
}
