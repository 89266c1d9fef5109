package io.weir.demo;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpHandler;
import com.sun.net.httpserver.HttpServer;
import io.weir.Limiter;
import io.weir.algorithm.Bandwidth;
import io.weir.console.Console;
import io.weir.console.ConsoleAnswer;
import io.weir.http.HttpAnswer;
import io.weir.http.HttpMapping;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.concurrent.Executors;

/** Says hello, to each API key as often as the limit allows. */
final class HelloServer implements HttpHandler {

    static final String PATH = "/hello";
    static final String CONSOLE = "/weir";
    static final String KEY_FIELD = "X-API-Key";

    /** What requests without a key are counted as, all together. */
    private static final String NO_KEY = "anonymous";

    /** A request holds its thread while the owner of its bucket is asked. */
    private static final int THREADS = 16;

    private static final String HELP = """
            This is one of three members of a cluster that enforces one limit for each API key:

              GET /hello    200, or 429 when the key has used up its limit on all members together;
                            503 when the owner of its bucket cannot be asked
              GET /weir/    a page that shows what all members do

            The key is what the field X-API-Key says. Requests without it share the key "anonymous".

              curl -i http://127.0.0.1:%1$d/hello
              curl -i -H 'X-API-Key: me' http://127.0.0.1:%1$d/hello

            The limit: %2$d permits at once, and %3$d more each second.
            """;

    private final Limiter limiter;
    private final Console console;
    private final String help;
    private final HttpMapping mapping = HttpMapping.standard();

    private HelloServer(Limiter limiter, Console console, String help) {
        this.limiter = limiter;
        this.console = console;
        this.help = help;
    }

    /**
     * Listens on loopback.
     *
     * @param port zero for any that is free
     */
    static HttpServer start(int port, Limiter limiter, Console console) throws IOException {
        Bandwidth bandwidth = limiter.limit().bandwidths().get(0);
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 0);
        String help = HELP.formatted(server.getAddress().getPort(), bandwidth.capacity(), bandwidth.refill());
        server.setExecutor(Executors.newFixedThreadPool(THREADS));
        server.createContext("/", new HelloServer(limiter, console, help));
        server.start();
        return server;
    }

    @Override
    public void handle(HttpExchange exchange) throws IOException {
        try (exchange) {
            String path = exchange.getRequestURI().getPath();
            if (path.equals(CONSOLE) || path.startsWith(CONSOLE + "/")) {
                console(exchange, path.substring(CONSOLE.length()));
                return;
            }
            switch (path) {
                case PATH -> hello(exchange);
                case "/" -> sendText(exchange, 200, help);
                default -> sendText(exchange, 404, "There is nothing here. Try /hello\n");
            }
        }
    }

    private void hello(HttpExchange exchange) throws IOException {
        String key = exchange.getRequestHeaders().getFirst(KEY_FIELD);
        HttpAnswer answer = mapping.answer(limiter.tryAcquire(key == null ? NO_KEY : key), Instant.now());
        answer.fields().forEach(exchange.getResponseHeaders()::set);
        if (answer instanceof HttpAnswer.Denied denied) {
            send(exchange, denied.status(), denied.body());
        } else {
            sendText(exchange, 200, "hello\n");
        }
    }

    private void console(HttpExchange exchange, String path) throws IOException {
        ConsoleAnswer answer = console.answer(
                exchange.getRequestMethod(),
                CONSOLE,
                path,
                exchange.getRequestURI().getRawQuery());
        answer.fields().forEach(exchange.getResponseHeaders()::set);
        boolean isHead = exchange.getRequestMethod().equals("HEAD");
        exchange.sendResponseHeaders(answer.status(), isHead || answer.body().length == 0 ? -1 : answer.body().length);
        if (!isHead && answer.body().length > 0) {
            exchange.getResponseBody().write(answer.body());
        }
    }

    private static void sendText(HttpExchange exchange, int status, String text) throws IOException {
        exchange.getResponseHeaders().set("Content-Type", "text/plain; charset=utf-8");
        send(exchange, status, text);
    }

    private static void send(HttpExchange exchange, int status, String text) throws IOException {
        if (exchange.getRequestMethod().equals("HEAD")) {
            exchange.sendResponseHeaders(status, -1);
            return;
        }
        byte[] body = text.getBytes(StandardCharsets.UTF_8);
        exchange.sendResponseHeaders(status, body.length);
        exchange.getResponseBody().write(body);
    }
}
