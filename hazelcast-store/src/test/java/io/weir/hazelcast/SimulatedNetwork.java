package io.weir.hazelcast;

import com.hazelcast.spi.exception.TargetDisconnectedException;
import io.weir.hazelcast.SimulatedCluster.Partition;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * What lies between nodes and owners. It delays, loses, repeats and reorders as its {@link Link} says, and retries as
 * Hazelcast does: after an owner has left, and when a call came to the wrong member.
 *
 * <p>An answer reaches its caller once the backup, too, has said that it has the write. Between members messages keep
 * their order and are lost only with their sender.
 */
final class SimulatedNetwork {

    private static final long RETRY_PAUSE = Duration.ofMillis(5).toNanos();

    private final Timeline timeline;
    private final Trace trace;
    private final Audit audit;
    private final SimulatedCluster cluster;
    private final Link link;
    private final SplittableRandom random;
    private final Map<String, Long> lastBackupNanos = new HashMap<>();
    private final Map<SimulatedNode, Long> lastCallNanos = new HashMap<>();
    private @Nullable SimulatedCall ending;
    private boolean quiet;
    private long runs;

    SimulatedNetwork(
            Timeline timeline, Trace trace, Audit audit, SimulatedCluster cluster, Link link, SplittableRandom random) {
        this.timeline = timeline;
        this.trace = trace;
        this.audit = audit;
        this.cluster = cluster;
        this.link = link;
        this.random = random;
        cluster.whenLeaving(gone -> gone.abandon().forEach(this::afterOwnerLeft));
    }

    /** From now on nothing is lost, repeated or late. */
    void becomeQuiet() {
        quiet = true;
    }

    /** The call whose end is being told to its caller. */
    @Nullable
    SimulatedCall ending() {
        return ending;
    }

    /** How often an owner ran a call. */
    long runs() {
        return runs;
    }

    /** The way of one node to the owners. */
    OwnerCalls from(SimulatedNode node) {
        // The partition is as good as any: a probe finds a key of the owner's by asking who owns it.
        return key -> {
            UUID owner = ownerSeenBy(node, key).uuid();
            return new OwnerCalls.Route(
                    owner, 0, (call, callback) -> depart(new SimulatedCall(node, key, call, callback), owner));
        };
    }

    /** What a key's owner holds for a node, as far as it knows now, at an instant of true time. */
    long heldFor(UUID node, String key, long atNanos) {
        SimulatedOwner owner = cluster.partition(key).owner();
        StoredBucket stored = owner.entry(key).stored();
        long at = SimulatedOwner.clusterTime(atNanos) + owner.offsetNanos(); // even if it is held up just now
        return stored == null ? 0 : Ledger.held(stored, node, at);
    }

    private SimulatedOwner ownerSeenBy(SimulatedNode node, String key) {
        return cluster.partition(key).ownerAsOf(node.jvm().knowsAsOfNanos(link.newsDelayNanos()));
    }

    /** The owner whose time the node has put into a call need not be the one to which it goes: news may come in between. */
    private void depart(SimulatedCall call, UUID addressed) {
        SimulatedOwner target = ownerSeenBy(call.from(), call.key());
        call.leaves(target, addressed);
        trace.add(() -> call + " leaves for " + target + ": " + call.said().requests());
        long departure = call.from().jvm().instantNanos();
        if (happens(link.lostPerMille())) {
            fail(call);
        } else {
            long delay = delay(call.from().jvm() == target.jvm());
            long late = happens(link.strayPerMille()) ? random.nextLong(link.longestStrayNanos()) : 0;
            long arrival = departure + delay + late;
            if (link.isHealthy()) { // then nothing overtakes anything on one connection
                arrival = Math.max(arrival, lastCallNanos.getOrDefault(call.from(), 0L) + 1);
                lastCallNanos.put(call.from(), arrival);
            }
            timeline.at(arrival, () -> arrive(call, target));
        }
        if (happens(link.twicePerMille())) {
            long again = random.nextLong(1L << random.nextInt(20, 34)); // a millisecond to 17 s
            timeline.at(
                    departure + again,
                    () -> arrive(call, cluster.partition(call.key()).owner()));
        }
    }

    /** Hazelcast gives a call up after a long time. */
    private void fail(SimulatedCall call) {
        timeline.after(
                link.callTimeoutNanos(), () -> end(call, null, new TargetDisconnectedException("lost on its way")));
    }

    private void afterOwnerLeft(SimulatedCall call) {
        if (call.from().isClient() && random.nextBoolean()) {
            end(call, null, new TargetDisconnectedException("the member left"));
        } else {
            retry(call);
        }
    }

    private void retry(SimulatedCall call) {
        timeline.after(RETRY_PAUSE + delay(false), () -> {
            SimulatedOwner target = cluster.partition(call.key()).owner();
            trace.add(() -> call + " is sent again to " + target);
            call.goTo(target);
            arrive(call, target);
        });
    }

    private void arrive(SimulatedCall call, SimulatedOwner target) {
        if (target.jvm().isKilled() && !target.isInCluster()) {
            retry(call);
            return;
        } // a member that was killed and not removed yet is silent: the call is retried when it is removed
        target.jvm().run(() -> {
            if (target.isInCluster() && cluster.partition(call.key()).owner() != target) {
                retry(call);
            } else {
                run(call, target);
            }
        });
    }

    private void run(SimulatedCall call, SimulatedOwner owner) {
        runs++;
        SimulatedEntry entry = owner.entry(call.key());
        @Nullable StoredBucket before = audit.opened(entry, owner.nowNanos());
        BucketCall processor = call.at(owner);
        CallAnswer answer = owner.run(processor, entry);
        trace.add(() -> call + " runs on " + owner + ": " + answer.outcome() + " " + answer.verdicts()
                + (entry.isWritten() ? ", " + entry.stored() : ""));
        var backup = (BucketBackup) processor.getBackupProcessor();
        boolean rightful = cluster.partition(call.key()).owner() == owner;
        audit.ran(new SimulatedRun(call, owner.nowNanos(), before, entry, answer, backup != null, rightful));

        Reply reply = new Reply(
                call, owner, SimulatedWire.copy(answer, CallAnswer.class), backup == null ? 0 : entry.version());
        StoredBucket written = entry.stored();
        reply.backedUp = backup == null || written == null || !reply.backUp(backup, written);
        reply.depart();
    }

    private void end(SimulatedCall call, @Nullable CallAnswer answer, @Nullable Throwable failure) {
        call.from().jvm().run(() -> {
            if (!call.isEnded()) {
                trace.add(() -> call + " ends: " + (answer != null ? answer.outcome() : failure));
                ending = call;
                boolean awaited = call.from().awaits(call);
                call.end(answer, failure);
                ending = null;
                if (answer != null) {
                    call.from().doubts().heard(answer.owner(), call.sentAtNanos());
                    call.from().requireLent(call, answer, awaited);
                }
            }
        });
    }

    private boolean happens(int perMille) {
        return !quiet && perMille > 0 && random.nextInt(1_000) < perMille;
    }

    private long delay(boolean within) {
        return within ? 2_000 + random.nextInt(3_000) : link.delayNanos() + random.nextLong(1 + link.jitterNanos());
    }

    /** What comes of one run: an answer from the owner, and word from the backup that it has the write. */
    private final class Reply {
        private final SimulatedCall call;
        private final int attempt;
        private final SimulatedOwner owner;
        private final Partition partition;
        private final CallAnswer answer;
        private final long version;
        private final boolean losesWithOwner = random.nextBoolean();
        private boolean answered;
        private boolean backedUp;

        Reply(SimulatedCall call, SimulatedOwner owner, CallAnswer answer, long version) {
            this.call = call;
            this.attempt = call.attempt();
            this.owner = owner;
            this.partition = cluster.partition(call.key());
            this.answer = answer;
            this.version = version;
        }

        void depart() {
            if (happens(link.lostPerMille())) {
                fail(call);
                return;
            }
            timeline.at(owner.jvm().instantNanos() + delay(call.from().jvm() == owner.jvm()), () -> {
                answered = !isLost();
                endIfComplete();
            });
        }

        /** Sends a write to the backup, if there is one. */
        boolean backUp(BucketBackup made, StoredBucket written) {
            SimulatedOwner backup = partition.backup();
            if (backup == null || partition.owner() != owner) {
                return false;
            }
            long departure = owner.jvm().instantNanos();
            if (!happens(link.backupLostPerMille())) {
                long arrival = Math.max(departure + delay(false), lastBackupNanos.getOrDefault(call.key(), 0L) + 1);
                lastBackupNanos.put(call.key(), arrival);
                BucketBackup received = SimulatedWire.copy(made, BucketBackup.class);
                int epoch = partition.epoch();
                timeline.at(arrival, () -> backup.jvm().run(() -> arrive(received, written, backup, epoch)));
            }
            // After a while Hazelcast tells the caller nonetheless; but if the owner has left, it sends the call again.
            timeline.at(departure + link.backupTimeoutNanos(), () -> {
                backedUp |= owner.isInCluster() && !owner.jvm().isKilled();
                endIfComplete();
            });
            return true;
        }

        private void arrive(BucketBackup received, StoredBucket written, SimulatedOwner backup, int epoch) {
            if (isLost()) {
                return;
            }
            if (partition.epoch() == epoch) {
                SimulatedEntry entry = backup.entry(call.key());
                if (version > entry.version()) {
                    backup.back(received, entry, version);
                    audit.backedUp(call, written, entry);
                }
            } else if (partition.owner() != owner) {
                return;
            }
            timeline.after(delay(false), () -> {
                backedUp = true;
                endIfComplete();
            });
        }

        private boolean isLost() {
            return owner.jvm().isKilled() && losesWithOwner;
        }

        /** What an earlier attempt brings is not waited for any more. */
        private void endIfComplete() {
            if (answered && backedUp && attempt == call.attempt() && !call.isEnded()) {
                if (partition.owner() == owner) {
                    partition.acknowledged(version);
                }
                end(call, answer, null);
            }
        }
    }
}
