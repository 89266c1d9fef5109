package io.weir.hazelcast;

import io.weir.algorithm.Rule;
import io.weir.store.NanoClock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The members that count, whether or not they can be seen: among so many a limit is divided while owners cannot be
 * reached, and more than half of them are a majority.
 *
 * <p>It grows at once. It shrinks at once by a member that said goodbye, and by one that was lost without a word only after
 * {@link #HOLD}: in a split each side sees the other leave, and if it counted the members that it still sees, each side
 * would take itself for the whole.
 *
 * <p>Who comes while others are lost takes the place of the one lost longest, so that a member that crashes and comes back
 * again and again does not outvote the rest. On a side without a majority it takes no place before that side has one: a
 * minority cannot recruit itself into the majority. Only who comes to the address of one that was lost takes its place
 * everywhere: that one is dead, and votes on no other side.
 */
final class ClusterSize {

    /** How long a member counts that was lost without a word. Each side of a longer split takes itself for the whole. */
    static final Duration HOLD = Duration.ofMinutes(5);

    private final NanoClock clock;

    // Guarded by this.
    /** Who counts, oldest first, and since when it is lost; null while it is here. */
    private final Map<UUID, @Nullable Long> counted = new LinkedHashMap<>();

    /** Who is here and takes no place yet. */
    private List<UUID> newcomers = List.of();

    /** Who has said goodbye, and since when it is gone; null while it is here, which takes as long as its migrations do. */
    private final Map<UUID, @Nullable Long> farewells = new HashMap<>();

    ClusterSize(NanoClock clock) {
        this.clock = clock;
    }

    /** How many members count. */
    synchronized int stable() {
        forgetOld();
        return counted.size();
    }

    /** The part of a rule that goes by who is here. */
    synchronized Rule partOf(Rule rule) {
        forgetOld();
        return rule.part(here(), counted.size());
    }

    /**
     * Whether some of the members are more than half of those that count; or exactly half, with the oldest among them. Of two
     * halves that cannot see each other only one has the oldest.
     */
    synchronized boolean isMajority(Predicate<UUID> some) {
        forgetOld();
        return isMajorityOfCounted(some);
    }

    /** Tells who is here now, oldest first. */
    synchronized void see(Collection<UUID> members) {
        forgetOld();
        Set<UUID> here = Set.copyOf(members);
        long now = clock.nanoTime();
        counted.keySet().removeIf(each -> !here.contains(each) && farewells.containsKey(each));
        counted.replaceAll((each, lostNanos) -> since(here.contains(each), lostNanos, now));
        farewells.replaceAll((each, goneNanos) -> since(here.contains(each), goneNanos, now));
        List<UUID> uncounted = new ArrayList<>(members);
        uncounted.removeAll(counted.keySet());
        newcomers = uncounted;
        admit();
        order(members);
    }

    private static @Nullable Long since(boolean here, @Nullable Long awayNanos, long nowNanos) {
        return here ? null : awayNanos == null ? (Long) nowNanos : awayNanos;
    }

    /** Those that are here in the cluster's order, which a member that has just joined does not know before. */
    private void order(Collection<UUID> members) {
        Iterator<UUID> inOrder = members.stream().filter(counted::containsKey).iterator();
        Map<UUID, @Nullable Long> ordered = new LinkedHashMap<>();
        counted.forEach((each, lostNanos) -> ordered.put(lostNanos == null ? inOrder.next() : each, lostNanos));
        counted.clear();
        counted.putAll(ordered);
    }

    /** Tells that a member is leaving for good, or has left. */
    synchronized void goodbye(UUID member) {
        boolean here = newcomers.contains(member) || (counted.containsKey(member) && counted.get(member) == null);
        farewells.put(member, here ? null : (Long) clock.nanoTime());
        if (!here) {
            counted.remove(member);
        }
        admit();
    }

    /**
     * Tells that a process has come to the address of another, which is dead for sure: it takes that one's place, if it had
     * any. To be told before {@link #see}.
     */
    synchronized void replace(UUID dead, UUID by) {
        if (counted.containsKey(dead)) {
            Map<UUID, @Nullable Long> replaced = new LinkedHashMap<>();
            counted.forEach((each, lostNanos) -> replaced.put(each.equals(dead) ? by : each, lostNanos));
            counted.clear();
            counted.putAll(replaced);
        }
    }

    /** Whether a member counts. */
    synchronized boolean counts(UUID member) {
        return counted.containsKey(member);
    }

    private void forgetOld() {
        long now = clock.nanoTime();
        farewells.values().removeIf(goneNanos -> isOver(goneNanos, now));
        if (counted.values().removeIf(lostNanos -> isOver(lostNanos, now))) {
            admit();
        }
    }

    private static boolean isOver(@Nullable Long awayNanos, long nowNanos) {
        return awayNanos != null && nowNanos - awayNanos >= HOLD.toNanos();
    }

    private void admit() {
        if (newcomers.isEmpty() || !(counted.isEmpty() || isMajorityOfCounted(each -> counted.get(each) == null))) {
            return;
        }
        for (UUID each : newcomers) {
            dropLongestLost();
            counted.put(each, null);
        }
        newcomers = List.of();
    }

    private void dropLongestLost() {
        UUID longestLost = null;
        long sinceNanos = 0;
        for (Map.Entry<UUID, @Nullable Long> each : counted.entrySet()) {
            Long lostNanos = each.getValue();
            if (lostNanos != null && (longestLost == null || lostNanos - sinceNanos < 0)) {
                longestLost = each.getKey();
                sinceNanos = lostNanos;
            }
        }
        if (longestLost != null) {
            counted.remove(longestLost);
        }
    }

    private boolean isMajorityOfCounted(Predicate<UUID> some) {
        int votes = 0;
        for (UUID each : counted.keySet()) {
            votes += some.test(each) ? 1 : 0;
        }
        boolean tie = 2 * votes == counted.size();
        return 2 * votes > counted.size()
                || (tie && votes > 0 && some.test(counted.keySet().iterator().next()));
    }

    private int here() {
        int here = 0;
        for (Long lostNanos : counted.values()) {
            here += lostNanos == null ? 1 : 0;
        }
        return here;
    }
}
