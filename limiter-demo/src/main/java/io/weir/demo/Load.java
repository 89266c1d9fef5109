package io.weir.demo;

import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Clients that want more than the limit allows, some at each member, all with one key.
 *
 * <p>A client that is granted asks again at once, one that is not pauses. So they empty the bucket within moments, and
 * then ask about twice as often as it refills: enough that no permit goes unused, and no load to speak of.
 */
final class Load {

    static final String KEY = "demo";

    private static final String WARM_UP_KEY = "warm-up";
    private static final int WARM_UP_REQUESTS = 50;
    private static final int CLIENTS = 4 * Settings.MEMBERS;

    /** Long after a member would have answered by its limit's policy. */
    private static final Duration TIMEOUT = Duration.ofSeconds(5);

    private final Settings settings;
    private final Tally tally;
    private final Duration pause;
    private final HttpClient http =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private final CountDownLatch warm = new CountDownLatch(CLIENTS);
    private final CountDownLatch stopped = new CountDownLatch(1);
    private final List<Thread> clients = new ArrayList<>();

    private Load(Settings settings, Tally tally) {
        this.settings = settings;
        this.tally = tally;
        this.pause = Duration.ofSeconds(CLIENTS).dividedBy(settings.rate());
    }

    /** Starts the clients, and returns when they begin to count. */
    static Load start(Settings settings, Tally tally) throws InterruptedException {
        Load load = new Load(settings, tally);
        for (int i = 0; i < CLIENTS; i++) {
            int member = 1 + i % Settings.MEMBERS;
            Thread client = new Thread(() -> load.ask(member), "demo-client-" + i);
            client.setDaemon(true);
            client.start();
            load.clients.add(client);
        }
        load.warm.await();
        return load;
    }

    /** Stops asking, and waits for the answers that are still due. */
    void stop() {
        stopped.countDown();
        for (Thread client : clients) {
            try {
                client.join();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return;
            }
        }
    }

    private void ask(int member) {
        try {
            warmUp(member);
            askUntilStopped(member);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt(); // nobody does; but if, then to end this thread
        }
    }

    /** The first requests of a connection, and of a JVM, are slow: they would show the machine and not the limiter. */
    private void warmUp(int member) throws InterruptedException {
        for (int i = 0; i < WARM_UP_REQUESTS; i++) {
            ask(member, WARM_UP_KEY);
        }
        warm.countDown();
        warm.await();
    }

    /** The last request comes after the stop: it takes what has been refilled since the one before. */
    private void askUntilStopped(int member) throws InterruptedException {
        boolean last;
        do {
            last = stopped.getCount() == 0;
            long start = System.nanoTime();
            Outcome outcome = ask(member, KEY);
            tally.add(member, outcome, start, System.nanoTime());
            if (outcome != Outcome.GRANTED) {
                stopped.await(pause.toNanos(), TimeUnit.NANOSECONDS);
            }
        } while (!last);
    }

    private Outcome ask(int member, String key) throws InterruptedException {
        HttpRequest request = HttpRequest.newBuilder(settings.hello(member))
                .header(HelloServer.KEY_FIELD, key)
                .timeout(TIMEOUT)
                .build();
        try {
            return Outcome.of(http.send(request, BodyHandlers.discarding()).statusCode());
        } catch (IOException e) {
            return Outcome.FAILED;
        }
    }
}
