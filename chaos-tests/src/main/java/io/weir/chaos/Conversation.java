package io.weir.chaos;

import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;

/** Questions to one process, and its answers in whatever order they come. See {@link Verb} for the lines. */
final class Conversation {

    private record Question(Consumer<Outcome> onOutcome, CompletableFuture<List<String>> answer) {}

    private final String name;
    private final BufferedWriter to;
    private final AtomicLong numbers = new AtomicLong();
    private final Map<String, Question> open = new ConcurrentHashMap<>();
    private volatile boolean ended;

    /** Reads answers on a thread of its own, until the process ends. */
    Conversation(Process process, String name) {
        this.name = name;
        this.to = process.outputWriter();
        Thread reader = new Thread(() -> read(process.inputReader()), "answers of " + name);
        reader.setDaemon(true);
        reader.start();
    }

    /**
     * Asks.
     *
     * @param onOutcome told of each outcome that is reported before the answer
     * @return the words of the answer; fails if the process cannot give one, or ends before it does
     */
    CompletableFuture<List<String>> ask(Consumer<Outcome> onOutcome, Verb verb, String... words) {
        String number = Long.toString(numbers.incrementAndGet());
        Question question = new Question(onOutcome, new CompletableFuture<>());
        open.put(number, question);
        try {
            say(number + " " + verb + " " + String.join(" ", words));
        } catch (IOException e) {
            hangUp();
        }
        if (ended) { // after putting the question: whoever ends it fails the questions that are there
            hangUp();
        }
        return question.answer;
    }

    /** Says that there is nothing more to ask, whereupon the process ends. */
    void close() {
        try {
            to.close();
        } catch (IOException e) {
            hangUp(); // it has ended before
        }
    }

    private void say(String line) throws IOException {
        synchronized (to) {
            to.write(line);
            to.newLine();
            to.flush();
        }
    }

    private void read(BufferedReader from) {
        try (from) {
            for (String line = from.readLine(); line != null; line = from.readLine()) {
                hear(List.of(line.split(" ")));
            }
        } catch (IOException | UncheckedIOException e) {
            // It was killed while it spoke.
        } finally {
            hangUp();
        }
    }

    private void hear(List<String> words) {
        Question question = open.get(words.get(0));
        if (question == null || words.size() < 2) {
            return; // the JVM itself may print here; and half a line is all that a kill leaves
        }
        List<String> more = words.subList(2, words.size());
        switch (words.get(1)) {
            case Member.TOLD -> {
                if (Outcome.isComplete(more)) {
                    question.onOutcome.accept(Outcome.read(more));
                }
            }
            case Member.OK -> question.answer.complete(more);
            default ->
                question.answer.completeExceptionally(new IllegalStateException(name + ": " + String.join(" ", more)));
        }
    }

    private void hangUp() {
        ended = true;
        open.values()
                .forEach(each -> each.answer.completeExceptionally(new IllegalStateException(name + " has ended")));
    }
}
