package io.weir.examples.llm;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Flow;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * What the model streams: lines {@code data: token} and, at the end, {@code data: [DONE]}. One line is one token here; real models tell in a line
 * of their own how many there were. Read by one thread.
 */
final class Upstream implements AutoCloseable {

    private static final Duration FIRST_ANSWER = Duration.ofSeconds(30);
    private static final String DATA = "data: ";
    private static final String DONE = "[DONE]";

    /** The model did not answer, or broke off. */
    static final class Failed extends Exception {
        private static final long serialVersionUID = 1;

        Failed(String message, @Nullable Throwable cause) {
            super(message, cause);
        }
    }

    private final Lines lines = new Lines();
    private boolean ended;

    private Upstream() {}

    /** Asks the model, and waits until it begins to answer. */
    static Upstream ask(HttpClient client, URI model, String prompt, long maxTokens)
            throws Failed, InterruptedException {
        HttpRequest request = HttpRequest.newBuilder(model)
                .header("Max-Tokens", Long.toString(maxTokens))
                .timeout(FIRST_ANSWER)
                .POST(HttpRequest.BodyPublishers.ofString(prompt))
                .build();
        HttpResponse<Flow.Publisher<List<ByteBuffer>>> answer;
        try {
            answer = client.send(request, HttpResponse.BodyHandlers.ofPublisher());
        } catch (IOException e) {
            throw new Failed("the model does not answer", e);
        }
        if (answer.statusCode() != 200) {
            answer.body().subscribe(HttpResponse.BodySubscribers.discarding());
            throw new Failed("the model answers with " + answer.statusCode(), null);
        }
        Upstream upstream = new Upstream();
        answer.body().subscribe(HttpResponse.BodySubscribers.fromLineSubscriber(upstream.lines));
        return upstream;
    }

    /**
     * The next token; empty if none came within {@code patience}, or if that was all.
     *
     * @throws Failed if the model breaks off before its end
     */
    Optional<String> next(Duration patience) throws Failed, InterruptedException {
        Line line = lines.events.poll(patience.toNanos(), TimeUnit.NANOSECONDS);
        if (line != null && "".equals(line.text())) { // which separates events
            lines.more();
            line = lines.events.poll(patience.toNanos(), TimeUnit.NANOSECONDS);
        }
        if (line == null) {
            return Optional.empty();
        }
        String text = line.text();
        if (text == null) {
            throw new Failed("the model broke off", line.failure());
        }
        if (text.equals(DATA + DONE)) {
            ended = true;
            return Optional.empty();
        }
        lines.more();
        return text.startsWith(DATA) ? Optional.of(text.substring(DATA.length())) : Optional.empty();
    }

    /** Whether the model has said all. */
    boolean hasEnded() {
        return ended;
    }

    /** Hangs up: the model need not go on for nobody. */
    @Override
    public void close() {
        lines.cancel();
    }

    /** @param text null if the stream is over, for which {@code failure} may be the reason */
    private record Line(@Nullable String text, @Nullable Throwable failure) {}

    /** Lines as they come, one at a time: a model that is faster than the client waits. */
    private static final class Lines implements Flow.Subscriber<String> {
        private final BlockingQueue<Line> events = new LinkedBlockingQueue<>();
        private Flow.@Nullable Subscription subscription;

        /** Called before subscribing returns. */
        @Override
        public synchronized void onSubscribe(Flow.Subscription given) {
            subscription = given;
            given.request(1);
        }

        @Override
        public void onNext(String line) {
            events.add(new Line(line, null));
        }

        @Override
        public void onError(Throwable failure) {
            events.add(new Line(null, failure));
        }

        @Override
        public void onComplete() {
            events.add(new Line(null, null));
        }

        synchronized void more() {
            Objects.requireNonNull(subscription).request(1);
        }

        synchronized void cancel() {
            if (subscription != null) {
                subscription.cancel();
            }
        }
    }
}
