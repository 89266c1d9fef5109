package io.weir.hazelcast;

import com.hazelcast.core.HazelcastInstance;
import com.hazelcast.map.EntryProcessor;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import org.jspecify.annotations.Nullable;

/** A member of the simulated cluster: its clock, what it stores, and whether it knows that it slept. */
final class SimulatedOwner {

    private static final Duration TICK = Duration.ofMillis(100);

    /** Cluster time is counted from 1970, a timeline from its start. */
    private static final long CLUSTER_EPOCH = Duration.ofDays(20_000).toNanos();

    private final UUID uuid;
    private final SimulatedJvm jvm;
    private final HazelcastInstance instance;
    private final AwakeTick awake;
    private final Map<String, SimulatedEntry> entries = new LinkedHashMap<>();
    private final Set<SimulatedCall> pending = new LinkedHashSet<>();
    private long offsetNanos;
    private boolean inCluster = true;
    private boolean ticking;

    /**
     * @param offsetNanos by how much its clock is ahead of the true time
     */
    SimulatedOwner(UUID uuid, SimulatedJvm jvm, Timeline timeline, long offsetNanos, boolean ticking) {
        this.uuid = uuid;
        this.jvm = jvm;
        this.offsetNanos = offsetNanos;
        this.ticking = ticking;
        this.awake = new AwakeTick(timeline, () -> inCluster);
        ConcurrentMap<String, Object> context = new ConcurrentHashMap<>();
        this.instance = (HazelcastInstance) Proxy.newProxyInstance(
                SimulatedOwner.class.getClassLoader(),
                new Class<?>[] {HazelcastInstance.class},
                (proxy, method, arguments) -> context); // nothing but getUserContext is called
        Owner.install(instance, new Owner(() -> uuid, this::nowNanos, () -> !this.ticking || awake.getAsBoolean()));
        if (ticking) {
            tick(timeline);
        }
    }

    private void tick(Timeline timeline) {
        jvm.run(() -> {
            if (ticking) {
                awake.tick();
                timeline.after(TICK.toNanos(), () -> tick(timeline));
            }
        });
    }

    /** From now on it does not sleep, and need not tick to know that. */
    void stopTicking() {
        ticking = false;
    }

    UUID uuid() {
        return uuid;
    }

    SimulatedJvm jvm() {
        return jvm;
    }

    /** What this member's clock shows. */
    long nowNanos() {
        return clusterTime(jvm.instantNanos()) + offsetNanos;
    }

    /** What a clock shows that is right. */
    static long clusterTime(long trueNanos) {
        return CLUSTER_EPOCH + trueNanos;
    }

    long offsetNanos() {
        return offsetNanos;
    }

    void stepClock(long nanos) {
        offsetNanos += nanos;
    }

    /** Whether the others count this member as theirs. */
    boolean isInCluster() {
        return inCluster;
    }

    void removed() {
        inCluster = false;
    }

    /** Opened now, by this member's clock. */
    SimulatedEntry entry(String key) {
        return entries.computeIfAbsent(key, SimulatedEntry::new).opened(nowNanos());
    }

    /** Runs a processor as an owner does. */
    CallAnswer run(BucketCall call, SimulatedEntry entry) {
        call.setHazelcastInstance(instance);
        return call.process(entry);
    }

    /** Runs what the owner made for its backups. */
    void back(EntryProcessor<String, StoredBucket, CallAnswer> backup, SimulatedEntry entry, long version) {
        @Nullable CallAnswer nothing = backup.process(entry);
        if (nothing != null) {
            throw new IllegalStateException("a backup answers nothing");
        }
        entry.becomeVersion(version);
    }

    /** A call that has this member for its target. */
    void expect(SimulatedCall call) {
        pending.add(call);
    }

    void forget(SimulatedCall call) {
        pending.remove(call);
    }

    /** The calls that nobody has answered, which are no longer this member's. */
    List<SimulatedCall> abandon() {
        List<SimulatedCall> left = new ArrayList<>(pending);
        pending.clear();
        return left;
    }

    @Override
    public String toString() {
        return "member-" + uuid.getLeastSignificantBits();
    }
}
