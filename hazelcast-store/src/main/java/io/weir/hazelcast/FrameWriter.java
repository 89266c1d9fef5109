package io.weir.hazelcast;

import com.hazelcast.nio.ObjectDataOutput;
import io.weir.algorithm.Bandwidth;
import io.weir.algorithm.BucketState;
import io.weir.algorithm.Rule;
import io.weir.algorithm.State;
import io.weir.algorithm.Verdict;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Writes a frame: numbers big-endian, names in ASCII behind a length byte. */
final class FrameWriter {

    static final byte TOKEN_BUCKET = 1;

    /** Options of a rule, a bit each; nothing is written of a rule that has none. */
    static final int STRICT_PARTITIONS = 1;

    /** A verdict's code is its place here, whatever becomes of the enum. */
    static final List<Verdict> VERDICTS = List.of(Verdict.GRANTED, Verdict.DENIED, Verdict.NEVER);

    static final int NO_VERDICT = 255;

    static final int UNANSWERED = 0;
    static final int OWED = 1;

    private static final int MAX_TEXT = 1_000;

    private static final int ROOM = 1_024;
    private static final int MOST_KEPT = 16_384;

    /** Serializing is short, does not nest, and happens several times for each call: one buffer does for each thread. */
    private static final ThreadLocal<FrameWriter> OF_THREAD = ThreadLocal.withInitial(FrameWriter::new);

    private ByteBuffer buffer = ByteBuffer.allocate(ROOM);

    private FrameWriter() {}

    /** An empty frame, until this thread begins another. */
    static FrameWriter ofThisThread() {
        FrameWriter writer = OF_THREAD.get();
        if (writer.buffer.capacity() > MOST_KEPT) {
            writer.buffer = ByteBuffer.allocate(ROOM); // one bucket of a thousand nodes is no measure for the others
        }
        writer.buffer.clear();
        return writer;
    }

    /** As {@link ObjectDataOutput#writeByteArray} would, without a copy of the right length. */
    void writeTo(ObjectDataOutput out) throws IOException {
        out.writeInt(buffer.position());
        out.write(buffer.array(), 0, buffer.position());
    }

    void putByte(int value) {
        room(Byte.BYTES).put((byte) value);
    }

    void putShort(int value) {
        room(Short.BYTES).putShort((short) value);
    }

    void putLong(long value) {
        room(Long.BYTES).putLong(value);
    }

    void putUuid(UUID value) {
        putLong(value.getMostSignificantBits());
        putLong(value.getLeastSignificantBits());
    }

    /** A text of any length, cut to what a frame may hold. */
    void putText(String text) {
        byte[] bytes = text.substring(0, Math.min(MAX_TEXT, text.length())).getBytes(StandardCharsets.UTF_8);
        putShort(bytes.length);
        room(bytes.length).put(bytes);
    }

    /** A verdict as its code, none as {@link #NO_VERDICT}. */
    void putVerdicts(List<? extends @Nullable Verdict> verdicts) {
        putShort(verdicts.size());
        for (Verdict verdict : verdicts) {
            putByte(verdict == null ? NO_VERDICT : VERDICTS.indexOf(verdict));
        }
    }

    void putLeaseReport(@Nullable LeaseReport report) {
        putByte(report == null ? 0 : 1);
        if (report != null) {
            putLong(report.kept());
            putLong(report.returned());
            putLong(report.wanted());
            putLong(report.ttlNanos());
            putLong(report.deadlineNanos());
        }
    }

    void putCorrections(List<Correction> corrections) {
        putShort(corrections.size());
        for (Correction each : corrections) {
            if (each instanceof Correction.Unanswered unanswered) {
                putByte(UNANSWERED);
                putLong(unanswered.call());
                putShort(unanswered.request());
            } else {
                putByte(OWED);
                putLong(((Correction.Owed) each).since());
            }
            putLong(each.permits());
        }
    }

    void putLeaseAnswer(@Nullable LeaseAnswer answer) {
        putByte(answer == null ? 0 : 1);
        if (answer != null) {
            putLong(answer.accepted());
            putLong(answer.lent());
            putByte(answer.extended() ? 1 : 0);
        }
    }

    void putRule(Rule rule) {
        putShort(0);
        int start = buffer.position();
        putLong(rule.version());
        putByte(TOKEN_BUCKET);
        List<Bandwidth> bandwidths = rule.algorithm().bandwidths();
        putByte(bandwidths.size());
        for (Bandwidth bandwidth : bandwidths) {
            byte[] name = bandwidth.name().getBytes(StandardCharsets.US_ASCII);
            putByte(name.length);
            room(name.length).put(name);
            putLong(bandwidth.capacity());
            putLong(bandwidth.refill());
            putLong(bandwidth.period().toNanos());
        }
        if (rule.strictPartitions()) {
            putByte(STRICT_PARTITIONS);
        }
        buffer.putShort(start - Short.BYTES, (short) (buffer.position() - start));
    }

    void putState(State state) {
        BucketState bucket = (BucketState) state;
        putRule(bucket.rule());
        putLong(bucket.atNanos());
        int bandwidths = bucket.rule().algorithm().bandwidths().size();
        for (int i = 0; i < bandwidths; i++) {
            putLong(bucket.level(i));
            putLong(bucket.fraction(i));
        }
    }

    private ByteBuffer room(int bytes) {
        if (buffer.remaining() < bytes) {
            buffer.flip();
            buffer = ByteBuffer.allocate(2 * (buffer.limit() + bytes)).put(buffer);
        }
        return buffer;
    }
}
