package io.weir.quota;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Plain spends that leave together: by account, and those that have to go alone. Used by one thread. */
final class Batch {

    private final List<Waiting> all;
    private final List<Waiting> alone = new ArrayList<>();
    private List<Group> groups = List.of();

    /** One who waits to be taken along. */
    record Waiting(PlainSpend.Attempt attempt, Caller<Decided> caller) {}

    Batch(List<Waiting> all) {
        this.all = all;
    }

    /** Who is taken along: not those who have left by now. In the order in which accounts are locked. */
    List<Group> begin() {
        Map<Spot, Group> begun = new TreeMap<>();
        for (Waiting each : all) {
            if (each.caller().gate().mayWrite()) {
                Spot spot = Spot.of(each.attempt().charge());
                if (!begun.computeIfAbsent(spot, key -> new Group(key, each.attempt()))
                        .join(each)) {
                    alone.add(each);
                }
            }
        }
        groups = List.copyOf(begun.values());
        return groups;
    }

    List<Group> groups() {
        return groups;
    }

    /** Those that are like another one of the batch in a way in which they must not be, such as under the same key. */
    List<Waiting> alone() {
        return alone;
    }
}
