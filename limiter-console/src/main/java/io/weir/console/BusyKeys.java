package io.weir.console;

import io.weir.BusyKey;
import io.weir.Limiter;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.Set;

/**
 * The busiest keys of a node's limits. To ask a limit for them takes up to some hundreds of microseconds; so those that deny and are asked
 * most are asked each time, and the others in turn. Not thread-safe.
 */
final class BusyKeys {

    /** Of the limits that deny and are asked most. */
    private static final int ALWAYS = 6;

    /** Of all limits, one after another. */
    private static final int IN_TURN = 4;

    private final KeyMask mask;
    private Map<String, List<NodeNote.KeyLine>> known = Map.of();
    private int turn;

    BusyKeys(KeyMask mask) {
        this.mask = mask;
    }

    /**
     * The keys of limits, by the limit's name.
     *
     * @param limiters those that deny and are asked most first
     */
    Map<String, List<NodeNote.KeyLine>> of(List<Limiter> limiters) {
        Set<Limiter> asked = new HashSet<>(limiters.subList(0, Math.min(ALWAYS, limiters.size())));
        List<Limiter> named = limiters.stream() // in an order that does not change from time to time
                .sorted((one, other) ->
                        one.limit().name().compareTo(other.limit().name()))
                .toList();
        for (int i = 0; i < Math.min(IN_TURN, named.size()); i++) {
            turn = (turn + 1) % named.size();
            asked.add(named.get(turn));
        }
        Map<String, List<NodeNote.KeyLine>> now = new HashMap<>();
        for (Limiter each : limiters) {
            String name = each.limit().name();
            List<NodeNote.KeyLine> keys = asked.contains(each) ? busiest(each) : known.getOrDefault(name, List.of());
            if (!keys.isEmpty()) {
                now.put(name, keys);
            }
        }
        known = now;
        return now;
    }

    private List<NodeNote.KeyLine> busiest(Limiter limiter) {
        return limiter.busiestKeys(NodeNote.MOST_KEYS).stream().map(this::line).toList();
    }

    private NodeNote.KeyLine line(BusyKey key) {
        OptionalDouble left = key.headroom();
        return new NodeNote.KeyLine(
                Shown.text(mask.shown(key.key())),
                key.asked(),
                key.denied(),
                left.isEmpty() ? left : OptionalDouble.of(Math.min(1, Math.max(0, left.getAsDouble()))));
    }
}
