package io.weir.bench;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;

/** A connection over one link of a {@link DelayedNetwork}, with somebody at its end who sends back what comes. */
final class Ping implements AutoCloseable {

    private static final int BYTE = 42;

    private final DelayedNetwork network;
    private final ServerSocket server;
    private final Socket socket;

    Ping(Duration roundTrip) throws IOException {
        network = new DelayedNetwork(1, roundTrip);
        InetSocketAddress listens = network.places().get(0).listens();
        server = new ServerSocket(listens.getPort(), 1, listens.getAddress());
        Thread echo = new Thread(this::echo, "ping-echo");
        echo.setDaemon(true);
        echo.start();
        InetSocketAddress reached = network.places().get(0).reached();
        socket = new Socket(reached.getAddress(), reached.getPort());
        socket.setTcpNoDelay(true);
    }

    private void echo() {
        try (Socket peer = server.accept()) {
            peer.setTcpNoDelay(true);
            peer.getInputStream().transferTo(peer.getOutputStream());
        } catch (IOException e) {
            // closed; who waits for the echo sees that
        }
    }

    /** Sends a byte, and waits until it is back. */
    void send() throws IOException {
        socket.getOutputStream().write(BYTE);
        int back = socket.getInputStream().read();
        if (back != BYTE) {
            throw new IOException("sent " + BYTE + " and got back " + back);
        }
    }

    @Override
    public void close() throws IOException {
        socket.close();
        server.close();
        network.close();
    }
}
