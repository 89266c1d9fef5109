package io.weir.chaos;

import io.weir.Limit;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.IntStream;

/**
 * Processes that form one cluster, from the first one on until it is closed. Then all of them end, whatever was done to
 * them.
 */
final class Cluster implements AutoCloseable {

    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private final String name;
    private final int port = freePort();
    private final Map<String, String> properties = new LinkedHashMap<>();
    private final List<MemberProcess> processes = new CopyOnWriteArrayList<>();
    private final List<Limit> limits = new CopyOnWriteArrayList<>();
    private final Thread endAtExit = new Thread(this::endAll);

    /**
     * A cluster of no processes yet.
     *
     * @throws IllegalStateException if this machine is none that the processes could run on
     */
    Cluster(String name) {
        Place.requireLinux(System.getProperty("os.name", "an unknown system"));
        this.name = name + "-" + ProcessHandle.current().pid();
        // A process that is stopped does not see that standard input has ended.
        Runtime.getRuntime().addShutdownHook(endAtExit);
    }

    /** Has processes start with a system property, one of Hazelcast's for example. */
    Cluster with(String property, String value) {
        properties.put(property, value);
        return this;
    }

    /** Members notice within about 5 s that one has fallen silent, and merge soon after it is back: not a minute, not five. */
    Cluster withTunedHeartbeats() {
        return with("hazelcast.heartbeat.interval.seconds", "1")
                .with("hazelcast.max.no.heartbeat.seconds", "10")
                .with("hazelcast.operation.call.timeout.millis", "5000")
                .with("hazelcast.operation.backup.timeout.millis", "1000")
                .with("hazelcast.merge.first.run.delay.seconds", "5")
                .with("hazelcast.merge.next.run.delay.seconds", "2");
    }

    /** Starts a process, and returns when it has joined and asks by the limits of the others. */
    MemberProcess add(Role role) {
        return add(role, Duration.ZERO);
    }

    /** Starts a process whose date is ahead of this machine's, or behind it by a negative duration. */
    MemberProcess add(Role role, Duration ahead) {
        Place place = new Place(name, processes.size() + 1, port);
        MemberProcess process = MemberProcess.start(new ChildJvm(role, place, ahead, properties));
        processes.add(process);
        process.awaitReady(ahead);
        if (role != Role.PLAIN) {
            limits.forEach(process::limit);
        }
        return process;
    }

    /** Makes every process ask by a limit, those that are added later too. */
    void limit(Limit limit) {
        limits.add(limit);
        alive().stream().filter(each -> each.role() != Role.PLAIN).forEach(each -> each.limit(limit));
    }

    /** All processes, in the order of their start. */
    List<MemberProcess> processes() {
        return processes;
    }

    /** The processes that have not been killed, in the order of their start. */
    List<MemberProcess> alive() {
        return processes.stream().filter(MemberProcess::isAlive).toList();
    }

    /** The process that owns a key. */
    MemberProcess ownerOf(String limit, String key) {
        UUID owner = alive().get(0).ownerOf(limit, key);
        return alive().stream()
                .filter(each -> each.identity().equals(owner))
                .findFirst()
                .orElseThrow(() -> new IllegalStateException(owner + " owns " + key + " and is not in " + alive()));
    }

    /** Some key that a process owns. */
    String keyOwnedBy(MemberProcess owner, String limit) {
        UUID identity = owner.identity();
        return IntStream.range(0, 10_000)
                .mapToObj(i -> "key-" + i)
                .filter(key -> owner.ownerOf(limit, key).equals(identity))
                .findFirst()
                .orElseThrow(() -> new IllegalStateException(owner + " owns nothing"));
    }

    /** Waits until all members see one another, and every partition has its backup. */
    void awaitSafe() {
        List<MemberProcess> members =
                alive().stream().filter(each -> each.role() != Role.CLIENT).toList();
        Waits.until(
                "all of " + members + " see one another",
                PATIENCE,
                () -> members.stream().allMatch(each -> each.members() == members.size()));
        Waits.until(
                "partitions have owners and backups",
                PATIENCE,
                () -> members.stream().allMatch(MemberProcess::isClusterSafe));
    }

    @Override
    public void close() {
        endAll();
        Runtime.getRuntime().removeShutdownHook(endAtExit);
    }

    private void endAll() {
        processes.forEach(MemberProcess::kill);
    }

    private static int freePort() {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        } catch (IOException e) {
            throw new UncheckedIOException("no free port", e);
        }
    }
}
