package io.weir.chaos;

import java.io.IOException;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;

/**
 * One direction of a connection: what comes in goes out in the same order, when the weather lets it. The end of a
 * connection is held back like everything else.
 *
 * <p>One thread reads and says from when on what it has read may go out, another one writes. A reader that is too far ahead
 * waits, and then so does whoever sends, as with a window that is full.
 */
final class Passage {

    private static final int MOST_AT_ONCE = 64 * 1024;
    private static final int MOST_CHUNKS = 256;

    /** The shortest time after which Linux sends a segment again of which it has heard nothing; then twice that, and so on. */
    private static final long RETRANSMISSION_NANOS = Duration.ofMillis(200).toNanos();

    /** In a row. */
    private static final int MOST_LOSSES = 3;

    private static final long GLANCE_NANOS = Duration.ofMillis(1).toNanos();

    private record Chunk(ByteBuffer bytes, long dueNanos) {}

    private final Socket from;
    private final Socket to;
    private final Supplier<Weather> weather;
    private final BlockingQueue<Chunk> underway = new LinkedBlockingQueue<>(MOST_CHUNKS);

    private Passage(Socket from, Socket to, Supplier<Weather> weather) {
        this.from = from;
        this.to = to;
        this.weather = weather;
    }

    /** Hands on what comes from one socket to another, until either is closed. */
    static void start(Socket from, Socket to, Supplier<Weather> weather) {
        Passage passage = new Passage(from, to, weather);
        thread("reads", passage::read);
        thread("writes", passage::write);
    }

    private static void thread(String role, Runnable task) {
        Thread thread = new Thread(task, "passage " + role);
        thread.setDaemon(true);
        thread.start();
    }

    private void read() {
        try {
            byte[] bytes = new byte[MOST_AT_ONCE];
            for (int read = from.getInputStream().read(bytes);
                    read >= 0;
                    read = from.getInputStream().read(bytes)) {
                put(ByteBuffer.allocate(read).put(bytes, 0, read).flip());
            }
        } catch (IOException e) {
            // reset, which the other end hears as any end
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        try {
            put(ByteBuffer.allocate(0));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void put(ByteBuffer bytes) throws InterruptedException {
        Weather now = weather.get();
        long held = now.delay().toNanos();
        long timer = RETRANSMISSION_NANOS;
        for (int losses = 0; losses < MOST_LOSSES && isLost(now.lossPercent()); losses++) {
            held += timer;
            timer *= 2;
        }
        underway.put(new Chunk(bytes, System.nanoTime() + held));
    }

    private static boolean isLost(int percent) {
        return ThreadLocalRandom.current().nextInt(100) < percent;
    }

    private void write() {
        try {
            for (Chunk chunk = next(); chunk.bytes().hasRemaining(); chunk = next()) {
                to.getOutputStream()
                        .write(chunk.bytes().array(), 0, chunk.bytes().limit());
            }
            to.shutdownOutput();
        } catch (IOException e) {
            end(); // closed there; whoever sends must find out
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private Chunk next() throws InterruptedException {
        Chunk chunk = underway.take();
        for (long left = chunk.dueNanos() - System.nanoTime();
                left > 0 || !weather.get().passes();
                left = chunk.dueNanos() - System.nanoTime()) {
            if (to.isClosed()) {
                break;
            }
            LockSupport.parkNanos(Math.max(left, GLANCE_NANOS));
        }
        return chunk;
    }

    private void end() {
        underway.clear();
        try {
            from.close();
        } catch (IOException e) {
            // it has ended before
        }
    }
}
