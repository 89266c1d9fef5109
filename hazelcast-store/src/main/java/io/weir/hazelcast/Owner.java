package io.weir.hazelcast;

import com.hazelcast.core.HazelcastInstance;
import io.weir.algorithm.Rule;
import io.weir.store.NanoClock;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;

/**
 * What a member knows as an owner of buckets: the time, and whether it may speak as an owner at all.
 *
 * <p>One for each member, kept in the member's user context, where tests can put another before the first call.
 */
final class Owner {

    /** How far apart the clocks of two members may be without a retry being run twice: 5 s. */
    static final long CLOCK_DISAGREEMENT_NANOS = Duration.ofSeconds(5).toNanos();

    private static final Duration TICK = Duration.ofMillis(100);

    private static final String CONTEXT_KEY = "io.weir.owner";

    private final Supplier<UUID> uuid;
    private final NanoClock clock;
    private final BooleanSupplier awake;
    private final UnaryOperator<Rule> part;

    /**
     * An owner that misses nobody.
     *
     * @param uuid who the member is at the moment: Hazelcast gives it another identity when it merges into a cluster
     */
    Owner(Supplier<UUID> uuid, NanoClock clock, BooleanSupplier awake) {
        this(uuid, clock, awake, rule -> rule);
    }

    /**
     * @param uuid as above
     * @param part of a strict rule, what is left of it while others are missing
     */
    Owner(Supplier<UUID> uuid, NanoClock clock, BooleanSupplier awake, UnaryOperator<Rule> part) {
        this.uuid = uuid;
        this.clock = clock;
        this.awake = awake;
        this.part = part;
    }

    /** The owner that a member is. */
    static Owner of(HazelcastInstance member) {
        if (member.getUserContext().get(CONTEXT_KEY) instanceof Owner owner) {
            return owner;
        }
        Membership membership = Membership.of(member); // which lives in the same map, and cannot be put there meanwhile
        return (Owner) member.getUserContext().computeIfAbsent(CONTEXT_KEY, key -> real(member, membership));
    }

    /** Makes {@code owner} the one that a member is. */
    static void install(HazelcastInstance member, Owner owner) {
        member.getUserContext().put(CONTEXT_KEY, owner);
    }

    /** By the cluster's time, which follows the master's clock, made even. */
    private static Owner real(HazelcastInstance member, Membership membership) {
        NanoClock monotonic = NanoClock.monotonic();
        SteadyClock clock = new SteadyClock(monotonic, () -> member.getCluster().getClusterTime() * 1_000_000);
        AwakeTick awake = new AwakeTick(monotonic, new MembershipCheck(member, membership));
        Thread ticking = new Thread(
                () -> {
                    while (member.getLifecycleService().isRunning()) {
                        awake.tick();
                        clock.adjust();
                        LockSupport.parkNanos(TICK.toNanos());
                    }
                },
                "weir-owner-tick");
        ticking.setDaemon(true);
        ticking.start();
        return new Owner(
                () -> member.getCluster().getLocalMember().getUuid(), clock, awake, membership.dataMembers()::partOf);
    }

    UUID uuid() {
        return uuid.get();
    }

    /** The time that buckets are refilled by and deadlines judged by. */
    long nowNanos() {
        return clock.nanoTime();
    }

    /** The rule as this owner goes by it: a part of a strict one while others are missing. */
    Rule partOf(Rule rule) {
        return rule.strictPartitions() ? part.apply(rule) : rule;
    }

    /** Whether this member has surely been awake, or has had its membership confirmed since it slept. */
    boolean isAwake() {
        return awake.getAsBoolean();
    }
}
