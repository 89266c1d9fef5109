package io.weir.quota;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A TCP link to a server, through which a test looks. A round trip is counted whenever the client sends after the server has: what is sent
 * together, or before any answer, is one.
 */
final class Link implements AutoCloseable {

    private final ServerSocket listener;
    private final int target;
    private final Queue<Socket> sockets = new ConcurrentLinkedQueue<>();
    private final AtomicInteger roundTrips = new AtomicInteger();
    private final Object answers = new Object();
    private volatile @Nullable String holdAfter;
    private volatile boolean held;
    private volatile boolean requestsHeld;
    private volatile boolean requestOnTheWay;

    Link(int target) throws IOException {
        this.target = target;
        this.listener = new ServerSocket(0, 200, InetAddress.getLoopbackAddress());
        start(this::accept);
    }

    int port() {
        return listener.getLocalPort();
    }

    int roundTrips() {
        return roundTrips.get();
    }

    /** From when the client has sent {@code words} on, the server's answers stay on the way. */
    void holdAnswersAfter(String words) {
        holdAfter = words;
    }

    void hold() {
        held = true;
    }

    /** From now on what the client sends stays on the way, and arrives once it is released, whoever has hung up meanwhile. */
    void holdRequests() {
        requestsHeld = true;
    }

    boolean isRequestOnTheWay() {
        return requestOnTheWay;
    }

    boolean isHeld() {
        return held;
    }

    /** Lets the answers through, until the client has sent {@code words}: there is no moment between the two. */
    void releaseUntil(String words) {
        synchronized (answers) {
            holdAfter = words;
            held = false;
            answers.notifyAll();
        }
    }

    void release() {
        synchronized (answers) {
            holdAfter = null;
            held = false;
            requestsHeld = false;
            requestOnTheWay = false;
            answers.notifyAll();
        }
    }

    private void accept() throws IOException {
        while (!listener.isClosed()) {
            Socket client = listener.accept();
            Socket server = new Socket(InetAddress.getLoopbackAddress(), target);
            client.setTcpNoDelay(true);
            server.setTcpNoDelay(true);
            sockets.add(client);
            sockets.add(server);
            boolean[] answered = {true};
            start(() -> untilEither(server, () -> forth(client, server, answered)));
            start(() -> untilEither(client, () -> back(server, client, answered)));
        }
    }

    private void forth(Socket client, Socket server, boolean[] answered) throws IOException {
        byte[] buffer = new byte[65_536];
        InputStream in = client.getInputStream();
        OutputStream out = server.getOutputStream();
        for (int length = in.read(buffer); length >= 0; length = in.read(buffer)) {
            synchronized (answered) {
                if (answered[0]) {
                    roundTrips.incrementAndGet();
                    answered[0] = false;
                }
            }
            String words = holdAfter;
            if (words != null && new String(buffer, 0, length, StandardCharsets.ISO_8859_1).contains(words)) {
                held = true;
            }
            requestOnTheWay |= requestsHeld;
            awaitWhile(() -> requestsHeld);
            out.write(buffer, 0, length);
        }
    }

    private void back(Socket server, Socket client, boolean[] answered) throws IOException {
        byte[] buffer = new byte[65_536];
        InputStream in = server.getInputStream();
        OutputStream out = client.getOutputStream();
        for (int length = in.read(buffer); length >= 0; length = in.read(buffer)) {
            awaitWhile(() -> held);
            synchronized (answered) {
                answered[0] = true;
            }
            out.write(buffer, 0, length);
        }
    }

    /** Hangs up on the one side when the other has, however that shows. */
    private static void untilEither(Socket far, Io work) throws IOException {
        try {
            work.run();
        } finally {
            far.close();
        }
    }

    /** Until {@code holds} does not. */
    private void awaitWhile(BooleanSupplier holds) throws IOException {
        synchronized (answers) {
            while (holds.getAsBoolean()) {
                try {
                    answers.wait();
                } catch (InterruptedException e) {
                    throw new IOException(e);
                }
            }
        }
    }

    private interface Io {
        void run() throws IOException;
    }

    private static void start(Io work) {
        Thread thread = new Thread(() -> {
            try {
                work.run();
            } catch (IOException e) {
                // closed by one of the two, or by the test
            }
        });
        thread.setDaemon(true);
        thread.start();
    }

    @Override
    public void close() throws IOException {
        release();
        listener.close();
        for (Socket each : sockets) {
            each.close();
        }
    }
}
