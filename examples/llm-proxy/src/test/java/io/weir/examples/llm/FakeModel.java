package io.weir.examples.llm;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A model that does as it is told: {@code say 5} streams five tokens, {@code break 3} breaks off after three, {@code think 3} is silent after three until it
 * {@linkplain #goOn may go on} and then says two more, and {@code refuse 1} answers with 500.
 */
final class FakeModel implements AutoCloseable {

    private final HttpServer server;
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final CountDownLatch thought = new CountDownLatch(1);
    private final AtomicInteger asked = new AtomicInteger();

    FakeModel() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 100);
        server.createContext("/", this::answer);
        server.setExecutor(threads);
        server.start();
    }

    URI address() {
        return URI.create("http://127.0.0.1:" + server.getAddress().getPort() + "/generate");
    }

    /** How many requests have come here. */
    int asked() {
        return asked.get();
    }

    void goOn() {
        thought.countDown();
    }

    private void answer(HttpExchange exchange) throws IOException {
        asked.incrementAndGet();
        String[] told = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8).split(" ", 2);
        if (told[0].equals("refuse")) {
            exchange.sendResponseHeaders(500, -1);
            exchange.close();
            return;
        }
        exchange.sendResponseHeaders(200, 0);
        OutputStream out = exchange.getResponseBody();
        say(out, Integer.parseInt(told[1]));
        if (told[0].equals("break")) {
            throw new IOException("as told"); // the server then hangs up, without an end
        }
        if (told[0].equals("think")) {
            try {
                thought.await();
            } catch (InterruptedException e) {
                throw new IOException(e);
            }
            say(out, 2);
        }
        out.write("data: [DONE]\n\n".getBytes(StandardCharsets.UTF_8));
        exchange.close();
    }

    private static void say(OutputStream out, int tokens) throws IOException {
        for (int i = 1; i <= tokens; i++) {
            out.write(("data: word" + i + "\n\n").getBytes(StandardCharsets.UTF_8));
            out.flush();
        }
    }

    @Override
    public void close() {
        goOn();
        server.stop(0);
        threads.shutdownNow();
    }
}
