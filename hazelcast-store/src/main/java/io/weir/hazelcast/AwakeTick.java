package io.weir.hazelcast;

import io.weir.store.NanoClock;
import java.time.Duration;
import java.util.function.BooleanSupplier;

/**
 * Notices that this JVM slept.
 *
 * <p>A member that was paused wakes up believing that it still owns its partitions, while the others may have given them
 * away and granted from them. The only warning it gets is a gap on its own clock. So a thread ticks, and a call that
 * finds the last tick long past is refused. The tick itself, when it comes back from a gap, first doubts the membership
 * and only then ticks; the doubt ends when the other members say that this one is still theirs.
 */
final class AwakeTick implements BooleanSupplier {

    private static final System.Logger LOG = System.getLogger(AwakeTick.class.getName());

    /**
     * The longest gap after which a member is still believed. Well below the shortest time in which Hazelcast removes a
     * silent member (10 s with its heartbeats tuned as we recommend), well above an ordinary garbage collection.
     */
    static final Duration LONGEST_GAP = Duration.ofSeconds(2);

    private final NanoClock clock;
    private final BooleanSupplier membership;
    private volatile long lastTickNanos;
    private volatile boolean doubted;

    /**
     * @param clock a clock that goes on while the JVM sleeps
     * @param membership asks the other members whether this one is theirs
     */
    AwakeTick(NanoClock clock, BooleanSupplier membership) {
        this.clock = clock;
        this.membership = membership;
        this.lastTickNanos = clock.nanoTime();
    }

    /** Whether this JVM has been awake, or is known to be a member since it woke. */
    @Override
    public boolean getAsBoolean() {
        return !doubted && clock.nanoTime() - lastTickNanos <= LONGEST_GAP.toNanos();
    }

    /** To be called several times within {@link #LONGEST_GAP}, from one thread. */
    void tick() {
        long now = clock.nanoTime();
        if (now - lastTickNanos > LONGEST_GAP.toNanos()) {
            doubted = true; // before the tick is moved, or a call in between would find neither gap nor doubt
            LOG.log(
                    System.Logger.Level.WARNING,
                    "This member did not run for {0} ms. It decides nothing until the cluster confirms its membership.",
                    Long.toString(Duration.ofNanos(now - lastTickNanos).toMillis()));
        }
        lastTickNanos = now;
        if (doubted && membership.getAsBoolean() && clock.nanoTime() - now <= LONGEST_GAP.toNanos()) {
            lastTickNanos = clock.nanoTime();
            doubted = false;
            LOG.log(System.Logger.Level.INFO, "Membership confirmed: this member decides again.");
        }
    }
}
