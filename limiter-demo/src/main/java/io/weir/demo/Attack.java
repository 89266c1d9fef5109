package io.weir.demo;

import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;

/** A client that asks all members as often as it was told, whatever they answer. Thread-safe. */
final class Attack implements AutoCloseable {

    static final String KEY = "mallory";

    private static final int TICKS_PER_SECOND = 50;

    /** More than that are not sent: a member that does not answer must not use up the launcher. */
    private static final int MOST_IN_FLIGHT = 300;

    private static final Duration TIMEOUT = Duration.ofSeconds(2);

    private final Settings settings;
    private final HttpClient http =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private final Semaphore places = new Semaphore(MOST_IN_FLIGHT);
    private final LongAdder granted = new LongAdder();
    private final LongAdder refused = new LongAdder();
    private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor(task -> {
        Thread thread = new Thread(task, "demo-attack");
        thread.setDaemon(true);
        return thread;
    });
    private volatile int perSecond;

    // Touched by the timer's thread only:
    private int owed;
    private int next;

    Attack(Settings settings) {
        this.settings = settings;
        var unused = timer.scheduleAtFixedRate( // ends with the demo
                this::tick, 0, 1_000 / TICKS_PER_SECOND, TimeUnit.MILLISECONDS);
    }

    /** From now on; 0 for not at all. */
    void perSecond(int value) {
        perSecond = value;
    }

    /** What has come back so far; empty if nothing was asked. */
    String summary() {
        long all = granted.sum() + refused.sum();
        return all == 0 ? "" : KEY + " was granted " + granted.sum() + " of " + all + " requests";
    }

    private void tick() {
        owed += perSecond;
        for (; owed >= TICKS_PER_SECOND; owed -= TICKS_PER_SECOND) {
            if (places.tryAcquire()) {
                send();
            }
        }
    }

    private void send() {
        next = next % Settings.MEMBERS + 1;
        HttpRequest request = HttpRequest.newBuilder(settings.hello(next))
                .header(HelloServer.KEY_FIELD, KEY)
                .timeout(TIMEOUT)
                .build();
        var unused = http.sendAsync(request, BodyHandlers.discarding()).whenComplete((answer, failure) -> {
            places.release();
            if (failure == null) {
                (Outcome.of(answer.statusCode()) == Outcome.GRANTED ? granted : refused).increment();
            }
        });
    }

    @Override
    public void close() {
        timer.shutdownNow();
    }
}
