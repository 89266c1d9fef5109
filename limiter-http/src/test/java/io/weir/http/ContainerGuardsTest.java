package io.weir.http;

import static io.weir.http.Position.BEFORE_AUTHENTICATION;
import static org.assertj.core.api.Assertions.assertThat;

import io.weir.guard.LoadShedder;
import io.weir.guard.NodeConcurrencyGuard;
import jakarta.servlet.AsyncContext;
import jakarta.servlet.AsyncEvent;
import jakarta.servlet.AsyncListener;
import jakarta.servlet.ServletContext;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** A request holds its place until it is done, whatever a container makes of it, and no longer. */
@ParameterizedClass
@EnumSource
class ContainerGuardsTest {

    private static final Duration SOON = Duration.ofSeconds(20);

    private final Container container;
    private final LoadShedder two = LoadShedder.named("http").inFlight(2).build();
    private final NodeConcurrencyGuard reports =
            NodeConcurrencyGuard.named("reports", 2).perKey(1).build();
    private final HttpGuards guards = HttpGuards.create()
            .free("/health")
            .shed(two)
            .guard(reports, "/reports/*", KeyResolver.field("X-User"))
            .build();
    private final ExecutorService elsewhere = Executors.newCachedThreadPool();

    /** What was in flight as a handler saw it. */
    private final List<Integer> seen = new ArrayList<>();

    ContainerGuardsTest(Container container) {
        this.container = container;
    }

    @AfterEach
    void close() {
        elsewhere.shutdownNow();
    }

    private Container.Running start(Consumer<ServletContext> servlets) throws Exception {
        return container.start(Application.of(context -> {
                    Application.filter(context, "guards", new GuardFilter(guards, BEFORE_AUTHENTICATION));
                    Application.serve(context, "/health", (request, response) -> end(response));
                    Application.serve(context, "/end", (request, response) -> {
                        see();
                        end(response);
                    });
                    servlets.accept(context);
                })
                .withErrorPage("/end"));
    }

    private synchronized void see() {
        seen.add(two.inFlight());
    }

    private synchronized List<Integer> seen() {
        return List.copyOf(seen);
    }

    private static void end(jakarta.servlet.ServletResponse response) {
        try {
            response.getWriter().print("end");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void assertNothingInFlight() throws InterruptedException {
        long giveUp = System.nanoTime() + SOON.toNanos();
        while (two.inFlight() != 0
                && System.nanoTime() < giveUp) { // the client has its answer before the container is done
            TimeUnit.MILLISECONDS.sleep(1);
        }
        assertThat(two.inFlight()).isZero();
        assertThat(reports.inFlight()).isZero();
    }

    private HttpResponse<String> get(Application.Handler begin) throws Exception {
        try (Container.Running server = start(context -> Application.serve(context, "/begin", begin))) {
            HttpResponse<String> response = new Client(server).get("/begin");
            assertNothingInFlight();
            return response;
        }
    }

    @Test
    void countsARequestUntilItIsAnswered() throws Exception {
        assertThat(get((request, response) -> {
                            see();
                            end(response);
                        })
                        .body())
                .isEqualTo("end");
        assertThat(seen()).containsExactly(1);
    }

    @Test
    void shedsWhatIsTooMuchAndLetsProbesPass() throws Exception {
        CountDownLatch inside = new CountDownLatch(2);
        CountDownLatch go = new CountDownLatch(1);
        AtomicInteger reached = new AtomicInteger();
        try (Container.Running server = start(context -> Application.serve(context, "/begin", (request, response) -> {
            reached.incrementAndGet();
            inside.countDown();
            await(go);
            end(response);
        }))) {
            Client client = new Client(server);
            List<Future<HttpResponse<String>>> running =
                    List.of(elsewhere.submit(() -> client.get("/begin")), elsewhere.submit(() -> client.get("/begin")));
            await(inside);

            HttpResponse<String> shed = client.get("/begin");
            assertThat(shed.statusCode()).isEqualTo(503);
            assertThat(Client.field(shed, "Retry-After")).isEqualTo("5");
            assertThat(Client.field(shed, "Content-Type")).startsWith("application/problem+json");
            assertThat(shed.body()).contains("#temporary-reduced-capacity").contains("\"retry_after\":5");
            assertThat(client.get("/health").body()).isEqualTo("end");
            assertThat(reached).hasValue(2);

            go.countDown();
            for (Future<HttpResponse<String>> each : running) {
                assertThat(each.get().body()).isEqualTo("end");
            }
            assertNothingInFlight();
            assertThat(two.shed()).isEqualTo(1);
        }
    }

    @Test
    void givesThePlaceBackAfterAnException() throws Exception {
        assertThat(get((request, response) -> {
                            throw new IllegalStateException("a handler fails");
                        })
                        .statusCode())
                .isEqualTo(500);
    }

    @Test
    void givesThePlaceBackAfterAnErrorPage() throws Exception {
        assertThat(get((request, response) -> response.sendError(409)).statusCode())
                .isEqualTo(409);
    }

    @Test
    void countsAForwardOnce() throws Exception {
        get((request, response) -> request.getRequestDispatcher("/end").forward(request, response));
        assertThat(seen()).containsExactly(1);
    }

    @Test
    void countsAnAsynchronousRequestUntilItCompletes() throws Exception {
        CompletableFuture<AsyncContext> begun = new CompletableFuture<>();
        try (Container.Running server = start(context -> Application.serve(context, "/begin", (request, response) -> {
            AsyncContext async = request.startAsync();
            async.setTimeout(0);
            begun.complete(async);
        }))) {
            Client client = new Client(server);
            Future<HttpResponse<String>> running = elsewhere.submit(() -> client.get("/begin"));
            AsyncContext async = begun.get();
            client.get("/health"); // by now its thread may well have left the filter
            assertThat(two.inFlight()).isEqualTo(1);

            end(async.getResponse());
            async.complete();
            assertThat(running.get().body()).isEqualTo("end");
            assertNothingInFlight();
        }
    }

    @Test
    void countsAnAsynchronousRequestThatIsCompletedInTheFilter() throws Exception {
        assertThat(get((request, response) -> {
                            AsyncContext async = request.startAsync();
                            end(response);
                            async.complete();
                        })
                        .body())
                .isEqualTo("end");
    }

    @Test
    void countsThroughADispatch() throws Exception {
        get((request, response) -> {
            AsyncContext async = request.startAsync();
            elsewhere.execute(() -> async.dispatch("/end"));
        });
        assertThat(seen()).containsExactly(1);
    }

    /** Containers forget who listens when a request becomes asynchronous for a second time. */
    @Test
    void countsThroughASecondAsynchronousCycle() throws Exception {
        CompletableFuture<AsyncContext> second = new CompletableFuture<>();
        try (Container.Running server = start(context -> {
            Application.serve(context, "/begin", (request, response) -> {
                AsyncContext async = request.startAsync();
                elsewhere.execute(() -> async.dispatch("/again"));
            });
            Application.serve(context, "/again", (request, response) -> {
                AsyncContext async = request.startAsync();
                async.setTimeout(0);
                second.complete(async);
            });
        })) {
            Client client = new Client(server);
            Future<HttpResponse<String>> running = elsewhere.submit(() -> client.get("/begin"));
            AsyncContext async = second.get();
            client.get("/health");
            assertThat(two.inFlight()).isEqualTo(1);

            end(async.getResponse());
            async.complete();
            assertThat(running.get().body()).isEqualTo("end");
            assertNothingInFlight();
        }
    }

    /** As many as may run for each key, whether they occupy a thread or not. */
    @Test
    void guardsAPathForEachKey() throws Exception {
        CountDownLatch go = new CountDownLatch(1);
        CountDownLatch inside = new CountDownLatch(2);
        CompletableFuture<AsyncContext> begun = new CompletableFuture<>();
        try (Container.Running server = start(context -> {
            Application.serve(context, "/reports/blocking", (request, response) -> {
                inside.countDown();
                await(go);
                end(response);
            });
            Application.serve(context, "/reports/async", (request, response) -> {
                AsyncContext async = request.startAsync();
                async.setTimeout(0);
                inside.countDown();
                begun.complete(async);
            });
        })) {
            Client client = new Client(server);
            Future<HttpResponse<String>> ann = elsewhere.submit(() -> client.get("/reports/async", "X-User", "ann"));
            await(begun);
            assertThat(client.get("/reports/blocking", "X-User", "ann").statusCode())
                    .isEqualTo(503);
            assertThat(two.shed()).as("by the guard, and not by the shedder").isZero();

            Future<HttpResponse<String>> bob = elsewhere.submit(() -> client.get("/reports/blocking", "X-User", "bob"));
            await(inside);
            assertThat(reports.inFlight()).isEqualTo(2);

            end(begun.get().getResponse());
            begun.get().complete();
            go.countDown();
            assertThat(ann.get().body()).isEqualTo("end");
            assertThat(bob.get().body()).isEqualTo("end");
            assertNothingInFlight();
        }
    }

    private static void await(CompletableFuture<?> future) throws Exception {
        future.get(SOON.toSeconds(), TimeUnit.SECONDS);
    }

    @Test
    void givesThePlaceBackAfterATimeout() throws Exception {
        assertThat(get((request, response) -> request.startAsync().setTimeout(50))
                        .statusCode())
                .isEqualTo(500);
    }

    @Test
    void givesThePlaceBackAfterATimeoutThatTheApplicationAnswers() throws Exception {
        assertThat(get((request, response) -> {
                            AsyncContext async = request.startAsync();
                            async.setTimeout(50);
                            async.addListener(new AnswersTimeouts());
                        })
                        .body())
                .isEqualTo("end");
    }

    @Test
    void givesThePlaceBackAfterAnExceptionInAnAsynchronousRequest() throws Exception {
        get((request, response) -> {
            request.startAsync().setTimeout(100);
            throw new IllegalStateException("a handler fails");
        });
    }

    @Test
    void leaksNothingUnderLoad() throws Exception {
        try (Container.Running server = start(context -> {
            Application.serve(context, "/sync", (request, response) -> end(response));
            Application.serve(context, "/broken", (request, response) -> {
                throw new IllegalStateException("a handler fails");
            });
            Application.serve(context, "/async", (request, response) -> {
                AsyncContext async = request.startAsync();
                elsewhere.execute(() -> {
                    end(async.getResponse());
                    async.complete();
                });
            });
            Application.serve(context, "/dispatched", (request, response) -> {
                AsyncContext async = request.startAsync();
                elsewhere.execute(() -> async.dispatch("/sync"));
            });
        })) {
            Client client = new Client(server);
            List<String> paths = List.of("/sync", "/broken", "/async", "/dispatched");
            List<Future<?>> all = new ArrayList<>();
            for (int i = 0; i < 6; i++) {
                int number = i;
                all.add(elsewhere.submit(() -> {
                    for (int j = 0; j < 100; j++) {
                        HttpResponse<String> response = client.get(paths.get((number + j) % paths.size()));
                        assertThat(response.statusCode()).isIn(200, 500, 503);
                    }
                    return null;
                }));
            }
            for (Future<?> each : all) {
                each.get();
            }
            assertNothingInFlight();
            assertThat(two.shed()).as("or nothing was tight").isPositive();
        }
    }

    private static void await(CountDownLatch latch) {
        try {
            assertThat(latch.await(SOON.toSeconds(), TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private static final class AnswersTimeouts implements AsyncListener {
        @Override
        public void onComplete(AsyncEvent event) {}

        @Override
        public void onTimeout(AsyncEvent event) {
            AsyncContext async = event.getAsyncContext();
            ((HttpServletResponse) async.getResponse()).setStatus(504);
            end(async.getResponse());
            async.complete();
        }

        @Override
        public void onError(AsyncEvent event) {}

        @Override
        public void onStartAsync(AsyncEvent event) {}
    }
}
