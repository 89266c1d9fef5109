package io.weir.chaos;

import io.weir.Limit;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.IntStream;

/**
 * Processes that form one cluster, from the first one on until it is closed. Then all of them end, whatever was done to
 * them.
 */
final class Cluster implements AutoCloseable {

    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private final Network network;
    private final List<String> firstOnClassPath = new ArrayList<>();
    private final Map<String, String> properties = new LinkedHashMap<>();
    private final List<MemberProcess> processes = new CopyOnWriteArrayList<>();
    private final List<Limit> limits = new CopyOnWriteArrayList<>();
    private final Thread endAtExit = new Thread(this::endAll);

    /**
     * A cluster of no processes yet, on the better network that works here.
     *
     * @throws IllegalStateException if this machine is none that the processes could run on
     */
    Cluster(String name) {
        this(name, Rig.available());
    }

    /** A cluster of no processes yet. */
    Cluster(String name, Rig rig) {
        this.network = rig.open(name + "-" + ProcessHandle.current().pid());
        // A process that is stopped does not see that standard input has ended.
        Runtime.getRuntime().addShutdownHook(endAtExit);
    }

    /** Has processes start with a system property, one of Hazelcast's for example. */
    Cluster with(String property, String value) {
        properties.put(property, value);
        return this;
    }

    /** Has processes look for classes in some places first, before those that have them as they should be. */
    Cluster firstOnClassPath(List<String> places) {
        firstOnClassPath.addAll(places);
        return this;
    }

    /**
     * Members notice soon that one has fallen silent, and merge soon after it is back: not a minute, not five.
     *
     * @param removal how long a member may be silent before it is removed
     */
    Cluster withTunedHeartbeats(Duration removal) {
        return with("hazelcast.heartbeat.interval.seconds", "1")
                .with("hazelcast.max.no.heartbeat.seconds", Long.toString(removal.toSeconds()))
                .with("hazelcast.operation.call.timeout.millis", "5000")
                .with("hazelcast.operation.backup.timeout.millis", "1000")
                // A call that is made through a silent cut is made again ever more rarely, and a merge waits for it.
                .with("hazelcast.socket.connect.timeout.seconds", "1")
                .with("hazelcast.merge.first.run.delay.seconds", "5")
                .with("hazelcast.merge.next.run.delay.seconds", "2");
    }

    /** Starts a process, and returns when it has joined and asks by the limits of the others. */
    MemberProcess add(Role role) {
        return add(role, Duration.ZERO);
    }

    /** Starts a process whose date is ahead of this machine's, or behind it by a negative duration. */
    MemberProcess add(Role role, Duration ahead) {
        return add(next(role, ahead));
    }

    /** Starts a process where another has ended, and as that one was. */
    MemberProcess addInPlaceOf(MemberProcess ended) {
        return add(ended.jvm());
    }

    /** How the next process would be started, to be changed and then {@linkplain #add(ChildJvm) added}. */
    ChildJvm next(Role role) {
        return next(role, Duration.ZERO);
    }

    private ChildJvm next(Role role, Duration ahead) {
        return new ChildJvm(role, network.place(processes.size() + 1, role), ahead, properties, firstOnClassPath);
    }

    /** Starts a process in its own way: what became of another's, for example, once that has ended. */
    MemberProcess add(ChildJvm jvm) {
        MemberProcess process = MemberProcess.start(jvm);
        processes.add(process);
        process.awaitReady(jvm.ahead());
        if (jvm.role() != Role.PLAIN) {
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

    /** What lies between the processes. */
    Network network() {
        return network;
    }

    /** Some key that one process owns, and of which another one has the backup; empty if there is none. */
    Optional<String> keyHeldBy(MemberProcess owner, MemberProcess backup, String limit) {
        List<UUID> holders = List.of(owner.identity(), backup.identity());
        return IntStream.range(0, 2_000)
                .mapToObj(i -> "key-" + i)
                .filter(key -> owner.copiesOf(limit, key).equals(holders))
                .findFirst();
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

    /** Whether all members see one another, and nobody else. */
    boolean isWhole() {
        List<MemberProcess> members = members();
        return members.stream().allMatch(each -> each.members() == members.size());
    }

    /** Waits until all members see one another, and every partition has its backup. */
    void awaitSafe() {
        List<MemberProcess> members = members();
        Waits.until("all of " + members + " see one another", PATIENCE, this::isWhole);
        Waits.until(
                "partitions have owners and backups",
                PATIENCE,
                () -> members.stream().allMatch(MemberProcess::isClusterSafe));
    }

    private List<MemberProcess> members() {
        return alive().stream().filter(each -> each.role() != Role.CLIENT).toList();
    }

    @Override
    public void close() {
        endAll();
        Runtime.getRuntime().removeShutdownHook(endAtExit);
    }

    private void endAll() {
        processes.forEach(MemberProcess::kill);
        network.close();
    }
}
