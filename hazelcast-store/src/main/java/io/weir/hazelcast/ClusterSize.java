package io.weir.hazelcast;

import io.weir.store.NanoClock;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;

/**
 * The last number of members that was stable: among so many a limit is divided while owners cannot be reached, and more
 * than half of so many say whether a member that slept is still one of them.
 *
 * <p>It grows at once, and shrinks only after {@link #HOLD} without the lost members. In a split each side sees the other
 * leave; if it divided by the members it still sees, each side would hand out the full rate.
 */
final class ClusterSize {

    static final Duration HOLD = Duration.ofMinutes(5);

    private record Seen(int members, long untilNanos) {}

    private final NanoClock clock;

    // Guarded by this.
    private final Deque<Seen> before = new ArrayDeque<>();
    private int members;

    ClusterSize(NanoClock clock, int members) {
        this.clock = clock;
        this.members = members;
    }

    /** The largest number of members within the last {@link #HOLD}. */
    synchronized int stable() {
        long now = clock.nanoTime();
        before.removeIf(seen -> seen.untilNanos() + HOLD.toNanos() <= now);
        return before.stream().mapToInt(Seen::members).reduce(members, Math::max);
    }

    synchronized void changed(int nowMembers) {
        int stable = stable(); // forgets what is too old, so that a member that flaps does not fill the memory
        if (members == stable && nowMembers < members) {
            before.clear(); // nothing remembered is larger than this
        }
        if (nowMembers < members) {
            before.addLast(new Seen(members, clock.nanoTime()));
        }
        members = nowMembers;
    }
}
