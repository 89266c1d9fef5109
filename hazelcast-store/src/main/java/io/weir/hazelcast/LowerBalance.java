package io.weir.hazelcast;

import com.hazelcast.core.HazelcastInstance;
import com.hazelcast.core.HazelcastInstanceAware;
import com.hazelcast.spi.impl.merge.MapMergingEntryImpl;
import com.hazelcast.spi.merge.MergingEntry;
import com.hazelcast.spi.merge.SplitBrainMergePolicy;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * What becomes of a bucket when two sides of a split merge: the lower balance of the two, with what is lent on either side
 * still lent. It mints nothing, so that a split that heals grants nothing more.
 *
 * <p>A key that only the smaller side knows is taken over: no bucket is a full one, and that would be the higher balance.
 *
 * <p>Made by Hazelcast from its name in {@link HazelcastStore#mapConfig}; public for that. Runs on the larger side.
 */
public final class LowerBalance extends Wire
        implements SplitBrainMergePolicy<StoredBucket, MergingEntry<String, StoredBucket>, StoredBucket>,
                HazelcastInstanceAware {

    private transient @Nullable HazelcastInstance hazelcast;

    /** For Hazelcast. */
    public LowerBalance() {}

    @Override
    public void setHazelcastInstance(HazelcastInstance instance) {
        this.hazelcast = instance;
    }

    @Override
    public StoredBucket merge(
            MergingEntry<String, StoredBucket> merging, @Nullable MergingEntry<String, StoredBucket> existing) {
        StoredBucket ofSmallerSide = Objects.requireNonNull(merging.getDeserializedValue(), "a bucket without a value");
        StoredBucket result = existing == null
                ? ofSmallerSide
                : MergedBucket.of(
                        Objects.requireNonNull(existing.getDeserializedValue(), "a bucket without a value"),
                        ofSmallerSide);
        keepAsLongAsNeeded(merging, result);
        return result;
    }

    /**
     * Hazelcast gives the result the expiry of the merging entry, whichever value wins: a bucket that is full again on the
     * smaller side would take a drained one with it. So the merging entry is given the expiry that the result needs.
     */
    private void keepAsLongAsNeeded(MergingEntry<String, StoredBucket> merging, StoredBucket result) {
        HazelcastInstance member = Objects.requireNonNull(hazelcast, "not injected");
        long ttlMillis =
                TimeUnit.SECONDS.toMillis(result.ttlSeconds(Owner.of(member).nowNanos()));
        if (merging instanceof MapMergingEntryImpl<String, StoredBucket> entry) {
            // The cluster's clock instead of this member's: what they differ by is in what a bucket is kept longer.
            entry.setTtl(ttlMillis).setExpirationTime(member.getCluster().getClusterTime() + ttlMillis);
        }
    }

    @Override
    public int getClassId() {
        return LOWER_BALANCE;
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
