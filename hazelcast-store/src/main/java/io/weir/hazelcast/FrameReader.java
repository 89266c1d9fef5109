package io.weir.hazelcast;

import com.hazelcast.nio.ObjectDataInput;
import com.hazelcast.nio.serialization.HazelcastSerializationException;
import io.weir.algorithm.Algorithm;
import io.weir.algorithm.Bandwidth;
import io.weir.algorithm.BucketState;
import io.weir.algorithm.QueueState;
import io.weir.algorithm.Rule;
import io.weir.algorithm.State;
import io.weir.algorithm.Verdict;
import io.weir.algorithm.WindowState;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** Reads what {@link FrameWriter} writes. */
final class FrameReader {

    /**
     * A cluster has few rules and a great many buckets, each of which carries its own: every rule is read once, and shared.
     */
    private static final Map<ByteBuffer, Rule> KNOWN_RULES = new ConcurrentHashMap<>();

    private static final int MAX_KNOWN_RULES = 4_096;

    private static final int ROOM = 1_024;

    /** As with {@link FrameWriter}: one buffer for each thread, for frames that are not too large. */
    private static final ThreadLocal<ByteBuffer> OF_THREAD = ThreadLocal.withInitial(() -> ByteBuffer.allocate(ROOM));

    private final ByteBuffer buffer;

    /** Reads a frame, until this thread reads another. */
    static FrameReader ofThisThread(ObjectDataInput in, int length) throws IOException {
        ByteBuffer buffer = length <= ROOM ? OF_THREAD.get() : ByteBuffer.allocate(length);
        in.readFully(buffer.array(), 0, length);
        return new FrameReader(buffer.clear().limit(length));
    }

    FrameReader(ByteBuffer buffer) {
        this.buffer = buffer;
    }

    /** Whether a later version's addition follows. */
    boolean hasMore() {
        return buffer.hasRemaining();
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

    String getText() {
        byte[] bytes = new byte[getShort()];
        buffer.get(bytes);
        return new String(bytes, StandardCharsets.UTF_8);
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

    @Nullable
    LeaseReport getLeaseReport() {
        return getByte() == 0 ? null : new LeaseReport(getLong(), getLong(), getLong(), getLong(), getLong());
    }

    List<Correction> getCorrections() {
        int count = getShort();
        List<Correction> corrections = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            int kind = getByte();
            corrections.add(
                    switch (kind) {
                        case FrameWriter.UNANSWERED ->
                            new Correction.Unanswered(getLong(), getShort(), getLong(), false);
                        case FrameWriter.UNANSWERED_RESERVATION ->
                            new Correction.Unanswered(getLong(), getShort(), getLong(), true);
                        case FrameWriter.CANCELLED -> {
                            long since = getLong();
                            long usableAtNanos = getLong();
                            yield new Correction.Cancelled(since, getLong(), usableAtNanos);
                        }
                        case FrameWriter.OWED -> new Correction.Owed(getLong(), getLong());
                        default ->
                            throw new HazelcastSerializationException(
                                    "this version of Weir does not know corrections of kind " + kind
                                            + ": upgrade this node before others use it");
                    });
        }
        return corrections;
    }

    @Nullable
    LeaseAnswer getLeaseAnswer() {
        return getByte() == 0 ? null : new LeaseAnswer(getLong(), getLong(), getByte() != 0);
    }

    Rule getRule() {
        int length = getShort();
        ByteBuffer bytes = buffer.slice(buffer.position(), length);
        buffer.position(buffer.position() + length);
        Rule known = KNOWN_RULES.get(bytes);
        if (known != null) {
            return known;
        }
        Rule read = new FrameReader(bytes.duplicate()).readRule();
        if (KNOWN_RULES.size() >= MAX_KNOWN_RULES) {
            KNOWN_RULES.clear(); // most are of versions past; the few that are in use are read once more
        }
        byte[] copy = new byte[length];
        bytes.get(0, copy);
        KNOWN_RULES.put(ByteBuffer.wrap(copy), read);
        return read;
    }

    private Rule readRule() {
        long version = getLong();
        Algorithm.Kind kind = known(FrameWriter.KINDS, getByte(), 1, "algorithm");
        int count = getByte();
        List<Bandwidth> bandwidths = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            byte[] name = new byte[getByte()];
            buffer.get(name);
            bandwidths.add(new Bandwidth(
                    new String(name, StandardCharsets.US_ASCII), getLong(), getLong(), Duration.ofNanos(getLong())));
        }
        int options = buffer.hasRemaining() ? getByte() : 0;
        int mode = options >> FrameWriter.CARRY_OVER_SHIFT & FrameWriter.CARRY_OVER_MASK;
        return new Rule(
                version,
                kind.with(bandwidths),
                (options & FrameWriter.STRICT_PARTITIONS) != 0,
                known(FrameWriter.MODES, mode, 0, "way to carry over"));
    }

    private static <T> T known(List<T> all, int code, int first, String what) {
        if (code < first || code - first >= all.size()) {
            throw new HazelcastSerializationException("this version of Weir does not know " + what + " " + code
                    + ": upgrade this node before others use it");
        }
        return all.get(code - first);
    }

    State getState() {
        Rule rule = getRule();
        long atNanos = getLong();
        int bandwidths = rule.algorithm().bandwidths().size();
        return switch (rule.algorithm().kind()) {
            case TOKEN_BUCKET -> BucketState.restore(rule, atNanos, getLongs(2 * bandwidths));
            case LEAKY_BUCKET -> QueueState.restore(rule, atNanos, getLongs(2 * bandwidths));
            case SLIDING_WINDOW, SLIDING_LOG, FIXED_WINDOW -> {
                long[][] counts = new long[bandwidths][];
                for (int i = 0; i < bandwidths; i++) {
                    counts[i] = getLongs(getShort());
                }
                yield WindowState.restore(rule, atNanos, counts);
            }
        };
    }

    private long[] getLongs(int count) {
        long[] longs = new long[count];
        for (int i = 0; i < count; i++) {
            longs[i] = getLong();
        }
        return longs;
    }
}
