package io.weir.chaos;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * Every process has a loopback address of its own, and is reached by a {@link Relay} on another one. Linux has these
 * addresses without being set up. A member connects from the address that it is reached by, and so the relay knows who
 * calls; a client calls from none of them, so that all clients of a cluster share their weather.
 *
 * <p>What a relay holds back arrives late rather than never, as what TCP sends again does. Two things are unlike real
 * packets: connections are accepted through a silent cut, and then say nothing; and a cut in one direction does not cut the
 * acknowledgements of the other.
 */
final class LoopbackNetwork implements Network {

    private static final int CLIENTS = 0;

    private final String cluster;
    private final int port = freePort();
    private final Map<String, Integer> callers = new ConcurrentHashMap<>();
    private final Map<Integer, Integer> ends = new ConcurrentHashMap<>();
    private final Map<Link, Weather> weather = new ConcurrentHashMap<>();
    private final List<Relay> relays = new CopyOnWriteArrayList<>();

    /**
     * @throws IllegalStateException if this system does not have all the addresses
     */
    LoopbackNetwork(String cluster) {
        requireLinux(System.getProperty("os.name", "an unknown system"));
        this.cluster = cluster;
    }

    /** Checks that all addresses are there, without being set up one by one: other systems have but the first. */
    static void requireLinux(String system) {
        if (!system.equals("Linux")) {
            throw new IllegalStateException("chaos tests need Linux: each process has an address of its own, from "
                    + listens(1) + " on, and this is " + system);
        }
    }

    @Override
    public Place place(int number, Role role) {
        callers.put(reached(number), number);
        ends.put(number, role == Role.CLIENT ? CLIENTS : number);
        if (role != Role.CLIENT) {
            relays.add(new Relay(
                    new InetSocketAddress(reached(number), port),
                    new InetSocketAddress(listens(number), port),
                    caller -> new Link(callers.getOrDefault(caller.getHostAddress(), CLIENTS), number),
                    this::weather));
        }
        List<String> everybody = Network.lookedForBy(number, role).stream()
                .map(each -> reached(each) + ":" + port)
                .toList();
        return new Place(cluster, number, listens(number), reached(number), port, everybody, List.of());
    }

    @Override
    public void set(Link link, Weather changed) {
        Link here = new Link(end(link.from()), end(link.to()));
        weather.put(here, changed);
        if (changed.resets()) {
            relays.forEach(each -> each.reset(here));
        }
    }

    @Override
    public void heal() {
        weather.clear();
    }

    @Override
    public void close() {
        weather.clear();
        relays.forEach(Relay::close);
    }

    private int end(int number) {
        return ends.getOrDefault(number, number);
    }

    private Weather weather(Link link) {
        return weather.getOrDefault(link, Weather.CLEAR);
    }

    private static String listens(int number) {
        return "127.0.0." + (10 + number);
    }

    private static String reached(int number) {
        return "127.0.1." + (10 + number);
    }

    private static int freePort() {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        } catch (IOException e) {
            throw new UncheckedIOException("no free port", e);
        }
    }
}
