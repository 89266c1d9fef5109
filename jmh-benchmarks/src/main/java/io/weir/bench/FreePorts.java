package io.weir.bench;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.BindException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;

/** Ports that nobody listens on, below those from which the system takes one for each connection. */
final class FreePorts {

    private static final int LOWEST = 10_000;
    private static final int HIGHEST = 19_999;

    private FreePorts() {}

    /** Free addresses of one host, no two alike. */
    static List<InetSocketAddress> on(String host, int count) {
        return ThreadLocalRandom.current()
                .ints(LOWEST, HIGHEST + 1)
                .distinct()
                .mapToObj(port -> new InetSocketAddress(host, port))
                .filter(FreePorts::isFree)
                .limit(count)
                .toList();
    }

    private static boolean isFree(InetSocketAddress address) {
        try (ServerSocket socket = new ServerSocket(address.getPort(), 1, address.getAddress())) {
            return socket.isBound();
        } catch (BindException e) {
            return false;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
