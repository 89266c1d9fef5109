package io.weir.examples.shop;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;

/** An instance of the shop in a JVM of its own. Ends when it is closed. */
final class ShopProcess implements AutoCloseable {

    private static final List<String> SMALL =
            List.of("-Xmx256m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-XX:-UsePerfData");

    private final Process process;
    private final Path log;
    private final int port;

    private ShopProcess(Process process, Path log, int port) {
        this.process = process;
        this.log = log;
        this.port = port;
    }

    /**
     * Starts an instance, without waiting for it.
     *
     * @param arguments of the application
     */
    static ShopProcess start(String name, List<String> arguments) {
        try {
            int port = freePorts(1);
            Path log = Path.of("target", name + ".log").toAbsolutePath();
            List<String> command = new ArrayList<>();
            command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
            command.addAll(SMALL);
            command.addAll(List.of(System.getProperty("shop.jvmFlags").split(" ")));
            command.addAll(List.of("-cp", System.getProperty("java.class.path"), ShopApplication.class.getName()));
            command.add("--server.address=127.0.0.1");
            command.add("--server.port=" + port);
            command.addAll(arguments);
            Process process = new ProcessBuilder(command)
                    .redirectErrorStream(true)
                    .redirectOutput(log.toFile())
                    .start();
            return new ShopProcess(process, log, port);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    URI uri(String path) {
        return URI.create("http://127.0.0.1:" + port + path);
    }

    /** What it has written so far. */
    String output() {
        try {
            return Files.readString(log);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Waits until it has written this. */
    void awaitOutput(String text, Duration patience) throws InterruptedException {
        long end = System.nanoTime() + patience.toNanos();
        while (!output().contains(text)) {
            if (!process.isAlive() || System.nanoTime() > end) {
                throw new AssertionError("an instance that has not written \"" + text + "\", but:\n" + output());
            }
            Thread.sleep(50);
        }
    }

    /** Waits for its end. */
    int awaitExit(Duration patience) throws InterruptedException {
        if (!process.waitFor(patience.toMillis(), TimeUnit.MILLISECONDS)) {
            throw new AssertionError("still running after " + patience + ":\n" + output());
        }
        return process.exitValue();
    }

    void kill() throws InterruptedException {
        process.destroyForcibly().waitFor();
    }

    @Override
    public void close() {
        process.destroyForcibly();
    }

    /** The first of some in a row that nobody uses, below those that the system gives to connections. */
    static int freePorts(int count) throws IOException {
        List<ServerSocket> sockets = new ArrayList<>();
        try {
            int first = ThreadLocalRandom.current().nextInt(10_000, 20_000);
            while (sockets.size() < count) {
                sockets.add(new ServerSocket(first + sockets.size(), 1, InetAddress.getLoopbackAddress()));
            }
            return first;
        } catch (BindException e) {
            return freePorts(count);
        } finally {
            for (ServerSocket socket : sockets) {
                socket.close();
            }
        }
    }
}
