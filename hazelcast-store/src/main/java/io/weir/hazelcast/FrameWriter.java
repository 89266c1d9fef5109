package io.weir.hazelcast;

import com.hazelcast.nio.ObjectDataOutput;
import io.weir.algorithm.Algorithm;
import io.weir.algorithm.Bandwidth;
import io.weir.algorithm.BucketState;
import io.weir.algorithm.CarryOver;
import io.weir.algorithm.QueueState;
import io.weir.algorithm.Rule;
import io.weir.algorithm.State;
import io.weir.algorithm.Verdict;
import io.weir.algorithm.WindowState;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Writes a frame: numbers big-endian, names in ASCII behind a length byte. */
final class FrameWriter {

    /** An algorithm's code is its place here and one more. */
    static final List<Algorithm.Kind> KINDS = List.of(
            Algorithm.Kind.TOKEN_BUCKET,
            Algorithm.Kind.LEAKY_BUCKET,
            Algorithm.Kind.SLIDING_WINDOW,
            Algorithm.Kind.SLIDING_LOG,
            Algorithm.Kind.FIXED_WINDOW);

    /** Options of a rule; nothing is written of a rule that has none. This is a bit. */
    static final int STRICT_PARTITIONS = 1;

    /** Two bits from this one on: a mode's code is its place in {@link #MODES}. */
    static final int CARRY_OVER_SHIFT = 1;

    static final int CARRY_OVER_MASK = 3;

    static final List<CarryOver> MODES = List.of(CarryOver.PROPORTION, CarryOver.AS_IS, CarryOver.RESET);

    /** A verdict's code is its place here, whatever becomes of the enum. */
    static final List<Verdict> VERDICTS = List.of(Verdict.GRANTED, Verdict.DENIED, Verdict.NEVER);

    static final int NO_VERDICT = 255;

    static final int UNANSWERED = 0;
    static final int OWED = 1;
    static final int UNANSWERED_RESERVATION = 2;
    static final int CANCELLED = 3;

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
                putByte(unanswered.reserved() ? UNANSWERED_RESERVATION : UNANSWERED);
                putLong(unanswered.call());
                putShort(unanswered.request());
            } else if (each instanceof Correction.Cancelled cancelled) {
                putByte(CANCELLED);
                putLong(cancelled.since());
                putLong(cancelled.usableAtNanos());
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
        putByte(KINDS.indexOf(rule.algorithm().kind()) + 1);
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
        int options =
                (rule.strictPartitions() ? STRICT_PARTITIONS : 0) | MODES.indexOf(rule.carryOver()) << CARRY_OVER_SHIFT;
        if (options != 0) {
            putByte(options);
        }
        buffer.putShort(start - Short.BYTES, (short) (buffer.position() - start));
    }

    void putState(State state) {
        putRule(state.rule());
        putLong(state.atNanos());
        if (state instanceof WindowState window) {
            putCounts(window);
        } else {
            putLevels(state instanceof QueueState queue ? queue.room() : (BucketState) state);
        }
    }

    private void putLevels(BucketState bucket) {
        int bandwidths = bucket.rule().algorithm().bandwidths().size();
        for (int i = 0; i < bandwidths; i++) {
            putLong(bucket.level(i));
            putLong(bucket.fraction(i));
        }
    }

    private void putCounts(WindowState window) {
        int bandwidths = window.rule().algorithm().bandwidths().size();
        for (int i = 0; i < bandwidths; i++) {
            long[] counts = window.counts(i);
            putShort(counts.length);
            for (long each : counts) {
                putLong(each);
            }
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
