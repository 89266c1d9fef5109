package io.weir.hazelcast;

import com.hazelcast.core.EntryView;
import com.hazelcast.map.MapEvictionPolicyComparator;
import java.io.Serializable;

/**
 * An eviction order for those who must bound the map: first the bucket that is full first, and is not needed to recognise a
 * repeated call. Dropping one that is full already costs nothing.
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
        return Long.compare(neededUntilNanos(one), neededUntilNanos(other));
    }

    private static long neededUntilNanos(EntryView<String, Object> entry) {
        return ((StoredBucket) entry.getValue()).neededUntilNanos();
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
