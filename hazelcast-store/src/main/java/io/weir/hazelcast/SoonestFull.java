package io.weir.hazelcast;

import com.hazelcast.core.EntryView;
import com.hazelcast.map.MapEvictionPolicyComparator;
import io.weir.algorithm.Bandwidth;
import io.weir.algorithm.State;
import java.io.Serializable;

/**
 * An eviction order for those who must bound the map: first the bucket that is full first, and is not needed to recognise a
 * repeated call. Dropping one that is full already costs nothing. A bucket that counts per window is full at once when its window
 * passes, the drained one no later than any other; so it is put where it would be if it refilled evenly in twice its window, and a flood of
 * new keys drops one another, also late in the window.
 *
 * <p>Idle buckets vanish by themselves, so that the map is unbounded by default. Where it is bounded, Hazelcast evicts the
 * best of a sample of a partition's entries and not the best of all: it will also drop buckets that are not full, and each
 * of those grants one more capacity to its key.
 *
 * <p>Stateless; named by its class in the map's eviction configuration ({@code comparator-class-name}).
 */
public final class SoonestFull implements MapEvictionPolicyComparator<String, Object>, Serializable {

    private static final long serialVersionUID = 1L;

    /** For Hazelcast, which makes it by name. */
    public SoonestFull() {}

    @Override
    public int compare(EntryView<String, Object> one, EntryView<String, Object> other) {
        return Long.compare(
                worthUntilNanos((StoredBucket) one.getValue()), worthUntilNanos((StoredBucket) other.getValue()));
    }

    private static long worthUntilNanos(StoredBucket bucket) {
        State state = bucket.state();
        if (!state.rule().algorithm().kind().countsPerWindow()) {
            return bucket.neededUntilNanos();
        }
        long until = state.atNanos();
        for (int i = 0; i < state.rule().algorithm().bandwidths().size(); i++) {
            Bandwidth bandwidth = state.rule().algorithm().bandwidths().get(i);
            long missing = Math.min(bandwidth.capacity() - state.level(i), bandwidth.capacity());
            // An order, and no decision: what the product does not fit is as late as can be.
            long even = (long) (2.0 * bandwidth.window().toNanos() * missing / bandwidth.capacity());
            until = Math.max(until, state.atNanos() + Math.min(even, Long.MAX_VALUE - Math.max(0, state.atNanos())));
        }
        for (CallRecord each : bucket.records()) {
            until = Math.max(until, each.neededUntilNanos());
        }
        return until;
    }

    /** All are alike: Hazelcast compares configurations. */
    @Override
    public boolean equals(Object other) {
        return other instanceof SoonestFull;
    }

    @Override
    public int hashCode() {
        return SoonestFull.class.hashCode();
    }
}
