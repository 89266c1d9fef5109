package io.weir.hazelcast;

import com.hazelcast.map.EntryProcessor;
import com.hazelcast.map.ExtendedMapEntry;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Puts a bucket on a backup as the owner computed it. It computes nothing: a backup's clock is not the owner's, and its
 * entry may not be there yet.
 */
final class BucketBackup extends Wire implements EntryProcessor<String, StoredBucket, CallAnswer> {

    private static final long serialVersionUID = 1L;

    private transient StoredBucket bucket;
    private transient long ttlSeconds;

    BucketBackup(StoredBucket bucket, long ttlSeconds) {
        this.bucket = bucket;
        this.ttlSeconds = ttlSeconds;
    }

    /** For reading from the wire. */
    @SuppressWarnings("NullAway.Init")
    BucketBackup() {}

    @Override
    public @Nullable CallAnswer process(Map.Entry<String, StoredBucket> entry) {
        ((ExtendedMapEntry<String, StoredBucket>) entry).setValue(bucket, ttlSeconds, TimeUnit.SECONDS);
        return null;
    }

    @Override
    public @Nullable EntryProcessor<String, StoredBucket, CallAnswer> getBackupProcessor() {
        return null;
    }

    @Override
    public int getClassId() {
        return BUCKET_BACKUP;
    }

    @Override
    void write(FrameWriter out) {
        out.putLong(ttlSeconds);
        bucket.write(out);
    }

    @Override
    void read(FrameReader in) {
        ttlSeconds = in.getLong();
        bucket = new StoredBucket();
        bucket.read(in);
    }
}
