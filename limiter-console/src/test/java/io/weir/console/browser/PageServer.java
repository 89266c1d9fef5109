package io.weir.console.browser;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.weir.FailurePolicy;
import io.weir.Limit;
import io.weir.Weir;
import io.weir.algorithm.Bandwidth;
import io.weir.console.Console;
import io.weir.console.ConsoleAnswer;
import io.weir.console.ConsoleMeters;
import io.weir.store.LocalStore;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Serves a console below {@code /weir} on a free port of this machine; its data may come from a test instead. */
final class PageServer implements AutoCloseable {

    private static final String MOUNT = "/weir";

    /** Gives the page's files. Only who asks it for data would wake it. */
    private static final Console IDLE = idle();

    private final Console console;
    private final @Nullable Function<String, Optional<ConsoleAnswer>> data;
    private final HttpServer server;
    private final ExecutorService threads = Executors.newFixedThreadPool(4);

    private PageServer(Console console, @Nullable Function<String, Optional<ConsoleAnswer>> data) {
        this.console = console;
        this.data = data;
        try {
            this.server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        server.setExecutor(threads);
        server.createContext("/", this::handle);
        server.start();
    }

    static PageServer of(Console console) {
        return new PageServer(console, null);
    }

    /** One whose data is made up, on the page of a console that has none. */
    static PageServer of(MadeUp data) {
        return new PageServer(IDLE, data::answer);
    }

    private static Console idle() {
        ConsoleMeters meters = ConsoleMeters.create();
        Limit unused = Limit.named("unused", FailurePolicy.DENY)
                .bandwidth(Bandwidth.of(1, 1, Duration.ofSeconds(1)))
                .build();
        Weir weir = Weir.over(LocalStore.create()).limit(unused).meters(meters).build();
        return Console.of(weir, meters).build();
    }

    /** The page's address. */
    String url() {
        return origin() + MOUNT + "/";
    }

    String origin() {
        return "http://127.0.0.1:" + server.getAddress().getPort();
    }

    private void handle(HttpExchange exchange) throws IOException {
        try (exchange) {
            String path = exchange.getRequestURI().getPath();
            String below = path.startsWith(MOUNT) ? path.substring(MOUNT.length()) : "/no/such/file";
            String query = exchange.getRequestURI().getRawQuery();
            Optional<ConsoleAnswer> answer = data != null && below.equals("/data")
                    ? data.apply(query == null ? "" : query)
                    : Optional.of(console.answer(exchange.getRequestMethod(), MOUNT, below, query));
            if (answer.isPresent()) {
                answer.get()
                        .fields()
                        .forEach((name, value) -> exchange.getResponseHeaders().set(name, value));
                exchange.sendResponseHeaders(answer.get().status(), answer.get().body().length);
                exchange.getResponseBody().write(answer.get().body());
            }
        }
    }

    @Override
    public void close() {
        server.stop(0);
        threads.shutdownNow();
    }
}
