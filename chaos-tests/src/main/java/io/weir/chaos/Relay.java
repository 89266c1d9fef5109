package io.weir.chaos;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Function;

/** Listens in a process's place, and hands on what comes, both ways, as the weather of each {@link Link} is. */
final class Relay implements AutoCloseable {

    /** @param link from whom connected to whom it is for */
    private record Pair(Link link, Socket caller, Socket callee) {

        /** Ends it without a goodbye: both ends find that it is no more. */
        void reset() {
            for (Socket each : List.of(caller, callee)) {
                try {
                    each.setSoLinger(true, 0);
                    each.close();
                } catch (IOException e) {
                    // it has ended before
                }
            }
        }
    }

    private final ServerSocket server;
    private final InetSocketAddress target;
    private final Function<InetAddress, Link> linkOf;
    private final Function<Link, Weather> weather;
    private final List<Pair> pairs = new CopyOnWriteArrayList<>();

    /**
     * Starts to listen.
     *
     * @param reached where others connect to
     * @param target where the process listens
     * @param linkOf who calls, from an address
     * @param weather of a link at the moment
     */
    Relay(
            InetSocketAddress reached,
            InetSocketAddress target,
            Function<InetAddress, Link> linkOf,
            Function<Link, Weather> weather) {
        this.target = target;
        this.linkOf = linkOf;
        this.weather = weather;
        try {
            server = new ServerSocket(reached.getPort(), 0, reached.getAddress());
        } catch (IOException e) {
            throw new UncheckedIOException("cannot listen on " + reached, e);
        }
        Thread thread = new Thread(this::accept, "relay to " + target);
        thread.setDaemon(true);
        thread.start();
    }

    /** Resets all connections that use a link, in whichever direction they were made. */
    void reset(Link link) {
        for (Pair each : pairs) {
            if (each.link.equals(link) || back(each.link).equals(link)) {
                each.reset();
            }
        }
    }

    @Override
    public void close() {
        try {
            server.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        pairs.forEach(Pair::reset);
    }

    private void accept() {
        while (!server.isClosed()) {
            try {
                relay(server.accept());
            } catch (IOException e) {
                // Closed; or the caller has gone already.
            }
        }
    }

    private void relay(Socket caller) throws IOException {
        pairs.removeIf(each -> each.caller.isClosed() && each.callee.isClosed());
        Pair pair = new Pair(linkOf.apply(caller.getInetAddress()), caller, new Socket());
        Link back = back(pair.link);
        if (weather.apply(pair.link).resets() || weather.apply(back).resets()) {
            pair.reset();
            return;
        }
        try {
            pair.callee.connect(target);
            caller.setTcpNoDelay(true);
            pair.callee.setTcpNoDelay(true);
        } catch (IOException e) { // nobody is there
            pair.reset();
            return;
        }
        pairs.add(pair);
        Passage.start(caller, pair.callee, () -> weather.apply(pair.link));
        Passage.start(pair.callee, caller, () -> weather.apply(back));
    }

    private static Link back(Link link) {
        return new Link(link.to(), link.from());
    }
}
