package io.weir.hazelcast;

import com.hazelcast.cluster.Member;
import com.hazelcast.core.HazelcastInstance;
import com.hazelcast.core.HazelcastInstanceAware;
import com.hazelcast.core.LifecycleEvent;
import com.hazelcast.core.LifecycleEvent.LifecycleState;
import com.hazelcast.splitbrainprotection.HeartbeatAware;
import com.hazelcast.splitbrainprotection.SplitBrainProtectionFunction;
import io.weir.store.NanoClock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Lets a member decide only while those that it has heard of lately are a majority of the data members that there are: so of
 * the two sides of a split at most one goes on, and callers on the other are answered by their limits' failure policies.
 *
 * <p>Who counts, and for how long after it was lost, is {@link ClusterSize}'s to say. Of two equal halves the one with the
 * oldest member goes on. Why, and what that means for one member, for two, and for autoscaling: see
 * {@code docs/adr/0010-who-goes-on-in-a-split.md}.
 *
 * <p>It narrows the time in which both sides answer to {@link #tolerance}; it does not close it.
 *
 * <p>Made by Hazelcast, one for each member, from its name in {@link HazelcastStore#configure}; public for that.
 */
public final class Majority implements SplitBrainProtectionFunction, HeartbeatAware, HazelcastInstanceAware {

    /*
     * Hazelcast calls apply and onHeartbeat from one and the same thread of its own, when members come and go, with each
     * heartbeat, and once in each heartbeat interval; it keeps what apply said, and operations only read that. So this is
     * not on the way of any request, needs no lock of its own, and must not block.
     *
     * It does not replace AwakeTick. After a pause, Hazelcast goes on with what apply said before it, and heartbeats that
     * lay in the sockets meanwhile sound like new ones.
     */

    /** The name of the protection in the configuration. */
    static final String NAME = "weir";

    private static final String INTERVAL = "hazelcast.heartbeat.interval.seconds";

    private static final Duration PATIENCE_AT_START = Duration.ofSeconds(1);

    private final NanoClock clock;
    private final Map<UUID, Long> heardNanos = new HashMap<>();
    private @Nullable Membership membership;
    private Duration tolerance = Duration.ZERO;

    /** For Hazelcast. */
    public Majority() {
        this(NanoClock.monotonic());
    }

    Majority(NanoClock clock) {
        this.clock = clock;
    }

    @Override
    public void setHazelcastInstance(HazelcastInstance instance) {
        String interval = instance.getConfig().getProperties().getProperty(INTERVAL, System.getProperty(INTERVAL, "5"));
        watch(Membership.of(instance), tolerance(Duration.ofSeconds(Long.parseLong(interval))));
        instance.getLifecycleService().addLifecycleListener(event -> decideAtStart(instance, event));
    }

    /** Two heartbeats and a second: one may be lost, and a garbage collection is no partition. */
    static Duration tolerance(Duration heartbeatInterval) {
        return heartbeatInterval.multipliedBy(2).plusSeconds(1);
    }

    void watch(Membership watched, Duration silence) {
        this.membership = watched;
        this.tolerance = silence;
        watched.guarded();
    }

    @Override
    public void onHeartbeat(Member member, long timestamp) {
        heardNanos.put(member.getUuid(), clock.nanoTime()); // when it came: the timestamp is on another clock
    }

    @Override
    public boolean apply(Collection<Member> members) {
        Membership known = Objects.requireNonNull(membership, "not injected");
        known.refresh();
        long now = clock.nanoTime();
        Set<UUID> active = new HashSet<>();
        List<UUID> all = new ArrayList<>();
        for (Member each : members) {
            UUID uuid = each.getUuid();
            all.add(uuid);
            // Who is new was heard of when it came: a cluster that grows does not wait for the next heartbeat.
            Long heard = heardNanos.computeIfAbsent(uuid, any -> now);
            if (each.localMember() || now - heard <= tolerance.toNanos()) {
                active.add(uuid);
            }
        }
        heardNanos.keySet().retainAll(all);
        return known.dataMembers().isMajority(active::contains);
    }

    /** Hazelcast asks for the first time after a heartbeat interval; a member that is alone cannot answer until then. */
    private static void decideAtStart(HazelcastInstance instance, LifecycleEvent event) {
        if (event.getState() != LifecycleState.STARTED) {
            return;
        }
        Owner.of(instance); // begins to watch for sleep: also a member that only holds data
        if (instance.getCluster().getMembers().size() == 1
                && instance.getSplitBrainProtectionService() instanceof HeartbeatAware asking) {
            NanoClock clock = NanoClock.monotonic();
            long giveUpNanos = clock.nanoTime() + PATIENCE_AT_START.toNanos();
            Member self = instance.getCluster().getLocalMember();
            asking.onHeartbeat(self, instance.getCluster().getClusterTime());
            while (!instance.getSplitBrainProtectionService()
                            .getSplitBrainProtection(NAME)
                            .hasMinimumSize()
                    && clock.nanoTime() < giveUpNanos) {
                LockSupport.parkNanos(Duration.ofMillis(1).toNanos());
            }
        }
    }
}
