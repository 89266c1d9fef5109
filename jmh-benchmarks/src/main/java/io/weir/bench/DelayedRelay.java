package io.weir.bench;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** Listens in somebody's place and hands on each connection, both ways, over a link that takes a known time. */
final class DelayedRelay implements AutoCloseable {

    private final InetSocketAddress target;
    private final long oneWayNanos;
    private final ServerSocket server;
    private final List<Socket> sockets = new CopyOnWriteArrayList<>();

    /**
     * Starts to listen.
     *
     * @param place of whom connections are for
     * @param roundTrip how long a question and its answer travel together
     */
    DelayedRelay(Place place, Duration roundTrip) {
        this.target = place.listens();
        this.oneWayNanos = roundTrip.toNanos() / 2;
        try {
            server = new ServerSocket(
                    place.reached().getPort(), 0, place.reached().getAddress());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        Thread thread = new Thread(this::accept, "relay-to-" + target);
        thread.setDaemon(true);
        thread.start();
    }

    private void accept() {
        while (!server.isClosed()) {
            try {
                relay(server.accept());
            } catch (IOException e) {
                // closed, or nobody listens at the target yet: then who connects sees the end of the connection
            }
        }
    }

    private void relay(Socket caller) throws IOException {
        sockets.add(caller);
        Socket callee = new Socket();
        sockets.add(callee);
        try {
            callee.connect(target);
            caller.setTcpNoDelay(true);
            callee.setTcpNoDelay(true);
        } catch (IOException e) {
            caller.close();
            throw e;
        }
        DelayLine.start(caller, callee, oneWayNanos);
        DelayLine.start(callee, caller, oneWayNanos);
    }

    @Override
    public void close() {
        try {
            server.close();
            for (Socket socket : sockets) {
                socket.close();
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
