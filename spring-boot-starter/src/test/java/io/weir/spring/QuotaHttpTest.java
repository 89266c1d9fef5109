package io.weir.spring;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.weir.http.HttpLimits;
import io.weir.http.HttpQuotas;
import io.weir.http.QuotaAnswer;
import io.weir.http.QuotaCharge;
import io.weir.http.QuotaHold;
import io.weir.quota.Balance;
import io.weir.quota.QuotaLedger;
import jakarta.servlet.Filter;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ReactiveWebApplicationContextRunner;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.http.HttpStatus;
import org.springframework.mock.http.server.reactive.MockServerHttpRequest;
import org.springframework.mock.web.MockHttpServletRequest;
import org.springframework.mock.web.MockHttpServletResponse;
import org.springframework.mock.web.server.MockServerWebExchange;
import org.springframework.test.web.reactive.server.FluxExchangeResult;
import org.springframework.test.web.reactive.server.WebTestClient;
import org.springframework.test.web.servlet.MockMvc;
import org.springframework.test.web.servlet.RequestBuilder;
import org.springframework.test.web.servlet.setup.MockMvcBuilders;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestAttribute;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.context.WebApplicationContext;
import org.springframework.web.reactive.config.EnableWebFlux;
import org.springframework.web.server.ResponseStatusException;
import org.springframework.web.server.ServerWebExchange;
import org.springframework.web.servlet.config.annotation.EnableWebMvc;
import reactor.core.Disposable;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/** Routes that spend quotas, under Spring MVC and under WebFlux, over a ledger in H2. */
class QuotaHttpTest {

    private static final String[] QUOTAS = {
        "weir.quota.schema=create",
        "weir.quota.deadline=20s",
        "weir.quotas.tokens.cap=10",
        "weir.quotas.tokens.period=year",
        "weir.quotas.tokens.zone=UTC",
        "weir.http.routes[0].path=/mail",
        "weir.http.routes[0].spend.quotas[0].name=tokens",
        "weir.http.routes[0].spend.quotas[0].key=all",
        "weir.http.routes[0].spend.idempotency-keys=accepted",
        "weir.http.routes[1].path=/refunded",
        "weir.http.routes[1].spend.quotas[0].name=tokens",
        "weir.http.routes[1].spend.quotas[0].key=all",
        "weir.http.routes[1].spend.refunded-on-failure=true",
        "weir.http.routes[2].path=/dear",
        "weir.http.routes[2].spend.quotas[0].name=tokens",
        "weir.http.routes[2].spend.quotas[0].key=all",
        "weir.http.routes[2].spend.amount=11",
        "weir.http.routes[3].path=/**",
        "weir.http.routes[3].spend.quotas[0].name=tokens",
        "weir.http.routes[3].spend.quotas[0].key=all",
        "weir.http.routes[3].spend.amount=4",
        "weir.http.routes[3].spend.estimated=true"
    };

    private static final AutoConfigurations OURS = AutoConfigurations.of(
            WeirAutoConfiguration.class,
            WeirQuotaAutoConfiguration.class,
            RateLimitedAutoConfiguration.class,
            WeirHttpAutoConfiguration.class);

    private final WebApplicationContextRunner withoutDatabase = new WebApplicationContextRunner()
            .withConfiguration(OURS)
            .withBean(MeterRegistry.class, SimpleMeterRegistry::new)
            .withUserConfiguration(Site.class)
            .withPropertyValues(HttpTest.LIMITS)
            .withPropertyValues(QUOTAS);

    private final WebApplicationContextRunner servlets =
            withoutDatabase.withBean(DataSource.class, MemoryDatabase::create);

    private final ReactiveWebApplicationContextRunner reactive = new ReactiveWebApplicationContextRunner()
            .withConfiguration(OURS)
            .withBean(DataSource.class, MemoryDatabase::create)
            .withUserConfiguration(ReactiveSite.class)
            .withPropertyValues(HttpTest.LIMITS)
            .withPropertyValues(QUOTAS);

    private static MockMvc site(WebApplicationContext context) {
        return MockMvcBuilders.webAppContextSetup(context)
                .addFilters(filter(context, "weirFilterBeforeAuthentication"))
                .build();
    }

    private static Filter filter(ApplicationContext context, String name) {
        return ((FilterRegistrationBean<?>) context.getBean(name)).getFilter();
    }

    /** Not by the builders of Spring's tests, whose methods are others in Spring 7. */
    private static MockHttpServletResponse ask(WebApplicationContext context, String path, String... idempotencyKey)
            throws Exception {
        RequestBuilder request = servlets -> {
            MockHttpServletRequest asked = new MockHttpServletRequest(servlets, "GET", path);
            for (String each : idempotencyKey) {
                asked.addHeader("Idempotency-Key", each);
            }
            return asked;
        };
        return site(context).perform(request).andReturn().getResponse();
    }

    private static int status(WebApplicationContext context, String path) throws Exception {
        return ask(context, path).getStatus();
    }

    private static Balance balance(ApplicationContext context) {
        return context.getBean(QuotaLedger.class)
                .peek(context.getBean(Quotas.class).named("tokens"), "all");
    }

    private static void assertSpent(ApplicationContext context, long spent) {
        Balance balance = balance(context);
        assertThat(balance.spent()).isEqualTo(spent);
        assertThat(balance.reserved()).isZero();
    }

    @Test
    void settlesWhatTheHandlerSaysAndTheEstimateIfItSaysNothing() {
        servlets.run(context -> {
            assertThat(status(context, "/settles")).isEqualTo(200);
            assertSpent(context, 3);
            assertThat(status(context, "/quiet")).isEqualTo(200);
            assertSpent(context, 7);
        });
    }

    @Test
    void releasesTheEstimateOfAFailure() {
        servlets.run(context -> {
            assertThat(status(context, "/fails")).isEqualTo(503);
            assertSpent(context, 0);
            assertThat(status(context, "/missing")).isEqualTo(404);
            assertSpent(context, 4);
        });
    }

    @Test
    void refundsASpendThatFailsWhereItIsTold() {
        servlets.run(context -> {
            assertThat(status(context, "/refunded")).isEqualTo(503);
            assertSpent(context, 0);
        });
    }

    @Test
    void deniesWithTheDateOfTheReset() {
        servlets.run(context -> {
            status(context, "/quiet");
            status(context, "/quiet");
            MockHttpServletResponse denied = ask(context, "/quiet");

            assertThat(denied.getStatus()).isEqualTo(403);
            assertThat(denied.getHeader("Retry-After")).matches("..., 01 Jan 20\\d\\d 00:00:00 GMT");
            assertThat(denied.getContentAsString())
                    .contains("\"violated-policies\":[\"tokens\"]")
                    .contains("\"resets_at\":\"" + balance(context).window().end() + '"');
            assertSpent(context, 8);
            MeterRegistry meters = context.getBean(MeterRegistry.class);
            assertThat(meters.get("weir.quota.spend")
                            .tag("outcome", "denied")
                            .counter()
                            .count())
                    .isEqualTo(1);
        });
    }

    @Test
    void sendsNobodyBackForMoreThanTheCap() {
        servlets.withPropertyValues("weir.http.exhausted-status=402").run(context -> {
            MockHttpServletResponse denied = ask(context, "/dear");

            assertThat(denied.getStatus()).isEqualTo(402);
            assertThat(denied.getHeader("Retry-After")).isNull();
        });
    }

    @Test
    void chargesARepeatOnce() {
        servlets.run(context -> {
            for (int i = 0; i < 3; i++) {
                assertThat(ask(context, "/mail", "\"k\"").getContentAsString()).isEqualTo("replay " + (i > 0));
            }
            assertSpent(context, 1);
        });
    }

    @Test
    void refusesAnIdempotencyKeyThatWasUsedForAnotherAmount() {
        DataSource shared = MemoryDatabase.create();
        withoutDatabase.withBean(DataSource.class, () -> shared).run(context -> ask(context, "/mail", "k"));
        withoutDatabase
                .withBean(DataSource.class, () -> shared)
                .withPropertyValues("weir.http.routes[0].spend.amount=2")
                .run(context -> {
                    assertThat(ask(context, "/mail", "k").getStatus()).isEqualTo(422);
                    assertSpent(context, 1);
                });
    }

    private static DataSource unreachable() {
        return MemoryDatabase.unreachableWhile(() -> true, MemoryDatabase.create());
    }

    @Test
    void deniesWhileTheDatabaseIsAway() {
        withoutDatabase
                .withBean(DataSource.class, QuotaHttpTest::unreachable)
                .withPropertyValues("weir.quota.schema=none")
                .run(context -> assertThat(status(context, "/quiet")).isEqualTo(503));
    }

    @Test
    void goesOnWhileTheDatabaseIsAwayIfThePolicySaysSo() {
        withoutDatabase
                .withBean(DataSource.class, QuotaHttpTest::unreachable)
                .withPropertyValues(
                        "weir.quota.schema=none",
                        "weir.quota.deadline=500ms",
                        "weir.quotas.tokens.failure-policy=grant")
                .run(context -> {
                    assertThat(status(context, "/settles")).isEqualTo(200);
                    assertThat(status(context, "/fails")).isEqualTo(503);
                    assertThat(status(context, "/mail")).isEqualTo(200);
                });
    }

    @Test
    void settlesReactively() {
        reactive.run(context -> {
            assertThat(fetch(context, "/settles").getStatus()).isEqualTo(HttpStatus.OK);
            awaitSpent(context, 3);
            assertThat(fetch(context, "/quiet").getStatus()).isEqualTo(HttpStatus.OK);
            awaitSpent(context, 7);
            assertThat(fetch(context, "/quiet").getStatus()).isEqualTo(HttpStatus.FORBIDDEN);
        });
    }

    @Test
    void releasesReactivelyAfterAFailureOnly() {
        reactive.run(context -> {
            assertThat(fetch(context, "/fails").getStatus()).isEqualTo(HttpStatus.SERVICE_UNAVAILABLE);
            awaitSpent(context, 0);
            assertThat(fetch(context, "/refuses").getStatus()).isEqualTo(HttpStatus.CONFLICT);
            awaitSpent(context, 4);
        });
    }

    @Test
    void runsNothingOfTheApplicationsOnThreadsThatWaitForQuotas() {
        reactive.run(context -> {
            FluxExchangeResult<String> answer = fetch(context, "/thread");
            assertThat(answer.getResponseBody().blockFirst()).doesNotStartWith("weir");
        });
    }

    @Test
    void releasesWhatAClientLeaves() {
        reactive.run(context -> {
            RateLimitWebFilter filter = context.getBean("weirFilterBeforeAuthentication", RateLimitWebFilter.class);
            CountDownLatch working = new CountDownLatch(1);
            Disposable client = filter.filter(
                            MockServerWebExchange.from(MockServerHttpRequest.get("/stream")),
                            exchange -> Mono.<Void>never().doOnSubscribe(begun -> working.countDown()))
                    .subscribe();
            assertThat(working.await(20, TimeUnit.SECONDS)).isTrue();
            assertThat(balance(context).reserved()).isEqualTo(4);

            client.dispose();

            awaitSpent(context, 0);
        });
    }

    /** It leaves before the answer is there: what is taken later is given back all the same. */
    @Test
    void releasesWhatIsTakenForAClientThatIsGone() {
        CountDownLatch left = new CountDownLatch(1);
        AtomicReference<String> ended = new AtomicReference<>();
        CountDownLatch end = new CountDownLatch(1);
        HttpQuotas slow = request -> {
            await(left);
            return new QuotaAnswer.Granted(
                    new QuotaHold() {
                        @Override
                        public void settle(long actual) {
                            ended.set("settled");
                            end.countDown();
                        }

                        @Override
                        public void release() {
                            ended.set("released");
                            end.countDown();
                        }
                    },
                    false);
        };
        reactive.withBean(HttpQuotas.class, () -> slow).run(context -> {
            RateLimitWebFilter filter = context.getBean("weirFilterBeforeAuthentication", RateLimitWebFilter.class);
            Disposable client = filter.filter(
                            MockServerWebExchange.from(MockServerHttpRequest.get("/stream")),
                            exchange -> Mono.error(new AssertionError("nobody is there to answer")))
                    .subscribe();

            client.dispose();
            left.countDown();

            assertThat(end.await(20, TimeUnit.SECONDS)).isTrue();
            assertThat(ended).hasValue("released");
        });
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private static WebTestClient site(ApplicationContext context) {
        return WebTestClient.bindToApplicationContext(context).build();
    }

    private static FluxExchangeResult<String> fetch(ApplicationContext context, String path) {
        return site(context).get().uri(path).exchange().returnResult(String.class);
    }

    /** The client has its answer before what it has cost is settled. */
    private static void awaitSpent(ApplicationContext context, long spent) throws InterruptedException {
        long giveUp = System.nanoTime() + TimeUnit.SECONDS.toNanos(20);
        while ((balance(context).reserved() != 0 || balance(context).spent() != spent) && System.nanoTime() < giveUp) {
            TimeUnit.MILLISECONDS.sleep(2);
        }
        assertSpent(context, spent);
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
        @GetMapping("/settles")
        String settles(@RequestAttribute(HttpLimits.QUOTA) QuotaCharge charge) {
            charge.settle(3);
            return "settled";
        }

        @GetMapping("/quiet")
        String quiet() {
            return "quiet";
        }

        @GetMapping("/mail")
        String mail(@RequestAttribute(HttpLimits.QUOTA) QuotaCharge charge) {
            return "replay " + charge.isReplay();
        }

        @GetMapping({"/fails", "/refunded"})
        String fails() {
            throw new ResponseStatusException(HttpStatus.SERVICE_UNAVAILABLE);
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableWebFlux
    static class ReactiveSite {
        @Bean
        ReactivePages pages() {
            return new ReactivePages();
        }
    }

    @RestController
    static class ReactivePages {
        @GetMapping("/settles")
        Mono<String> settles(ServerWebExchange asked) {
            QuotaCharge charge = Objects.requireNonNull(asked.getAttribute(HttpLimits.QUOTA));
            return Mono.fromCallable(() -> {
                        charge.settle(3);
                        return "settled";
                    })
                    .subscribeOn(Schedulers.boundedElastic());
        }

        @GetMapping("/quiet")
        Mono<String> quiet() {
            return Mono.just("quiet");
        }

        @GetMapping("/thread")
        Mono<String> thread() {
            return Mono.fromCallable(() -> Thread.currentThread().getName());
        }

        @GetMapping("/fails")
        Mono<String> fails() {
            return Mono.error(new ResponseStatusException(HttpStatus.SERVICE_UNAVAILABLE));
        }

        @GetMapping("/refuses")
        Mono<String> refuses() {
            return Mono.error(new ResponseStatusException(HttpStatus.CONFLICT));
        }
    }
}
