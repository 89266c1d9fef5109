package io.weir.chaos;

import io.weir.Limit;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * One process of a cluster, as the test holds it: asks it, hurts it, and in the end kills it.
 *
 * <p>Grants of several processes are compared by {@link System#nanoTime}, which on Linux is one clock for all processes
 * of a machine. That is checked of each process when it starts, and so is the skew of its date.
 */
final class MemberProcess {

    private static final Duration PATIENCE = Duration.ofSeconds(90);
    private static final Duration SKEW_TOLERANCE = Duration.ofSeconds(1);
    private static final Path LOGS = Path.of("target", "chaos");

    private final ChildJvm jvm;
    private final Role role;
    private final int number;
    private final String name;
    private final Process process;
    private final Conversation conversation;
    private final Log log = new Log();

    private MemberProcess(ChildJvm jvm) throws IOException {
        this.jvm = jvm;
        this.role = jvm.role();
        this.number = jvm.place().number();
        this.name = jvm.place().cluster() + "-" + jvm.place().number();
        Files.createDirectories(LOGS);
        // Appended, since a process that is started again has the name of the one before.
        PrintWriter file = new PrintWriter(Files.newBufferedWriter(
                LOGS.resolve(name + ".log"), StandardOpenOption.CREATE, StandardOpenOption.APPEND));
        this.process = jvm.command().start();
        this.conversation = new Conversation(process, name);
        Thread reader = new Thread(() -> readLog(process.errorReader(), file), "log of " + name);
        reader.setDaemon(true);
        reader.start();
    }

    /** Starts a process, which begins to start Hazelcast. {@link #awaitReady} waits for that. */
    static MemberProcess start(ChildJvm jvm) {
        try {
            return new MemberProcess(jvm);
        } catch (IOException e) {
            throw new UncheckedIOException(
                    "cannot start a process of the cluster " + jvm.place().cluster(), e);
        }
    }

    /**
     * Waits until Hazelcast runs, then checks the clocks.
     *
     * @param ahead how far this process's date is to be ahead
     * @throws IllegalStateException if the process does not share this one's {@code nanoTime}, or is not that far ahead
     */
    void awaitReady(Duration ahead) {
        ask(Verb.CLOCK); // answered when it has started, and too late to be compared
        long before = System.nanoTime();
        List<String> clocks = ask(Verb.CLOCK);
        long after = System.nanoTime();
        long nanos = Long.parseLong(clocks.get(0));
        if (nanos < before || nanos > after) {
            throw new IllegalStateException(
                    "System.nanoTime of " + name + " was " + nanos + " between " + before + " and " + after
                            + " here: this machine's processes do not share a monotonic clock, and grants cannot be compared");
        }
        Duration found = Duration.ofMillis(Long.parseLong(clocks.get(1)) - System.currentTimeMillis());
        if (found.minus(ahead).abs().compareTo(SKEW_TOLERANCE) > 0) {
            throw new IllegalStateException(name + " should be ahead by " + ahead + " but is by " + found);
        }
    }

    Role role() {
        return role;
    }

    /** How it was started. */
    ChildJvm jvm() {
        return jvm;
    }

    /** Of its cluster's processes: 1 and up, in the order of their start. */
    int number() {
        return number;
    }

    boolean isAlive() {
        return process.isAlive();
    }

    Log log() {
        return log;
    }

    /** Who this process is to its cluster: another one after it has been removed and has come back. */
    UUID identity() {
        return UUID.fromString(ask(Verb.IDENTITY).get(0));
    }

    /** How many members this process sees. */
    int members() {
        return Integer.parseInt(ask(Verb.MEMBERS).get(0));
    }

    /** Whether all partitions of the cluster have an owner and their backups. */
    boolean isClusterSafe() {
        return Boolean.parseBoolean(ask(Verb.SAFE).get(0));
    }

    /** How many buckets this process holds, backups included. */
    long entries() {
        return Long.parseLong(ask(Verb.ENTRIES).get(0));
    }

    /** Makes the process ask by a limit of one bandwidth. */
    void limit(Limit limit) {
        ask(Verb.LIMIT, LimitWords.write(limit));
    }

    /** Who owns a key. */
    UUID ownerOf(String limit, String key) {
        return UUID.fromString(ask(Verb.OWNER, limit, key).get(0));
    }

    /** Who holds a key, its owner first. */
    List<UUID> copiesOf(String limit, String key) {
        return ask(Verb.COPIES, limit, key).stream().map(UUID::fromString).toList();
    }

    Peek peek(String limit, String key) {
        return Peek.read(ask(Verb.PEEK, limit, key));
    }

    /** How a limit stands in this process, and why. */
    String health(String limit) {
        return String.join(" ", ask(Verb.HEALTH, limit));
    }

    /** Begins a load. Its grants, and what the failure policy answers, are reported to {@code history} as they happen. */
    CompletableFuture<Tally> begin(Load load, History history) {
        return conversation.ask(history::add, Verb.LOAD, load.words()).thenApply(Tally::read);
    }

    /** Makes a load. */
    Tally run(Load load, History history) {
        return await(begin(load, history));
    }

    /** Ends all loads of this process before their time. */
    void stopLoads() {
        ask(Verb.STOP);
    }

    /** How long this process waited between two instants of {@link System#nanoTime}. */
    Waited waited(long fromNanos, long toNanos) {
        return Waited.read(ask(Verb.WAITED, Long.toString(fromNanos), Long.toString(toNanos)));
    }

    /** Lets the process leave its cluster with a goodbye, and ends it. */
    void leave() {
        ask(Verb.LEAVE);
        end();
    }

    /** {@code kill -9}. */
    void kill() {
        process.destroyForcibly(); // SIGKILL, which ends a stopped process too
        try {
            process.waitFor();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while " + name + " was ending", e);
        }
    }

    /** Stops the process until {@link #resume}, as a machine does that is suspended or a collector that takes its time. */
    void pause() {
        signal("STOP");
    }

    void resume() {
        signal("CONT");
    }

    /** Lets the process end without a goodbye to its cluster, by force if it does not. */
    void end() {
        conversation.close();
        try {
            if (!process.waitFor(1, TimeUnit.SECONDS)) {
                kill();
            }
        } catch (InterruptedException e) {
            kill();
            Thread.currentThread().interrupt();
        }
    }

    /** What a future is completed with, before long. */
    static <T> T await(CompletableFuture<T> future) {
        try {
            return future.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
        } catch (ExecutionException | TimeoutException e) {
            throw new IllegalStateException("no answer", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while waiting for an answer", e);
        }
    }

    @Override
    public String toString() {
        return name + " (" + role + ")";
    }

    private List<String> ask(Verb verb, String... words) {
        return await(conversation.ask(outcome -> {}, verb, words));
    }

    private void signal(String signal) {
        try {
            int failed = new ProcessBuilder("kill", "-" + signal, Long.toString(process.pid()))
                    .inheritIO()
                    .start()
                    .waitFor();
            if (failed != 0) {
                throw new IllegalStateException("kill -" + signal + " of " + name + " failed");
            }
        } catch (IOException e) {
            throw new UncheckedIOException("cannot signal " + name, e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while signalling " + name, e);
        }
    }

    private void readLog(BufferedReader from, PrintWriter file) {
        try (from;
                file) {
            for (String line = from.readLine(); line != null; line = from.readLine()) {
                log.add(line);
                file.println(line);
                file.flush();
            }
        } catch (IOException e) {
            log.add("and then it was killed");
        }
    }
}
