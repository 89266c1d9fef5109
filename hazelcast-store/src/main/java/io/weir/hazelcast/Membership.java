package io.weir.hazelcast;

import com.hazelcast.cluster.Address;
import com.hazelcast.cluster.Member;
import com.hazelcast.core.HazelcastInstance;
import com.hazelcast.core.LifecycleEvent;
import com.hazelcast.core.LifecycleEvent.LifecycleState;
import io.weir.store.NanoClock;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.UUID;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Who else there is, as one member knows it: the one idea of the cluster's size that shares, the majority and a member that
 * slept go by. It tells the others when this member leaves.
 *
 * <p>One for each member, kept in the member's user context, where tests can put one with another clock before the member
 * starts.
 */
final class Membership {

    static final String CONTEXT_KEY = "io.weir.membership";

    private static final System.Logger LOG = System.getLogger(Membership.class.getName());

    /** A member that leaves does not wait for long for one that is silent. */
    static final Duration PATIENCE = Duration.ofSeconds(1);

    private final ClusterSize members;
    private final ClusterSize dataMembers;
    private final Duration patience;

    /** Who was last seen at an address, as long as it counts. Guarded by this. */
    private final Map<Address, UUID> lastAt = new HashMap<>();

    private @Nullable HazelcastInstance member; // guarded by this
    private volatile boolean guarded;

    /**
     * @param clock by which a member that was lost is forgotten
     * @param patience for the goodbyes, all together
     */
    Membership(NanoClock clock, Duration patience) {
        this.members = new ClusterSize(clock);
        this.dataMembers = new ClusterSize(clock);
        this.patience = patience;
    }

    /** What a member knows, which may still be starting. */
    static Membership of(HazelcastInstance member) {
        Membership membership = (Membership) member.getUserContext()
                .computeIfAbsent(CONTEXT_KEY, key -> new Membership(NanoClock.monotonic(), PATIENCE));
        membership.follow(member);
        return membership;
    }

    /** All of them, lite members included. */
    ClusterSize members() {
        return members;
    }

    /** Those that can own a bucket. */
    ClusterSize dataMembers() {
        return dataMembers;
    }

    /** Whether a {@link Majority} watches over this member, and so over the others too. */
    boolean isGuarded() {
        return guarded;
    }

    void guarded() {
        guarded = true;
    }

    /** Looks who is here now. */
    synchronized void refresh() {
        if (member != null) {
            // Read within the lock, or an older look could come after a newer one.
            see(member.getCluster().getMembers());
        }
    }

    /** Those that are here, oldest first. */
    synchronized void see(Collection<Member> here) {
        here.forEach(this::noteAddress);
        members.see(uuids(here, any -> true));
        dataMembers.see(uuids(here, each -> !each.isLiteMember()));
        lastAt.values().removeIf(each -> !members.counts(each));
    }

    /** A process that was restarted has another identity, and listens where the one before did. */
    private void noteAddress(Member present) {
        UUID uuid = present.getUuid();
        UUID before = lastAt.put(present.getAddress(), uuid);
        if (before != null && !before.equals(uuid)) {
            members.replace(before, uuid);
            if (present.isLiteMember()) {
                dataMembers.goodbye(before);
            } else {
                dataMembers.replace(before, uuid);
            }
        }
    }

    /** Tells that a member is leaving for good. */
    void goodbye(UUID leaving) {
        members.goodbye(leaving);
        dataMembers.goodbye(leaving);
    }

    private void follow(HazelcastInstance instance) {
        synchronized (this) {
            if (member != null) {
                return;
            }
            member = instance;
        }
        instance.getCluster().addMembershipListener(new MembershipWatch(this::refresh, gone -> {}));
        instance.getLifecycleService().addLifecycleListener(event -> stateChanged(instance, event));
    }

    private void stateChanged(HazelcastInstance instance, LifecycleEvent event) {
        if (event.getState() == LifecycleState.MERGING) {
            // It joins under another identity; by the old one nobody was lost.
            goodbye(instance.getCluster().getLocalMember().getUuid());
        } else if (event.getState() == LifecycleState.SHUTTING_DOWN) {
            sayGoodbye(instance);
        }
    }

    private void sayGoodbye(HazelcastInstance instance) {
        try {
            Goodbye goodbye = new Goodbye(instance.getCluster().getLocalMember().getUuid());
            Poll poll = Poll.of(instance, each -> true, goodbye);
            if (!poll.awaitAll(patience)) {
                LOG.log(
                        System.Logger.Level.INFO,
                        "Some members did not hear that this one leaves: they count it as lost for {0}.",
                        ClusterSize.HOLD);
            }
        } catch (RuntimeException e) { // whatever Hazelcast has to say: leaving goes on
            LOG.log(
                    System.Logger.Level.INFO,
                    "The other members could not be told that this one leaves: they count it as lost for "
                            + ClusterSize.HOLD + ".",
                    e);
        }
    }

    private static Collection<UUID> uuids(Collection<Member> members, Predicate<Member> which) {
        return members.stream().filter(which).map(Member::getUuid).toList();
    }
}
