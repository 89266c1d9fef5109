package io.weir.chaos;

import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;

/**
 * A network namespace for each process, and one more with the bridge between them, so that nothing of it is to be seen
 * outside and several of them do not meet. Each has a {@link Firewall} for what comes in.
 */
final class NamespaceNetwork implements Network {

    private static final String PREFIX = "weir-";
    private static final Pattern NAME = Pattern.compile("^" + PREFIX + "(\\d+)-\\S+", Pattern.MULTILINE);
    private static final int PORT = 5701;
    private static final AtomicInteger NETWORKS = new AtomicInteger();

    private final String cluster;
    private final String name = PREFIX + ProcessHandle.current().pid() + "-" + NETWORKS.incrementAndGet();
    private final String hub = name + "-hub";
    private final Firewall firewall;
    private final List<String> namespaces = new ArrayList<>();
    private final Map<Link, Weather> weather = new HashMap<>();

    NamespaceNetwork(String cluster) {
        this.cluster = cluster;
        sweep();
        this.firewall = firewall();
        try {
            add(hub);
            in(hub, "link add br0 type bridge", "link set br0 up");
            IntStream.rangeClosed(1, SEEDS).forEach(this::join); // where nobody is, connections are refused at once
        } catch (RuntimeException e) {
            close();
            throw e;
        }
    }

    /** Whether it works here; says why not. */
    static boolean isPossible() {
        try (NamespaceNetwork trial = new NamespaceNetwork("trial")) {
            trial.set(new Link(1, 2), Weather.RESETTING);
            trial.heal();
            return true;
        } catch (IllegalStateException | UncheckedIOException e) {
            System.out.println("no network namespaces here: " + e.getMessage());
            return false;
        }
    }

    @Override
    public synchronized Place place(int number, Role role) {
        if (!namespaces.contains(namespace(number))) {
            join(number);
        }
        List<String> everybody = Network.lookedForBy(number, role).stream()
                .map(each -> address(each) + ":" + PORT)
                .toList();
        return new Place(cluster, number, address(number), address(number), PORT, everybody, inNamespace(number));
    }

    @Override
    public synchronized void set(Link link, Weather changed) {
        if (changed.needsRelay()) {
            throw new IllegalArgumentException("a packet filter can only cut, and not be " + changed);
        }
        if (changed.passes()) {
            weather.remove(link);
        } else {
            weather.put(link, changed);
        }
        Map<String, Weather> bySource = new HashMap<>();
        weather.forEach((each, how) -> {
            if (each.to() == link.to()) {
                bySource.put(address(each.from()), how);
            }
        });
        firewall.set(inNamespace(link.to()), bySource);
    }

    @Override
    public synchronized void heal() {
        List.copyOf(weather.keySet()).forEach(each -> set(each, Weather.CLEAR));
    }

    /** The rest goes with the namespaces. */
    @Override
    public synchronized void close() {
        namespaces.forEach(each -> Shell.run("ip", "netns", "del", each));
        namespaces.clear();
    }

    /** Removes what processes have left behind that were killed. */
    private static void sweep() {
        Matcher names = NAME.matcher(Shell.run("ip", "netns", "list"));
        while (names.find()) {
            if (ProcessHandle.of(Long.parseLong(names.group(1))).isEmpty()) {
                Shell.run("ip", "netns", "del", names.group());
            }
        }
    }

    private static Firewall firewall() {
        for (Firewall each : Firewall.values()) {
            try {
                Shell.run(each == Firewall.NFT ? "nft" : "iptables", "--version");
                return each;
            } catch (UncheckedIOException e) {
                // not installed
            }
        }
        throw new IllegalStateException("neither nft nor iptables is installed");
    }

    private void join(int number) {
        add(namespace(number));
        in(
                hub,
                "link add p" + number + " type veth peer name eth0 netns " + namespace(number),
                "link set p" + number + " master br0 up");
        in(namespace(number), "addr add " + address(number) + "/24 dev eth0", "link set eth0 up", "link set lo up");
    }

    private void add(String namespace) {
        Shell.run("ip", "netns", "add", namespace);
        namespaces.add(namespace);
    }

    private static void in(String namespace, String... commands) {
        Shell.feed(String.join("\n", commands), "ip", "-n", namespace, "-batch", "-");
    }

    private String namespace(int number) {
        return name + "-" + number;
    }

    private List<String> inNamespace(int number) {
        return List.of("ip", "netns", "exec", namespace(number));
    }

    private static String address(int number) {
        return "10.99.0." + number;
    }
}
