package io.weir.demo;

import java.io.IOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Ports that nobody uses, below those from which the system takes one for each connection: it might take one of these
 * before they are used.
 */
final class FreePorts {

    private FreePorts() {}

    /** The first of some in a row. */
    static int inARow(int count) throws IOException {
        List<ServerSocket> sockets = new ArrayList<>();
        try {
            int first = ThreadLocalRandom.current().nextInt(10_000, 20_000);
            while (sockets.size() < count) {
                sockets.add(listen(first + sockets.size()));
            }
            return first;
        } catch (BindException e) {
            return inARow(count);
        } finally {
            for (ServerSocket socket : sockets) {
                socket.close();
            }
        }
    }

    static ServerSocket listen(int port) throws IOException {
        return new ServerSocket(port, 1, InetAddress.getLoopbackAddress());
    }
}
