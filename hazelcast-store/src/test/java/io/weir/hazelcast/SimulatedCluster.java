package io.weir.hazelcast;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Who owns what in the simulated cluster, and who backs it up. Each key is a partition of its own.
 *
 * <p>As in Hazelcast: when a member is removed its backups are promoted, and a new backup is filled from the owner a little
 * later; when a partition moves, its data moves with it, and the former owner stays as its backup.
 */
final class SimulatedCluster {

    /** One key's owner and backup. */
    static final class Partition {
        private final String key;
        private SimulatedOwner owner;
        private SimulatedOwner formerOwner;
        private long changedAtNanos = Long.MIN_VALUE / 2;
        private @Nullable SimulatedOwner backup;
        private boolean backupFilled;
        private int epoch;
        private long acknowledgedVersion;

        private Partition(String key, SimulatedOwner owner) {
            this.key = key;
            this.owner = owner;
            this.formerOwner = owner;
        }

        SimulatedOwner owner() {
            return owner;
        }

        @Nullable
        SimulatedOwner backup() {
            return backup;
        }

        /** Rises whenever owner or backup change: what was sent to a backup before that is ignored by it. */
        int epoch() {
            return epoch;
        }

        /** A caller has been told what this write of the entry, or an earlier one, did. */
        void acknowledged(long version) {
            acknowledgedVersion = Math.max(acknowledgedVersion, version);
        }

        /** Whether the owner can go without anything being lost. */
        boolean isSafe() {
            return backup != null
                    && backupFilled
                    && !backup.jvm().isKilled()
                    && backup.entry(key).version() >= acknowledgedVersion;
        }

        /** Whom a caller takes for the owner that hears of changes somewhat later. */
        SimulatedOwner ownerAsOf(long nanos) {
            return nanos > changedAtNanos ? owner : formerOwner;
        }
    }

    private final Timeline timeline;
    private final Trace trace;
    private final Audit audit;
    private final long fillNanos;
    private final List<SimulatedOwner> members = new ArrayList<>();
    private final Map<String, Partition> partitions = new LinkedHashMap<>();
    private final List<Consumer<SimulatedOwner>> leavers = new ArrayList<>();

    /**
     * @param fillNanos how long it takes to fill a new backup
     */
    SimulatedCluster(Timeline timeline, Trace trace, Audit audit, long fillNanos) {
        this.timeline = timeline;
        this.trace = trace;
        this.audit = audit;
        this.fillNanos = fillNanos;
    }

    void join(SimulatedOwner member) {
        trace.add(() -> member + " joins");
        members.add(member);
        partitions.values().forEach(this::backUp);
    }

    /** Is told of each member that leaves, after its partitions have been given away. */
    void whenLeaving(Consumer<SimulatedOwner> listener) {
        leavers.add(listener);
    }

    List<SimulatedOwner> members() {
        return members;
    }

    Partition partition(String key) {
        Partition known = partitions.get(key);
        if (known != null) {
            return known;
        }
        Partition made = new Partition(key, members.get(partitions.size() % members.size()));
        partitions.put(key, made);
        made.backupFilled = true; // nothing is there yet
        backUp(made);
        made.backupFilled = true;
        return made;
    }

    /** The keys that a member owns. */
    List<String> keysOf(SimulatedOwner owner) {
        return partitions.values().stream()
                .filter(each -> each.owner == owner)
                .map(each -> each.key)
                .toList();
    }

    /** Whether a member can go without anything being lost. */
    boolean canSpare(SimulatedOwner member) {
        return partitions.values().stream()
                .allMatch(each -> (each.owner != member || each.isSafe())
                        && (each.backup != member || !each.owner.jvm().isKilled()));
    }

    /** The others have noticed that a member is gone. */
    void remove(SimulatedOwner gone) {
        if (!members.remove(gone)) {
            return;
        }
        trace.add(() -> gone + " is removed");
        gone.removed();
        for (Partition each : partitions.values()) {
            if (each.backup == gone) {
                each.backup = null;
                each.epoch++;
            }
            if (each.owner == gone) {
                promote(each);
            }
            backUp(each);
        }
        leavers.forEach(each -> each.accept(gone));
    }

    private void promote(Partition partition) {
        SimulatedOwner next = partition.backup != null ? partition.backup : members.get(0);
        partition.backup = null;
        changeOwner(partition, next);
        long version = next.entry(partition.key).version();
        trace.add(() -> next + " takes over " + partition.key + " at write " + version);
        audit.rolledBack(partition.key, version, version < partition.acknowledgedVersion);
        partition.acknowledgedVersion = Math.min(partition.acknowledgedVersion, version);
    }

    /** Moves a partition to another member, with nothing lost. */
    void move(Partition partition, SimulatedOwner next) {
        SimulatedOwner former = partition.owner;
        if (next != former) {
            trace.add(() -> partition.key + " moves from " + former + " to " + next);
            next.entry(partition.key).become(former.entry(partition.key));
            changeOwner(partition, next);
            partition.backup = former;
            partition.backupFilled = true;
        }
    }

    private void changeOwner(Partition partition, SimulatedOwner next) {
        audit.clockStepped(partition.key, next.offsetNanos() - partition.owner.offsetNanos());
        partition.formerOwner = partition.owner;
        partition.changedAtNanos = timeline.nanoTime();
        partition.owner = next;
        partition.epoch++;
    }

    /** Finds a backup for a partition that has none, and fills it. */
    private void backUp(Partition partition) {
        int place = members.indexOf(partition.owner);
        if (partition.backup != null || members.size() < 2) {
            return;
        }
        SimulatedOwner next = members.get((place + 1) % members.size());
        partition.backup = next;
        partition.backupFilled = false;
        partition.epoch++;
        int epoch = partition.epoch;
        timeline.after(fillNanos, () -> {
            if (partition.epoch == epoch && !partition.owner.jvm().isKilled()) {
                next.entry(partition.key).become(partition.owner.entry(partition.key));
                partition.backupFilled = true;
            }
        });
    }
}
