package io.weir.demo;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * The network between the members: each is reached through a port of the launcher's, which hands on what comes, so that a member can be cut off. Who
 * calls is told by its port, since each member has ports of its own for that. Thread-safe.
 */
final class MemberLinks implements AutoCloseable {

    private record Connection(int caller, int callee, Socket from, Socket to) {

        boolean isOf(int member) {
            return caller == member || callee == member;
        }

        /** Without a goodbye: both ends find that it is no more. */
        void reset() {
            for (Socket each : List.of(from, to)) {
                try {
                    each.setSoLinger(true, 0);
                    each.close();
                } catch (IOException e) {
                    // it has ended before
                }
            }
        }
    }

    private final Settings settings;
    private final List<ServerSocket> servers = new ArrayList<>();
    private final List<Connection> connections = new CopyOnWriteArrayList<>();
    private final Set<Integer> cut = ConcurrentHashMap.newKeySet();

    private MemberLinks(Settings settings) {
        this.settings = settings;
    }

    /** Listens in the place of all members. */
    static MemberLinks open(Settings settings) throws IOException {
        MemberLinks links = new MemberLinks(settings);
        for (int member = 1; member <= Settings.MEMBERS; member++) {
            links.listen(member);
        }
        return links;
    }

    private void listen(int callee) throws IOException {
        ServerSocket server = new ServerSocket();
        server.setReuseAddress(true);
        server.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), settings.reachedPort(callee)));
        servers.add(server);
        start(() -> {
            while (!server.isClosed()) {
                try {
                    accepted(server.accept(), callee);
                } catch (IOException e) {
                    // closed; or the caller has gone already
                }
            }
        });
    }

    private void accepted(Socket from, int callee) throws IOException {
        connections.removeIf(each -> each.from.isClosed() && each.to.isClosed());
        Connection connection = new Connection(settings.caller(from.getPort()), callee, from, new Socket());
        if (cut.stream().anyMatch(connection::isOf)) {
            connection.reset();
            return;
        }
        try {
            connection.to.connect(
                    new InetSocketAddress(InetAddress.getLoopbackAddress(), settings.hazelcastPort(callee)));
            from.setTcpNoDelay(true);
            connection.to.setTcpNoDelay(true);
        } catch (IOException e) { // nobody is there
            connection.reset();
            return;
        }
        connections.add(connection);
        if (cut.stream().anyMatch(connection::isOf)) { // meanwhile
            connection.reset();
            return;
        }
        start(() -> handOn(from, connection.to));
        start(() -> handOn(connection.to, from));
    }

    private static void handOn(Socket from, Socket to) {
        try {
            from.getInputStream().transferTo(to.getOutputStream());
            to.shutdownOutput();
            if (from.isOutputShutdown()) { // the other way has ended, too
                from.close();
                to.close();
            }
        } catch (IOException e) {
            try {
                from.close();
                to.close();
            } catch (IOException ended) {
                throw new UncheckedIOException(ended);
            }
        }
    }

    /** Cuts a member off from the others: its connections are reset, and new ones too. Whether it was not before. */
    boolean cut(int member) {
        boolean news = cut.add(member);
        connections.stream().filter(each -> each.isOf(member)).forEach(Connection::reset);
        return news;
    }

    /** Whether a member was cut off, which it is no longer. */
    boolean heal(int member) {
        return cut.remove(member);
    }

    @Override
    public void close() {
        for (ServerSocket each : servers) {
            try {
                each.close();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
        connections.forEach(Connection::reset);
    }

    private static void start(Runnable task) {
        Thread thread = new Thread(task, "demo-link");
        thread.setDaemon(true);
        thread.start();
    }
}
