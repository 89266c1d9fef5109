package io.weir.hazelcast;

import com.hazelcast.map.ExtendedMapEntry;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * What one member stores for one key, as a processor sees it: in binary form, with a time to live by the member's own
 * clock, in whole seconds, that ends up to a second early.
 */
final class SimulatedEntry implements ExtendedMapEntry<String, StoredBucket> {

    private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

    private final String key;
    private byte @Nullable [] value;
    private long expiresAtNanos;

    /** Counts the writes that led to the value: Hazelcast's backups ignore what is older than what they have. */
    private long version;

    private long nowNanos;
    private boolean written;

    SimulatedEntry(String key) {
        this.key = key;
    }

    /** Begins to be used, at an instant of the clock of the member that stores it. */
    SimulatedEntry opened(long atNanos) {
        nowNanos = atNanos;
        written = false;
        return this;
    }

    /** What is stored, expired or not. */
    @Nullable
    StoredBucket stored() {
        return value == null ? null : SimulatedWire.read(value, Wire.STORED_BUCKET, StoredBucket.class);
    }

    boolean isExpired() {
        return value != null && nowNanos >= expiresAtNanos;
    }

    /** Whether nothing is stored. */
    boolean isGone() {
        return value == null || isExpired();
    }

    /** When it ends, on the clock of the member that stores it. */
    long expiresAtNanos() {
        return expiresAtNanos;
    }

    /** Whether it was written since it was opened. */
    boolean isWritten() {
        return written;
    }

    long version() {
        return version;
    }

    /** Becomes the same as an entry of another member: value, expiry and version. */
    void become(SimulatedEntry other) {
        value = other.value;
        expiresAtNanos = other.expiresAtNanos;
        version = other.version;
    }

    void becomeVersion(long newVersion) {
        version = newVersion;
    }

    @Override
    public String getKey() {
        return key;
    }

    @Override
    @SuppressWarnings("NullAway") // Hazelcast's entries do give null for what is not there
    public StoredBucket getValue() {
        return isExpired() ? null : stored();
    }

    @Override
    public StoredBucket setValue(StoredBucket next) {
        throw new IllegalStateException("a plain setValue erases the expiry");
    }

    @Override
    public StoredBucket setValue(StoredBucket next, long ttl, TimeUnit unit) {
        value = SimulatedWire.written(Objects.requireNonNull(next));
        expiresAtNanos = nowNanos + unit.toSeconds(ttl) * SECOND - SECOND;
        version++;
        written = true;
        return next;
    }

    @Override
    public StoredBucket setValueWithoutChangingExpiryTime(StoredBucket next) {
        throw new IllegalStateException("the expiry has to change with the value");
    }
}
