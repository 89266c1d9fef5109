package io.weir.console;

import io.weir.algorithm.Bandwidth;
import io.weir.store.Board;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalDouble;
import org.jspecify.annotations.Nullable;

/** Reads what a {@link NoteWriter} of this or a later version has written, and refuses everything else. */
final class NoteReader {

    /** In bytes: what {@link Shown} leaves, and no more, since a text that is written once may be shown for each limit. */
    private static final int LONGEST_TEXT = 4 * Shown.LONGEST;

    private final ByteBuffer in;
    private final List<String> texts = new ArrayList<>();

    private NoteReader(byte[] note) {
        this.in = ByteBuffer.wrap(note);
    }

    /**
     * The note in {@code bytes}.
     *
     * @throws IllegalArgumentException if it is none, or of a version that cannot be read, saying which
     */
    static NodeNote read(byte[] bytes) {
        if (bytes.length > Board.MAX_NOTE) {
            throw new IllegalArgumentException(
                    "the note has " + bytes.length + " bytes, and may have " + Board.MAX_NOTE);
        }
        try {
            return new NoteReader(bytes).note();
        } catch (BufferUnderflowException e) {
            throw new IllegalArgumentException("the note ends too early, after " + bytes.length + " bytes", e);
        } catch (ArithmeticException e) {
            throw new IllegalArgumentException("the note has a number that is none: " + e.getMessage(), e);
        }
    }

    private NodeNote note() {
        int version = in.get();
        if (version < NoteWriter.VERSION) {
            throw new IllegalArgumentException("the note is of version " + version + ", which is none");
        }
        String node = text();
        long tick = number();
        long lastingNanos = number();
        long behindMillis = number();
        boolean masked = in.get() != 0;
        int limitsInAll = small(Integer.MAX_VALUE, "limits");
        int owners = small(NodeNote.MOST_OWNERS, "owners");
        List<NodeNote.OwnerLine> ownerLines = new ArrayList<>();
        for (int i = 0; i < owners; i++) {
            ownerLines.add(new NodeNote.OwnerLine(text(), in.get() != 0, number(), textOrNull()));
        }
        List<NodeNote.LimitLine> limits = new ArrayList<>();
        for (int length = length(); length > 0; length = length()) {
            if (limits.size() == NodeNote.MOST_LIMITS) {
                throw new IllegalArgumentException("the note has more than " + NodeNote.MOST_LIMITS + " limits");
            }
            int end = in.position() + length;
            limits.add(limit());
            if (in.position() > end) {
                throw new IllegalArgumentException("the note has a limit that is longer than it says");
            }
            in.position(end);
        }
        return new NodeNote(
                node,
                tick,
                lastingNanos,
                behindMillis,
                masked,
                limitsInAll,
                small(Integer.MAX_VALUE, "limits"),
                in.get() != 0,
                List.copyOf(ownerLines),
                List.copyOf(limits));
    }

    private int length() {
        return small(in.remaining(), "bytes");
    }

    private NodeNote.LimitLine limit() {
        String name = text();
        String algorithm = text();
        String policy = text();
        long version = number();
        int flags = in.get();
        String shadowOf = textOrNull();
        String why = textOrNull();
        long fallbackMillis = number();
        long answeredByPolicy = number();
        long granted = number();
        long denied = number();
        long never = number();
        Tally inAll = new Tally(number(), number(), number(), Tally.NONE.bySource());
        Tally lately = new Tally(granted, denied, never, sources());
        return new NodeNote.LimitLine(
                name,
                algorithm,
                policy,
                version,
                (flags & NoteWriter.ON) != 0,
                (flags & NoteWriter.EXACT) != 0,
                (flags & NoteWriter.SHADOW) != 0,
                shadowOf,
                bandwidths(),
                (flags & NoteWriter.DEGRADED) != 0,
                why,
                fallbackMillis,
                answeredByPolicy,
                lately,
                inAll,
                keys());
    }

    /** A source that only a later version knows is left out. */
    private long[] sources() {
        long[] bySource = new long[Tally.SOURCES.size()];
        int count = small(100, "sources");
        for (int i = 0; i < count; i++) {
            String name = text();
            long decisions = number();
            for (int known = 0; known < bySource.length; known++) {
                if (Tally.SOURCES.get(known).name().equals(name)) {
                    bySource[known] = decisions;
                }
            }
        }
        return bySource;
    }

    private List<Bandwidth> bandwidths() {
        int count = small(100, "bandwidths");
        List<Bandwidth> bandwidths = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            bandwidths.add(new Bandwidth(text(), number(), number(), Duration.ofNanos(number())));
        }
        return List.copyOf(bandwidths);
    }

    private List<NodeNote.KeyLine> keys() {
        int count = small(NodeNote.MOST_KEYS, "keys");
        List<NodeNote.KeyLine> keys = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            String key = text();
            long asked = number();
            long denied = number();
            int headroom = small(NoteWriter.PARTS + 1, "thousandths");
            keys.add(new NodeNote.KeyLine(
                    key,
                    asked,
                    denied,
                    headroom == 0
                            ? OptionalDouble.empty()
                            : OptionalDouble.of((double) (headroom - 1) / NoteWriter.PARTS)));
        }
        return List.copyOf(keys);
    }

    private @Nullable String textOrNull() {
        String text = text();
        return text.isEmpty() ? null : text;
    }

    private String text() {
        int index = small(texts.size(), "texts");
        if (index < texts.size()) {
            return texts.get(index);
        }
        byte[] bytes = new byte[small(Math.min(LONGEST_TEXT, in.remaining()), "bytes")];
        in.get(bytes);
        String text = new String(bytes, StandardCharsets.UTF_8);
        texts.add(text);
        return text;
    }

    private int small(int most, String what) {
        long number = number();
        if (number > most) {
            throw new IllegalArgumentException("the note speaks of " + number + " " + what + " but may of " + most);
        }
        return (int) number;
    }

    /** Zero or more. */
    private long number() {
        long number = 0;
        for (int shift = 0; shift < 63; shift += 7) {
            byte next = in.get();
            number |= (long) (next & 0x7f) << shift;
            if (next >= 0) {
                return number;
            }
        }
        throw new ArithmeticException("it has more than 63 bits");
    }
}
