package io.weir.bench;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * A Redis of our own on the loopback interface, as bare as it gets: one process without persistence or replicas, which
 * ends with this JVM at the latest.
 */
final class RedisServer implements AutoCloseable {

    private static final String EXECUTABLE = "redis-server";
    private static final String READY = "Ready to accept connections";

    private final InetSocketAddress address = FreePorts.on("127.0.0.1", 1).get(0);
    private final Process process;
    private final Thread stopAtExit;

    /**
     * Starts a server, and returns when it can be asked.
     *
     * @throws IOException if it is not installed, or does not start
     */
    RedisServer() throws IOException {
        Path executable = executable().orElseThrow(() -> new IOException("no " + EXECUTABLE + " on the PATH"));
        process = new ProcessBuilder(
                        executable.toString(),
                        "--bind",
                        address.getHostString(),
                        "--port",
                        Integer.toString(address.getPort()),
                        "--save",
                        "",
                        "--appendonly",
                        "no")
                .redirectErrorStream(true)
                .start();
        stopAtExit = new Thread(process::destroyForcibly);
        Runtime.getRuntime().addShutdownHook(stopAtExit);
        awaitReady();
    }

    /** Whether there is one to start. */
    static boolean isInstalled() {
        return executable().isPresent();
    }

    private static Optional<Path> executable() {
        String path = Optional.ofNullable(System.getenv("PATH")).orElse("");
        return Arrays.stream(path.split(File.pathSeparator))
                .map(directory -> Path.of(directory, EXECUTABLE))
                .filter(Files::isExecutable)
                .findFirst();
    }

    InetSocketAddress address() {
        return address;
    }

    /** It says so, and hardly anything later; what it does say fits into the pipe. */
    private void awaitReady() throws IOException {
        BufferedReader said =
                new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
        StringBuilder all = new StringBuilder();
        for (String line = said.readLine(); line != null; line = said.readLine()) {
            if (line.contains(READY)) {
                return;
            }
            all.append(line).append('\n');
        }
        close();
        throw new IOException(EXECUTABLE + " ended instead of starting: " + all);
    }

    @Override
    public void close() {
        process.destroy();
        try {
            if (!process.waitFor(5, TimeUnit.SECONDS)) {
                process.destroyForcibly();
            }
        } catch (InterruptedException e) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
        }
        Runtime.getRuntime().removeShutdownHook(stopAtExit);
    }
}
