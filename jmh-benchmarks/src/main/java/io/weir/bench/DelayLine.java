package io.weir.bench;

import java.io.IOException;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * One direction of a connection that takes its time: what comes in goes out a fixed time later, in the same order.
 *
 * <p>Any number of bytes may be on their way at once, so that only time is lost and no bandwidth: one thread reads and
 * stamps, another one writes what is due.
 */
final class DelayLine {

    private static final int MOST_AT_ONCE = 64 * 1024;

    /** A thread that parks wakes up so much too late; the rest of a wait is spun away. */
    private static final long LATE_NANOS = TimeUnit.MICROSECONDS.toNanos(100);

    private record Chunk(ByteBuffer bytes, long dueNanos) {}

    private final Socket from;
    private final Socket to;
    private final long delayNanos;
    private final BlockingQueue<Chunk> underway = new LinkedBlockingQueue<>();

    private DelayLine(Socket from, Socket to, long delayNanos) {
        this.from = from;
        this.to = to;
        this.delayNanos = delayNanos;
    }

    /** Hands on what comes from one socket to another, until either is closed. */
    static void start(Socket from, Socket to, long delayNanos) {
        DelayLine line = new DelayLine(from, to, delayNanos);
        thread("reader", line::read);
        thread("writer", line::write);
    }

    private static void thread(String role, Runnable task) {
        Thread thread = new Thread(task, "delay-line-" + role);
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
            // closed here, which the other end hears as any end
        }
        put(ByteBuffer.allocate(0));
    }

    private void put(ByteBuffer bytes) {
        underway.add(new Chunk(bytes, System.nanoTime() + delayNanos));
    }

    private void write() {
        try {
            Chunk chunk = nextDue();
            for (; chunk.bytes().hasRemaining(); chunk = nextDue()) {
                to.getOutputStream()
                        .write(chunk.bytes().array(), 0, chunk.bytes().limit());
            }
            to.shutdownOutput();
        } catch (IOException e) {
            // closed there, which the line of the other direction hands on
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private Chunk nextDue() throws InterruptedException {
        Chunk chunk = underway.take();
        awaitDue(chunk.dueNanos());
        return chunk;
    }

    private static void awaitDue(long dueNanos) {
        for (long left = dueNanos - System.nanoTime(); left > 0; left = dueNanos - System.nanoTime()) {
            if (left > LATE_NANOS) {
                LockSupport.parkNanos(left - LATE_NANOS);
            } else {
                Thread.onSpinWait();
            }
        }
    }
}
