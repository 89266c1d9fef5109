package io.weir.hazelcast;

import com.hazelcast.core.HazelcastInstance;
import com.hazelcast.core.HazelcastInstanceAware;
import com.hazelcast.spi.merge.MergingEntry;
import com.hazelcast.spi.merge.SplitBrainMergePolicy;
import io.weir.store.DirectiveTable;
import java.util.Objects;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * What becomes of the directives when two sides of a split merge: of each the one with the higher version; where both sides
 * have set the same version, the larger side's.
 *
 * <p>Made by Hazelcast from its name in {@link HazelcastStore#directivesConfig}; public for that. Runs on the larger side.
 */
public final class HigherVersion extends Wire
        implements SplitBrainMergePolicy<StoredDirectives, MergingEntry<String, StoredDirectives>, StoredDirectives>,
                HazelcastInstanceAware {

    private transient @Nullable HazelcastInstance hazelcast;

    /** For Hazelcast. */
    public HigherVersion() {}

    @Override
    public void setHazelcastInstance(HazelcastInstance instance) {
        this.hazelcast = instance;
    }

    @Override
    public StoredDirectives merge(
            MergingEntry<String, StoredDirectives> merging, @Nullable MergingEntry<String, StoredDirectives> existing) {
        StoredDirectives ofSmallerSide =
                Objects.requireNonNull(merging.getDeserializedValue(), "a table without a value");
        if (existing == null) {
            return ofSmallerSide;
        }
        StoredDirectives ofLargerSide =
                Objects.requireNonNull(existing.getDeserializedValue(), "a table without a value");
        long nowMillis =
                Owner.of(Objects.requireNonNull(hazelcast, "not injected")).nowNanos() / 1_000_000;
        DirectiveTable merged = ofLargerSide.table().merged(ofSmallerSide.table(), UUID.randomUUID(), nowMillis);
        return new StoredDirectives(merged);
    }

    @Override
    public int getClassId() {
        return HIGHER_VERSION;
    }

    @Override
    void write(FrameWriter out) {
        // says all it has to by its class
    }

    @Override
    void read(FrameReader in) {
        // nothing was written
    }
}
