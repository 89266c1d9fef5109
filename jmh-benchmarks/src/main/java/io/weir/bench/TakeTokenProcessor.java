package io.weir.bench;

import com.hazelcast.map.EntryProcessor;
import com.hazelcast.map.ExtendedMapEntry;
import com.hazelcast.nio.ObjectDataInput;
import com.hazelcast.nio.ObjectDataOutput;
import io.weir.algorithm.Bandwidth;
import java.io.IOException;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A token bucket as somebody in a hurry would write it: what a round trip costs with hardly anything around it.
 *
 * <p>It writes the state with a time to live, ships the computed state to the backup, and writes nothing when it denies.
 * It has no call numbers, deadlines, several bandwidths or changes of numbers; but its state is padded to the size of
 * theirs, so that it differs from Weir and bucket4j by what it does and not by what it ships.
 */
final class TakeTokenProcessor extends Wire implements EntryProcessor<String, TakeTokenProcessor.Tokens, Boolean> {

    private static final long serialVersionUID = 1;

    private long capacity;
    private long nanosPerToken;
    private transient @Nullable Tokens computed;

    TakeTokenProcessor(Bandwidth bandwidth) {
        this.capacity = bandwidth.capacity();
        this.nanosPerToken = bandwidth.period().toNanos() / bandwidth.refill();
    }

    /** For reading from the wire. */
    TakeTokenProcessor() {}

    @Override
    public Boolean process(Map.Entry<String, Tokens> entry) {
        computed = null; // Hazelcast may run one and the same object again
        long now = TimeUnit.MILLISECONDS.toNanos(System.currentTimeMillis());
        Tokens stored = entry.getValue();
        long gained = stored == null ? 0 : (now - stored.atNanos) / nanosPerToken;
        long level = stored == null ? capacity : Math.min(capacity, stored.level + gained);
        if (level < 1) {
            return false;
        }
        computed = new Tokens(level - 1, stored == null ? now : stored.atNanos + gained * nanosPerToken);
        write(entry, computed);
        return true;
    }

    @Override
    public @Nullable EntryProcessor<String, Tokens, Boolean> getBackupProcessor() {
        return computed == null ? null : new Backup(computed);
    }

    private static void write(Map.Entry<String, Tokens> entry, Tokens tokens) {
        ((ExtendedMapEntry<String, Tokens>) entry).setValue(tokens, 1, TimeUnit.DAYS);
    }

    @Override
    public int getClassId() {
        return TAKE_TOKEN;
    }

    @Override
    public void writeData(ObjectDataOutput out) throws IOException {
        out.writeLong(capacity);
        out.writeLong(nanosPerToken);
    }

    @Override
    public void readData(ObjectDataInput in) throws IOException {
        capacity = in.readLong();
        nanosPerToken = in.readLong();
    }

    /** The state of a bucket. */
    static final class Tokens extends Wire {
        private static final byte[] PADDING = new byte[88];

        private long level;
        private long atNanos;

        Tokens(long level, long atNanos) {
            this.level = level;
            this.atNanos = atNanos;
        }

        /** For reading from the wire. */
        Tokens() {}

        @Override
        public int getClassId() {
            return TOKENS;
        }

        @Override
        public void writeData(ObjectDataOutput out) throws IOException {
            out.writeLong(level);
            out.writeLong(atNanos);
            out.writeByteArray(PADDING);
        }

        @Override
        public void readData(ObjectDataInput in) throws IOException {
            level = in.readLong();
            atNanos = in.readLong();
            in.readByteArray();
        }
    }

    /** Sets the state that the owner has computed. */
    static final class Backup extends Wire implements EntryProcessor<String, Tokens, Boolean> {

        private static final long serialVersionUID = 1;

        private transient Tokens tokens;

        Backup(Tokens tokens) {
            this.tokens = tokens;
        }

        /** For reading from the wire. */
        Backup() {
            this(new Tokens());
        }

        @Override
        public Boolean process(Map.Entry<String, Tokens> entry) {
            write(entry, tokens);
            return true;
        }

        @Override
        public int getClassId() {
            return SET_TOKENS;
        }

        @Override
        public void writeData(ObjectDataOutput out) throws IOException {
            tokens.writeData(out);
        }

        @Override
        public void readData(ObjectDataInput in) throws IOException {
            tokens.readData(in);
        }
    }
}
