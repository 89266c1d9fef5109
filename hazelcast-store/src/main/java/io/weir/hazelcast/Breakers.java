package io.weir.hazelcast;

import io.weir.hazelcast.Breaker.Opening;
import io.weir.store.NanoClock;
import io.weir.store.OwnerHealth;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A breaker for each owner that this node calls. Keys whose owner answers stay exact while another owner is away.
 *
 * <p>A node that was itself held up, by a pause of its JVM say, finds that nobody has answered in time, and holds it against
 * nobody: what it sent before it woke up says nothing of owners.
 */
final class Breakers {

    /** How often {@link #tend} is to be called. */
    static final Duration TENDING_INTERVAL = Duration.ofMillis(100);

    /** A node that has not been tended for so long was held up. */
    private static final long HELD_UP_NANOS =
            TENDING_INTERVAL.multipliedBy(5).dividedBy(2).toNanos();

    private static final UUID UNKNOWN = new UUID(0, 0);

    private final NanoClock clock;
    private final Map<UUID, Breaker> byOwner = new ConcurrentHashMap<>();

    /** How many are open, so that nobody looks for one while all are closed. */
    private final AtomicInteger open = new AtomicInteger();

    private volatile long tendedNanos;
    private volatile long awakeSinceNanos;

    /**
     * One that is open.
     *
     * @param owner null if no owner is known
     */
    record Open(@Nullable UUID owner, Breaker breaker, Opening opening) {}

    Breakers(NanoClock clock) {
        this.clock = clock;
        this.tendedNanos = clock.nanoTime();
        this.awakeSinceNanos = tendedNanos;
    }

    /** The breaker of an owner; of an unknown one if it is null. */
    Breaker of(@Nullable UUID owner) {
        UUID known = owner == null ? UNKNOWN : owner;
        Breaker breaker = byOwner.get(known);
        return breaker != null ? breaker : byOwner.computeIfAbsent(known, any -> new Breaker(clock.nanoTime()));
    }

    /** Whether any is open. */
    boolean anyOpen() {
        return open.get() > 0;
    }

    /** A call to an owner has ended without a decision. */
    void failed(Breaker breaker, Breaker.Failure failure) {
        long now = clock.nanoTime();
        if (wasHeldUpSince(failure.sentNanos(), now)) {
            breaker.ended();
        } else if (breaker.failed(failure, now)) {
            open.incrementAndGet();
        }
    }

    /** A call to an owner is not waited for any more. */
    void gaveUp(Breaker breaker, Breaker.Failure failure, long nowNanos) {
        if (!wasHeldUpSince(failure.sentNanos(), nowNanos) && breaker.gaveUp(failure, nowNanos)) {
            open.incrementAndGet();
        }
    }

    private boolean wasHeldUpSince(long sentNanos, long nowNanos) {
        return sentNanos < awakeSinceNanos || nowNanos - tendedNanos > HELD_UP_NANOS;
    }

    /** An owner has answered a probe in time. */
    void close(Breaker breaker) {
        if (breaker.close(clock.nanoTime())) {
            open.decrementAndGet();
        }
    }

    /** Those that are open now. To be called every {@link #TENDING_INTERVAL}. */
    List<Open> tend() {
        long now = clock.nanoTime();
        if (now - tendedNanos > HELD_UP_NANOS) {
            awakeSinceNanos = now;
        }
        tendedNanos = now;
        List<Open> found = new ArrayList<>(0);
        byOwner.forEach((owner, breaker) -> {
            Opening opening = breaker.opening();
            if (opening != null) {
                found.add(new Open(owner.equals(UNKNOWN) ? null : owner, breaker, opening));
            }
        });
        return found;
    }

    /** How the owners that this node has called are getting on. */
    List<OwnerHealth> health(Function<UUID, String> name) {
        long now = clock.nanoTime();
        List<OwnerHealth> found = new ArrayList<>();
        byOwner.forEach((owner, breaker) -> {
            if (!owner.equals(UNKNOWN)) {
                found.add(breaker.health(name.apply(owner), now));
            } else if (breaker.opening() != null) {
                found.add(breaker.health("no member", now)); // keys that nobody owns
            }
        });
        return found;
    }

    /** Those that this node has called. */
    Set<UUID> owners() {
        Set<UUID> owners = new HashSet<>(byOwner.keySet());
        owners.remove(UNKNOWN);
        return owners;
    }

    /** Forgets an owner that has left, and whatever calls it still has. */
    void forget(UUID owner) {
        Breaker gone = byOwner.remove(owner);
        if (gone != null && gone.retire(clock.nanoTime())) {
            open.decrementAndGet();
        }
    }
}
