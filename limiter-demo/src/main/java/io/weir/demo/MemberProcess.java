package io.weir.demo;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** A member, seen from the launcher. Ends with it, or when it is closed. */
final class MemberProcess implements AutoCloseable {

    /** Longer than it takes the others to give up a member: it wakes up to a cluster without it. */
    static final Duration FREEZE = Duration.ofSeconds(15);

    private static final Duration TIME_TO_START = Duration.ofMinutes(2);
    private static final Duration TIME_TO_END = Duration.ofSeconds(2);

    /** What Hazelcast needs, written by the build. */
    private static final String FLAGS = "hazelcast-jvm-flags.txt";

    /** Four JVMs share a newcomer's machine: small heaps, few threads, quick to start rather than fast in the end. */
    private static final List<String> SMALL =
            List.of("-Xmx192m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-XX:-UsePerfData");

    /** Without it each answer waits for the client's delayed acknowledgement of its head: 40 ms. */
    private static final String NO_DELAY = "-Dsun.net.httpserver.nodelay=true";

    private final int number;
    private final Process process;

    private MemberProcess(int number, Process process) {
        this.number = number;
        this.process = process;
    }

    /** Starts a member, without waiting for it. What it writes to its standard error goes to the launcher's. */
    static MemberProcess start(Settings settings, int number) throws IOException {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(SMALL);
        command.add(NO_DELAY);
        command.addAll(flags());
        command.addAll(List.of("-cp", classPath(), Member.class.getName(), "--number=" + number));
        command.addAll(settings.arguments());
        return new MemberProcess(
                number,
                new ProcessBuilder(command)
                        .redirectError(ProcessBuilder.Redirect.INHERIT)
                        .start());
    }

    /**
     * Waits until it answers.
     *
     * @throws CannotStartException if it ends or takes too long
     */
    void awaitReady() throws InterruptedException {
        String said = firstLine();
        if (!Member.READY.equals(said)) {
            throw new CannotStartException(
                    "member " + number + " did not start: " + (said == null ? "it ended, see above" : said));
        }
    }

    boolean isAlive() {
        return process.isAlive();
    }

    /** Returns when it has ended. */
    void kill() throws InterruptedException {
        process.destroyForcibly().waitFor();
    }

    /**
     * Stops it, as it is, for {@link #FREEZE}. By a process of its own, so that it wakes up though this one may have ended.
     *
     * @throws IOException if this system has no signals
     */
    void freeze() throws IOException {
        String pid = Long.toString(process.pid());
        String script = "kill -STOP " + pid + "; sleep " + FREEZE.toSeconds() + "; kill -CONT " + pid;
        new ProcessBuilder("sh", "-c", script)
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start();
    }

    long pid() {
        return process.pid();
    }

    @Override
    public void close() {
        try {
            process.getOutputStream().close();
            if (!process.waitFor(TIME_TO_END.toMillis(), TimeUnit.MILLISECONDS)) {
                process.destroyForcibly();
            }
        } catch (IOException e) {
            process.destroyForcibly();
        } catch (InterruptedException e) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
        }
    }

    private @Nullable String firstLine() throws InterruptedException {
        // Reading cannot be interrupted, but waiting for another thread that reads can.
        CompletableFuture<@Nullable String> line = CompletableFuture.supplyAsync(() -> {
            try {
                return process.inputReader().readLine();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        });
        try {
            return line.get(TIME_TO_START.toSeconds(), TimeUnit.SECONDS);
        } catch (TimeoutException e) {
            return "it was not ready after " + TIME_TO_START.toSeconds() + " seconds";
        } catch (ExecutionException e) {
            return "it could not be heard: " + e.getCause();
        }
    }

    private static List<String> flags() throws IOException {
        try (InputStream text = Objects.requireNonNull(MemberProcess.class.getResourceAsStream(FLAGS))) {
            return List.of(new String(text.readAllBytes(), StandardCharsets.UTF_8)
                    .strip()
                    .split("\\s+"));
        }
    }

    /** The launcher's own. Inside of Maven it is the class loader that knows it, since the JVM was started with Maven's. */
    private static String classPath() {
        if (MemberProcess.class.getClassLoader() instanceof URLClassLoader loader) {
            return Arrays.stream(loader.getURLs())
                    .map(MemberProcess::path)
                    .collect(Collectors.joining(File.pathSeparator));
        }
        return System.getProperty("java.class.path");
    }

    private static String path(URL url) {
        return Path.of(URI.create(url.toString())).toString();
    }
}
