package io.weir.demo;

import java.io.IOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.ArrayList;
import java.util.List;

/** Ports that nobody uses, where the system looks for some. */
final class FreePorts {

    private FreePorts() {}

    /** The first of some in a row. */
    static int inARow(int count) throws IOException {
        List<ServerSocket> sockets = new ArrayList<>();
        try {
            sockets.add(listen(0));
            int first = sockets.get(0).getLocalPort();
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
