package io.weir.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.hamcrest.Matchers.containsString;
import static org.springframework.test.web.servlet.result.MockMvcResultMatchers.content;
import static org.springframework.test.web.servlet.result.MockMvcResultMatchers.header;
import static org.springframework.test.web.servlet.result.MockMvcResultMatchers.status;

import io.weir.Limiter;
import io.weir.Weir;
import io.weir.http.HttpLimits;
import io.weir.http.HttpMapping;
import io.weir.http.KeyResolver;
import jakarta.servlet.Filter;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.http.ResponseEntity;
import org.springframework.mock.web.MockHttpServletRequest;
import org.springframework.mock.web.MockHttpServletResponse;
import org.springframework.test.web.servlet.MockMvc;
import org.springframework.test.web.servlet.RequestBuilder;
import org.springframework.test.web.servlet.setup.MockMvcBuilders;
import org.springframework.web.bind.annotation.ControllerAdvice;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.context.WebApplicationContext;
import org.springframework.web.servlet.HandlerExceptionResolver;
import org.springframework.web.servlet.config.annotation.CorsRegistry;
import org.springframework.web.servlet.config.annotation.EnableWebMvc;
import org.springframework.web.servlet.config.annotation.WebMvcConfigurer;
import org.springframework.web.servlet.function.RouterFunction;
import org.springframework.web.servlet.function.RouterFunctions;
import org.springframework.web.servlet.function.ServerResponse;

class HttpTest {

    static final String[] LIMITS = {
        "weir.store=local",
        "weir.limits.two.failure-policy=deny",
        "weir.limits.two.capacity=2",
        "weir.limits.two.refill=2/day",
        "weir.limits.one.failure-policy=deny",
        "weir.limits.one.capacity=1",
        "weir.limits.one.refill=1/day"
    };

    static final String[] ROUTES = {
        "weir.http.routes[0].path=/health",
        "weir.http.routes[0].cost=0",
        "weir.http.routes[1].path=/mine",
        "weir.http.routes[1].limit=one",
        "weir.http.routes[1].key=principal",
        "weir.http.routes[2].path=/**",
        "weir.http.routes[2].limit=two",
        "weir.http.routes[2].key=client-address"
    };

    private final WebApplicationContextRunner bare = new WebApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(
                    WeirAutoConfiguration.class, RateLimitedAutoConfiguration.class, WeirHttpAutoConfiguration.class))
            .withUserConfiguration(Site.class)
            .withPropertyValues(LIMITS);

    private final WebApplicationContextRunner application = bare.withPropertyValues(ROUTES);

    @Test
    void neverLimitsProbes() {
        application.run(context -> {
            MockMvc site = site(context);
            for (int i = 0; i < 5; i++) {
                site.perform(get("/livez", request -> {})).andExpect(header().doesNotExist("X-RateLimit-Limit"));
                site.perform(get("/actuator/health/readiness", request -> {}))
                        .andExpect(header().doesNotExist("X-RateLimit-Limit"));
            }
            site.perform(get("/", request -> {})).andExpect(header().string("X-RateLimit-Remaining", "1"));
        });
    }

    @Test
    void limitsAProbeThatHasARoute() {
        bare.withPropertyValues(
                        "weir.http.routes[0].path=/livez",
                        "weir.http.routes[0].limit=one",
                        "weir.http.routes[0].key=all")
                .run(context -> site(context)
                        .perform(get("/livez", request -> {}))
                        .andExpect(header().string("X-RateLimit-Limit", "1")));
    }

    @Test
    void limitsRoutesByClientAddress() {
        application.run(context -> {
            MockMvc site = site(context);
            site.perform(get("/", request -> {}))
                    .andExpect(status().isOk())
                    .andExpect(header().string("X-RateLimit-Remaining", "1"));
            site.perform(get("/", request -> {})).andExpect(status().isOk());
            site.perform(get("/", request -> {}))
                    .andExpect(status().isTooManyRequests())
                    .andExpect(header().string("Retry-After", "43200"))
                    .andExpect(header().string("Content-Type", "application/problem+json"))
                    .andExpect(content().string(containsString("\"status\":429")));
            site.perform(get("/health", request -> {})).andExpect(status().isOk());
        });
    }

    @Test
    void limitsARouteBySeveralThatGrantTogether() {
        bare.withPropertyValues(
                        "weir.http.routes[0].path=/**",
                        "weir.http.routes[0].limits[0].name=two",
                        "weir.http.routes[0].limits[0].key=all",
                        "weir.http.routes[0].limits[1].name=one",
                        "weir.http.routes[0].limits[1].key=header:X-User")
                .run(context -> {
                    MockMvc site = site(context);
                    site.perform(get("/", request -> request.addHeader("X-User", "ann")))
                            .andExpect(status().isOk())
                            .andExpect(header().string("RateLimit", "\"two\";r=1;t=43200, \"one\";r=0;t=86400"));
                    site.perform(get("/", request -> request.addHeader("X-User", "ann")))
                            .andExpect(status().isTooManyRequests())
                            .andExpect(header().string("Retry-After", "86400"));
                    site.perform(get("/", request -> request.addHeader("X-User", "bob")))
                            .andExpect(status().isOk());
                });
    }

    @Test
    void leavesWhatAShadowWouldDenyAlone() {
        bare.withPropertyValues(
                        "weir.limits.tried.failure-policy=deny",
                        "weir.limits.tried.capacity=1",
                        "weir.limits.tried.refill=1/day",
                        "weir.limits.tried.shadow-of=two",
                        "weir.http.routes[0].path=/**",
                        "weir.http.routes[0].limit=two",
                        "weir.http.routes[0].key=all")
                .run(context -> {
                    MockMvc site = site(context);
                    for (int i = 0; i < 2; i++) {
                        site.perform(get("/", request -> {}))
                                .andExpect(status().isOk())
                                .andExpect(header().string("X-RateLimit-Limit", "2"));
                    }
                    Limiter tried = context.getBean(Weir.class).limiter("tried");
                    assertThat(tried.peek("all").remaining()).hasValue(0);
                });
    }

    @Test
    void stopsTheStartIfAShadowHasNothingToStandBeside() {
        assertStops(
                        "weir.limits.tried.failure-policy=deny",
                        "weir.limits.tried.capacity=1",
                        "weir.limits.tried.refill=1/day",
                        "weir.limits.tried.shadow-of=tow")
                .startsWith("weir.limits.tried.shadow-of is \"tow\"")
                .endsWith(": there is no such limit, and the limits are [one, tried, two].");
        assertStops("weir.limits.one.shadow-of=one")
                .startsWith("weir.limits.one.shadow-of is \"one\"")
                .contains("that is a shadow itself");
    }

    @Test
    void stopsTheStartIfOneOfSeveralLimitsIsNone() {
        assertStops("weir.http.routes[3].path=/x", "weir.http.routes[3].limits[0].name=tow")
                .startsWith("weir.http.routes[3].limits[0].name is \"tow\"");
        assertStops("weir.http.routes[3].path=/x", "weir.http.routes[3].limits[0].name=two")
                .startsWith("weir.http.routes[3].limits[0].key")
                .contains("this is missing");
        assertStops("weir.http.routes[3].path=/x", "weir.http.routes[3].limits[0].key=all")
                .startsWith("weir.http.routes[3].limits[0].name")
                .contains("this is missing");
        assertStops(
                        "weir.http.routes[3].path=/x",
                        "weir.http.routes[3].limit=one",
                        "weir.http.routes[3].limits[0].name=two",
                        "weir.http.routes[3].limits[0].key=all")
                .startsWith("weir.http.routes[3].limit is \"one\"")
                .contains("this route has several limits, each with a key of its own");
    }

    @Test
    void limitsByPrincipalAfterAuthentication() {
        application.run(context -> {
            MockMvc site = site(context);
            site.perform(get("/mine", request -> request.setUserPrincipal(() -> "ann")))
                    .andExpect(status().isOk());
            site.perform(get("/mine", request -> request.setUserPrincipal(() -> "ann")))
                    .andExpect(status().isTooManyRequests());
        });
    }

    @Test
    void standsOnBothSidesOfAuthentication() {
        application.run(context -> assertThat(filters(context))
                .extracting(FilterRegistrationBean::getOrder)
                .containsExactly(-101, -98));
        application
                .withPropertyValues("spring.security.filter.order=7")
                .run(context -> assertThat(filters(context))
                        .extracting(FilterRegistrationBean::getOrder)
                        .containsExactly(6, 9));
    }

    @Test
    void registersNoFilterWithoutRoutes() {
        bare.run(context -> assertThat(filters(context)).isEmpty());
    }

    @Test
    void letsBrowsersReadADenial() {
        application.run(context -> {
            MockMvc site = site(context);
            for (int i = 0; i < 2; i++) {
                site.perform(get("/shared", request -> request.addHeader("Origin", "https://app.example")))
                        .andExpect(status().isOk());
            }
            site.perform(get("/shared", request -> request.addHeader("Origin", "https://app.example")))
                    .andExpect(status().isTooManyRequests())
                    .andExpect(header().string("Access-Control-Allow-Origin", "https://app.example"));
            site.perform(get("/shared", request -> request.addHeader("Origin", "https://evil.example")))
                    .andExpect(status().isTooManyRequests())
                    .andExpect(header().doesNotExist("Access-Control-Allow-Origin"));
        });
    }

    @Test
    void answersWhatEscapesAControllerAsTheFilterDoes() {
        bare.run(context -> {
            MockMvc site = site(context);
            site.perform(get("/annotated", request -> {})).andExpect(status().isOk());
            site.perform(get("/annotated", request -> {}))
                    .andExpect(status().isTooManyRequests())
                    .andExpect(header().exists("Retry-After"))
                    .andExpect(header().string("X-RateLimit-Remaining", "0"))
                    .andExpect(header().string("Content-Type", "application/problem+json"))
                    .andExpect(content().string(containsString("\"status\":429")));
        });
    }

    @Test
    void comesBeforeAdviceThatCatchesEverything() {
        bare.withUserConfiguration(CatchesEverything.class).run(context -> {
            MockMvc site = site(context);
            site.perform(get("/annotated", request -> {})).andExpect(status().isOk());
            site.perform(get("/annotated", request -> {})).andExpect(status().isTooManyRequests());
        });
    }

    @Test
    void answersWhatEscapesAFunction() {
        bare.run(context -> {
            MockMvc site = site(context);
            site.perform(get("/function", request -> {})).andExpect(status().isOk());
            site.perform(get("/function", request -> {}))
                    .andExpect(status().isTooManyRequests())
                    .andExpect(header().string("Content-Type", "application/problem+json"));
        });
    }

    @Test
    void replacesWhatAHandlerHasWrittenBeforeItWasDenied() {
        bare.run(context -> {
            Limiter one = context.getBean(Weir.class).limiter("one");
            one.tryAcquire("all");
            MockHttpServletResponse response = new MockHttpServletResponse();
            response.getWriter().write("half a page");

            context.getBean("weirExceptionResolver", HandlerExceptionResolver.class)
                    .resolveException(
                            new MockHttpServletRequest(),
                            response,
                            null,
                            new RateLimitedException(one.tryAcquire("all")));

            assertThat(response.getStatus()).isEqualTo(429);
            assertThat(response.getContentAsString()).startsWith("{").endsWith("}");
            // A handler that has taken the writer, which the mock of Spring 7 insists on, has chosen the encoding: no
            // length is told then.
            assertThat(response.getContentLength()).isIn(0, response.getContentAsByteArray().length);
        });
    }

    @Test
    void takesAKeyResolverThatIsABean() {
        bare.withUserConfiguration(ByTenant.class)
                .withPropertyValues(
                        "weir.http.routes[0].path=/**",
                        "weir.http.routes[0].limit=one",
                        "weir.http.routes[0].key=tenant,secret-header:X-Key")
                .run(context -> {
                    MockMvc site = site(context);
                    site.perform(get("/", request -> request.addHeader("X-Key", "a")))
                            .andExpect(status().isOk());
                    site.perform(get("/", request -> request.addHeader("X-Key", "b")))
                            .andExpect(status().isOk());
                    site.perform(get("/", request -> request.addHeader("X-Key", "b")))
                            .andExpect(status().isTooManyRequests());
                    site.perform(get("/", request -> {})).andExpect(status().isForbidden());
                });
    }

    @Test
    void givesWayToAMapping() {
        application
                .withBean(
                        "mine", HttpMapping.class, () -> HttpMapping.standard().dialects())
                .run(context -> site(context)
                        .perform(get("/", request -> {}))
                        .andExpect(header().doesNotExist("X-RateLimit-Remaining")));
    }

    @Test
    void isNotThereIfDisabled() {
        application
                .withPropertyValues("weir.enabled=false")
                .run(context -> assertThat(context)
                        .hasNotFailed()
                        .doesNotHaveBean(HttpLimits.class)
                        .doesNotHaveBean(FilterRegistrationBean.class)
                        .doesNotHaveBean(RateLimitedAdvice.class));
    }

    @Test
    void stopsTheStartIfARouteNamesNoLimit() {
        assertStops("weir.http.routes[2].limit=tow")
                .startsWith("weir.http.routes[2].limit is \"tow\"")
                .contains("there is no limit called \"tow\", only [one, two]");
    }

    @Test
    void stopsTheStartIfARouteHasAnUnknownKey() {
        assertStops("weir.http.routes[2].key=cookie")
                .startsWith("weir.http.routes[2].key is \"cookie\"")
                .contains("\"cookie\" is no key, and the beans of type KeyResolver are []");
    }

    @Test
    void stopsTheStartIfARouteCostsTooMuch() {
        assertStops("weir.http.routes[2].cost=3")
                .startsWith("weir.http.routes")
                .contains("costs 3, more than the capacity of limit \"two\", 2");
    }

    @Test
    void stopsTheStartIfAProxyIsNoAddress() {
        assertStops("weir.http.client-address.trusted-proxies=10.0.0.0/8,proxy")
                .startsWith("weir.http.client-address.trusted-proxies is \"10.0.0.0/8,proxy\"");
    }

    @Test
    void stopsTheStartIfDialectsContradict() {
        assertStops("weir.http.dialects=x-epoch,x-delta").startsWith("weir.http.dialects is \"x-epoch,x-delta\"");
    }

    @Test
    void stopsTheStartIfThereAreRoutesAndNoLimit() {
        new WebApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(WeirAutoConfiguration.class))
                .withPropertyValues(ROUTES)
                .run(context -> assertThat(context.getStartupFailure())
                        .rootCause()
                        .hasMessageContaining("there are routes, but no limit."));
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

    private static List<FilterRegistrationBean<?>> filters(WebApplicationContext context) {
        return Arrays.stream(context.getBeanNamesForType(FilterRegistrationBean.class))
                .<FilterRegistrationBean<?>>map(name -> context.getBean(name, FilterRegistrationBean.class))
                .filter(FilterRegistrationBean::isEnabled)
                .sorted(Comparator.comparing(FilterRegistrationBean::getOrder))
                .toList();
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

    @Configuration(proxyBeanMethods = false)
    @EnableWebMvc
    static class Site implements WebMvcConfigurer {

        @Override
        public void addCorsMappings(CorsRegistry registry) {
            registry.addMapping("/shared").allowedOrigins("https://app.example");
        }

        @Bean
        Pages pages() {
            return new Pages();
        }

        @Bean
        Limited limited() {
            return new Limited();
        }

        @Bean
        RouterFunction<ServerResponse> function(Limited limited) {
            return RouterFunctions.route()
                    .GET("/function", request -> ServerResponse.ok().body(limited.work()))
                    .build();
        }
    }

    @RestController
    static class Pages {
        @GetMapping({"/", "/health", "/mine", "/shared"})
        String page() {
            return "page";
        }

        @GetMapping("/annotated")
        @RateLimited(limit = "one")
        String annotated() {
            return "annotated";
        }
    }

    static class Limited {
        @RateLimited(limit = "one", key = "'function'")
        String work() {
            return "worked";
        }
    }

    @Configuration(proxyBeanMethods = false)
    @ControllerAdvice
    static class CatchesEverything {
        @ExceptionHandler
        ResponseEntity<String> broken(Exception e) {
            return ResponseEntity.internalServerError().body("broken");
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class ByTenant {
        @Bean
        KeyResolver tenant() {
            return request -> Optional.of("acme");
        }
    }
}
