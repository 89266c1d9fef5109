package io.weir.http;

import static io.weir.http.Position.BEFORE_AUTHENTICATION;
import static org.assertj.core.api.Assertions.assertThat;

import jakarta.servlet.AsyncContext;
import jakarta.servlet.http.HttpServletRequest;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.net.http.HttpResponse;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** What a request has taken of a quota is taken once, and ended once, whatever a container makes of the request. */
@ParameterizedClass
@EnumSource
class ContainerQuotasTest {

    private static final QuotaUse ESTIMATE =
            QuotaUse.of("tokens", KeyResolver.fixed("all")).amount(10).estimated();

    private final Container container;
    private final Limits limits = Limits.of(Limits.perMinute("two", 2));
    private final FakeQuotas quotas = new FakeQuotas();
    private final ExecutorService elsewhere = Executors.newCachedThreadPool();

    ContainerQuotasTest(Container container) {
        this.container = container;
    }

    @AfterEach
    void close() {
        elsewhere.shutdownNow();
        limits.close();
    }

    private Container.Running start(QuotaUse use, Application.Handler begin) throws Exception {
        HttpLimits http = limits.http(Route.spending(use, "/**")).quotas(quotas).build();
        return container.start(Application.of(context -> {
                    Application.filter(context, "weir", new RateLimitFilter(http, BEFORE_AUTHENTICATION));
                    Application.serve(
                            context,
                            "/end",
                            (request, response) -> response.getWriter().print("end"));
                    Application.serve(context, "/begin", begin);
                })
                .withErrorPage("/end"));
    }

    private int status(QuotaUse use, Application.Handler begin) throws Exception {
        try (Container.Running server = start(use, begin)) {
            int status = new Client(server).get("/begin").statusCode();
            quotas.awaitEnd(); // the client has its answer before the container is done
            return status;
        }
    }

    private void assertEndedOnce(String end) {
        assertThat(quotas.events).containsExactly("reserve 10", end);
    }

    private static QuotaCharge charge(HttpServletRequest request) {
        return (QuotaCharge) request.getAttribute(HttpLimits.QUOTA);
    }

    @Test
    void settlesTheEstimateOfARequestThatWentWell() throws Exception {
        assertThat(status(ESTIMATE, (request, response) -> response.getWriter().print("end")))
                .isEqualTo(200);
        assertEndedOnce("settle 10");
    }

    @Test
    void settlesWhatTheHandlerSays() throws Exception {
        status(ESTIMATE, (request, response) -> charge(request).settle(4));
        assertEndedOnce("settle 4");
    }

    @Test
    void aRefusalOfTheHandlersIsNoFailure() throws Exception {
        assertThat(status(ESTIMATE, (request, response) -> response.sendError(409)))
                .isEqualTo(409);
        assertEndedOnce("settle 10");
    }

    @Test
    void releasesAfterAServerError() throws Exception {
        assertThat(status(ESTIMATE, (request, response) -> response.sendError(502)))
                .isEqualTo(502);
        assertEndedOnce("release");
    }

    @Test
    void releasesAfterAnException() throws Exception {
        assertThat(status(ESTIMATE, (request, response) -> {
                    throw new IllegalStateException("a handler fails");
                }))
                .isEqualTo(500);
        assertEndedOnce("release");
    }

    @Test
    void keepsWhatTheHandlerSettledBeforeItFailed() throws Exception {
        status(ESTIMATE, (request, response) -> {
            charge(request).settle(3);
            throw new IllegalStateException("a handler fails");
        });
        assertEndedOnce("settle 3");
    }

    @Test
    void takesOnceThroughAForward() throws Exception {
        status(
                ESTIMATE,
                (request, response) -> request.getRequestDispatcher("/end").forward(request, response));
        assertEndedOnce("settle 10");
    }

    @Test
    void endsAnAsynchronousRequestWhenItCompletes() throws Exception {
        status(ESTIMATE, (request, response) -> {
            AsyncContext async = request.startAsync();
            elsewhere.execute(async::complete);
        });
        assertEndedOnce("settle 10");
    }

    @Test
    void lastsThroughAnAsynchronousDispatch() throws Exception {
        status(ESTIMATE, (request, response) -> {
            AsyncContext async = request.startAsync();
            elsewhere.execute(() -> async.dispatch("/end"));
        });
        assertEndedOnce("settle 10");
    }

    @Test
    void isStillOpenWhileAnAsynchronousHandlerWorks() throws Exception {
        CountDownLatch answered = new CountDownLatch(1);
        try (Container.Running server = start(ESTIMATE, (request, response) -> {
            AsyncContext async = request.startAsync();
            QuotaCharge charge = charge(request);
            elsewhere.execute(() -> {
                await(answered);
                charge.settle(4);
                async.complete();
            });
        })) {
            Client client = new Client(server);
            var running = elsewhere.submit(() -> client.get("/begin"));
            client.get("/end"); // by now the thread of the first may well have left the filter
            assertThat(quotas.events).doesNotContain("settle 4", "release");
            answered.countDown();
            running.get();
        }
        assertThat(quotas.events).containsExactlyInAnyOrder("reserve 10", "reserve 10", "settle 10", "settle 4");
    }

    @Test
    void releasesAfterATimeout() throws Exception {
        assertThat(status(ESTIMATE, (request, response) -> {
                    AsyncContext async = request.startAsync();
                    async.setTimeout(20);
                }))
                .isEqualTo(500);
        assertEndedOnce("release");
    }

    /** A handler that streams is told of it by what it writes to. */
    @Test
    void releasesAStreamWhoseClientIsGone() throws Exception {
        CountDownLatch gone = new CountDownLatch(1);
        try (Container.Running server = start(ESTIMATE, (request, response) -> {
            response.flushBuffer();
            await(gone);
            PrintWriter writer = response.getWriter();
            while (!writer.checkError()) {
                writer.print("a token ".repeat(1_000));
            }
            throw new IOException("the client is gone");
        })) {
            try (RawConnection connection = new RawConnection(server)) {
                connection.send("GET /begin HTTP/1.1\r\nHost: localhost\r\n\r\n");
                assertThat(connection.received().read()).isPositive();
            }
            gone.countDown();
            quotas.awaitEnd();
        }
        assertEndedOnce("release");
    }

    @Test
    void refundsASpendOnlyWhereItIsTold() throws Exception {
        QuotaUse spend = QuotaUse.of("mails", KeyResolver.fixed("all"));
        status(spend.refundedOnFailure(), (request, response) -> response.sendError(503));
        try (Container.Running server = start(spend, (request, response) -> response.sendError(503))) {
            new Client(server).get("/begin");
        }

        assertThat(quotas.events).containsExactly("spend 1", "release", "spend 1");
    }

    @Test
    void deniesWithTheDateInPlaceOfTheHandler() throws Exception {
        quotas.answer = new QuotaAnswer.Exhausted(List.of("tokens"), Instant.parse("2027-02-01T00:00:00Z"));
        try (Container.Running server = start(ESTIMATE, (request, response) -> {
            throw new AssertionError("a handler is not asked");
        })) {
            HttpResponse<String> response = new Client(server).get("/begin");

            assertThat(response.statusCode()).isEqualTo(403);
            assertThat(Client.field(response, "Retry-After")).isEqualTo("Mon, 01 Feb 2027 00:00:00 GMT");
            assertThat(response.body()).contains("\"resets_at\":\"2027-02-01T00:00:00Z\"");
        }
    }

    @Test
    void takesNothingForAHostileIdempotencyKey() throws Exception {
        QuotaUse use = QuotaUse.of("mails", KeyResolver.fixed("all")).idempotencyKeys(IdempotencyKeys.ACCEPTED);
        try (Container.Running server =
                start(use, (request, response) -> response.getWriter().print("end"))) {
            for (String key : List.of(
                    "k".repeat(8_192),
                    "\"" + "\\\"".repeat(4_000) + "\"",
                    "a\u0001b",
                    "a\u007fb",
                    "sch\u00f6n",
                    "a\r b",
                    "\"",
                    "")) {
                String answer = RawConnection.answer(server, "GET /begin", "Idempotency-Key: " + key);
                assertThat(RawConnection.status(answer)).as(key).isEqualTo(400);
                assertThat(answer).doesNotContain("kkkk");
            }
            String twice = RawConnection.answer(server, "GET /begin", "Idempotency-Key: a", "Idempotency-Key: a");
            assertThat(RawConnection.status(twice)).isEqualTo(400);
            assertThat(quotas.asked).isEmpty();

            String answer = RawConnection.answer(server, "GET /begin", "Idempotency-Key: \"a\"");
            assertThat(RawConnection.status(answer)).isEqualTo(200);
            assertThat(quotas.asked).hasSize(1);
        }
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new UncheckedIOException(new IOException("interrupted", e));
        }
    }
}
