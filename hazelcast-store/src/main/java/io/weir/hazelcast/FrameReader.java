package io.weir.hazelcast;

import com.hazelcast.nio.serialization.HazelcastSerializationException;
import io.weir.algorithm.Bandwidth;
import io.weir.algorithm.BucketState;
import io.weir.algorithm.Rule;
import io.weir.algorithm.State;
import io.weir.algorithm.TokenBucket;
import io.weir.algorithm.Verdict;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Reads what {@link FrameWriter} writes. */
final class FrameReader {

    private final ByteBuffer buffer;

    FrameReader(byte[] bytes) {
        this.buffer = ByteBuffer.wrap(bytes);
    }

    int getByte() {
        return Byte.toUnsignedInt(buffer.get());
    }

    int getShort() {
        return Short.toUnsignedInt(buffer.getShort());
    }

    long getLong() {
        return buffer.getLong();
    }

    UUID getUuid() {
        return new UUID(getLong(), getLong());
    }

    List<@Nullable Verdict> getVerdicts() {
        int count = getShort();
        List<@Nullable Verdict> verdicts = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            int code = getByte();
            verdicts.add(code == FrameWriter.NO_VERDICT ? null : FrameWriter.VERDICTS.get(code));
        }
        return verdicts;
    }

    Rule getRule() {
        long version = getLong();
        int algorithm = getByte();
        if (algorithm != FrameWriter.TOKEN_BUCKET) {
            throw new HazelcastSerializationException("this version of Weir does not know algorithm " + algorithm
                    + ": upgrade this node before others use it");
        }
        int count = getByte();
        List<Bandwidth> bandwidths = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            byte[] name = new byte[getByte()];
            buffer.get(name);
            bandwidths.add(new Bandwidth(
                    new String(name, StandardCharsets.US_ASCII), getLong(), getLong(), Duration.ofNanos(getLong())));
        }
        return new Rule(version, new TokenBucket(bandwidths));
    }

    State getState() {
        Rule rule = getRule();
        long atNanos = getLong();
        long[] levels = new long[2 * rule.algorithm().bandwidths().size()];
        for (int i = 0; i < levels.length; i++) {
            levels[i] = getLong();
        }
        return BucketState.restore(rule, atNanos, levels);
    }
}
