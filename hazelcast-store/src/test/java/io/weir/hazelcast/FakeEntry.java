package io.weir.hazelcast;

import com.hazelcast.map.ExtendedMapEntry;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** An entry of the map as a processor sees it, that remembers what was written. */
final class FakeEntry implements ExtendedMapEntry<String, StoredBucket> {

    private @Nullable StoredBucket value;
    private long ttlSeconds = -1;
    private int writes;
    private boolean broken;

    @Override
    public String getKey() {
        return "limit:key";
    }

    @Override
    @SuppressWarnings("NullAway") // Hazelcast's entries do give null for what is not there
    public StoredBucket getValue() {
        return value;
    }

    @Override
    public StoredBucket setValue(StoredBucket next) {
        throw new AssertionError("a plain setValue erases the expiry");
    }

    @Override
    public StoredBucket setValue(StoredBucket next, long ttl, TimeUnit unit) {
        if (broken) {
            throw new IllegalStateException("planted");
        }
        value = next;
        ttlSeconds = unit.toSeconds(ttl);
        writes++;
        return next;
    }

    @Override
    public StoredBucket setValueWithoutChangingExpiryTime(StoredBucket next) {
        throw new AssertionError("the expiry has to change with the value");
    }

    void breakWrites() {
        broken = true;
    }

    long ttlSeconds() {
        return ttlSeconds;
    }

    int writes() {
        return writes;
    }
}
