package io.weir.console;

import io.weir.Health;
import io.weir.Limit;
import io.weir.LimitHealth;
import io.weir.Limiter;
import io.weir.Weir;
import io.weir.store.OwnerHealth;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Makes this node's notes: what was decided between one and the next, and how all limits stand. Not thread-safe. */
final class NoteMaker {

    private final Weir weir;
    private final ConsoleMeters meters;
    private final String node;
    private final boolean masked;
    private final BusyKeys busyKeys;

    private Map<String, Tally> before = Map.of();
    private boolean counting;
    private long countedNanos;

    /** @param masked whether {@code mask} hides anything */
    NoteMaker(Weir weir, ConsoleMeters meters, String node, KeyMask mask, boolean masked) {
        this.weir = weir;
        this.meters = meters;
        this.node = node;
        this.masked = masked;
        this.busyKeys = new BusyKeys(mask);
    }

    /** What the next note tells of begins with it: nobody wants the time between. */
    void forget() {
        counting = false;
        before = Map.of();
    }

    /** One limit, with what it has decided. */
    private record Counted(Limiter limiter, Limit limit, Tally lately, Tally inAll) {}

    private static final Comparator<Counted> ORDER = Comparator.comparingLong(
                    (Counted each) -> -each.lately().denied())
            .thenComparingLong(each -> -each.lately().asked())
            .thenComparing(each -> each.limit().name());

    /**
     * This node as it stands at {@code nowNanos}.
     *
     * @param tick the note's number
     */
    NodeNote note(long tick, long nowNanos) {
        Collection<Limiter> limiters = weir.limiters();
        List<Counted> counted = new ArrayList<>(limiters.size());
        Map<String, Tally> tallies = new HashMap<>();
        for (Limiter limiter : limiters) {
            Limit limit = limiter.limit();
            Tally inAll = meters.tally(limit.name());
            tallies.put(limit.name(), inAll);
            Tally last = counting ? before.get(limit.name()) : null; // none either if it was not there a note ago
            Tally lately = last == null ? Tally.NONE : inAll.since(last);
            counted.add(new Counted(limiter, limit, lately, inAll));
        }
        long lastingNanos = counting ? Math.max(1, nowNanos - countedNanos) : 0;
        before = tallies;
        counting = true;
        countedNanos = nowNanos;

        counted.sort(ORDER);
        List<Counted> most = counted.subList(0, Math.min(NodeNote.MOST_LIMITS, counted.size()));
        Map<String, List<NodeNote.KeyLine>> keys =
                busyKeys.of(most.stream().map(Counted::limiter).toList());
        Health health = weir.health();
        return new NodeNote(
                node,
                tick,
                lastingNanos,
                health.behind().toMillis(),
                masked,
                counted.size(),
                counted.size() - most.size(),
                false,
                health.owners().stream()
                        .limit(NodeNote.MOST_OWNERS)
                        .map(NoteMaker::owner)
                        .toList(),
                most.stream()
                        .map(each -> line(each, keys.getOrDefault(each.limit().name(), List.of())))
                        .toList());
    }

    private static NodeNote.OwnerLine owner(OwnerHealth owner) {
        return new NodeNote.OwnerLine(
                Shown.text(owner.member()),
                owner.state() == OwnerHealth.State.REACHABLE,
                owner.lasting().toSeconds(),
                Shown.textOrNull(owner.why()));
    }

    private static NodeNote.LimitLine line(Counted counted, List<NodeNote.KeyLine> keys) {
        Limit limit = counted.limit();
        LimitHealth health = counted.limiter().health();
        return new NodeNote.LimitLine(
                limit.name(),
                limit.rule().algorithm().kind().name(),
                limit.failurePolicy().name(),
                limit.rule().version(),
                counted.limiter().isOn(),
                limit.isExact(),
                limit.isShadow(),
                limit.shadowOf().orElse(null),
                limit.bandwidths(),
                health.state() == LimitHealth.State.DEGRADED,
                Shown.textOrNull(health.why()),
                health.inFallback().toMillis(),
                health.answeredByPolicy(),
                counted.lately(),
                counted.inAll(),
                keys);
    }
}
