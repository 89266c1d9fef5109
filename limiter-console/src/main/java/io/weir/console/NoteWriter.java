package io.weir.console;

import io.weir.algorithm.Bandwidth;
import io.weir.store.Board;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Writes a {@link NodeNote} into at most {@link Board#MAX_NOTE} bytes: without keys if they do not fit, and without the limits at its end
 * if those do not.
 *
 * <pre>
 * 1  version                              limit
 * t  name of the node                       t t     name, algorithm
 * n  tick                                   t       policy
 * n  nanoseconds it counted                 n       version
 * n  milliseconds behind                    1       1 on, 2 exact, 4 shadow, 8 degraded
 * 1  1 if keys are masked                   t t     shadow of, why; empty if null
 * n  limits in all                          n n     milliseconds in fallback, answered by policy
 * n  how many owners, for each:             n n n   granted, denied, never: lately
 *    t  member                              n n n   the same in all
 *    1  1 if reachable                      n       how many sources, for each that is not zero:
 *    n  seconds                                t n     its name, decisions lately
 *    t  why; empty if null                  n       how many bandwidths, for each:
 * for each limit:                              t n n n name, capacity, refill, nanoseconds
 *    n  length of what follows              n       how many keys, for each:
 *    .  limit                                  t n n   key, asked, denied
 * n  0: there are no more                      n       0 unknown, else 1 + a thousandths of headroom
 * n  how many limits are missing
 * 1  1 if keys are missing                t: n, and then, if it is as many as there were texts before, n bytes
 *                                            and the bytes in UTF-8; else it is that text again
 *                                         n: seven bits a byte, the lowest first, 128 added to all but the last
 * </pre>
 *
 * <p>A later version may add at the end of a limit and at the end of the whole, and nowhere else; and no {@code t} among it, since those who
 * skip it would count texts differently.
 */
final class NoteWriter {

    static final int VERSION = 1;

    static final int ON = 1;
    static final int EXACT = 2;
    static final int SHADOW = 4;
    static final int DEGRADED = 8;

    /** Of headroom, in one. */
    static final int PARTS = 1_000;

    /** What comes after the limits. */
    private static final int END_BYTES = 16;

    private final Map<String, Integer> texts = new HashMap<>();
    private ByteArrayOutputStream out = new ByteArrayOutputStream(1_024);

    private NoteWriter() {}

    /** The note in bytes, whole or with less. */
    static byte[] bytes(NodeNote note) {
        return bytes(note, Board.MAX_NOTE);
    }

    /** @param most how many bytes; enough for all but the limits */
    static byte[] bytes(NodeNote note, int most) {
        byte[] whole = new NoteWriter().write(note, true, most);
        return whole != null ? whole : new NoteWriter().writeWhatFits(note, most);
    }

    private byte @Nullable [] write(NodeNote note, boolean withKeys, int most) {
        int written = writeLimits(note, withKeys, most);
        return written < note.limits().size() ? null : end(note, note.limits().size(), false);
    }

    private byte[] writeWhatFits(NodeNote note, int most) {
        int written = writeLimits(note, false, most);
        return end(note, written, true);
    }

    private int writeLimits(NodeNote note, boolean withKeys, int most) {
        out.write(VERSION);
        text(note.node());
        number(note.tick());
        number(note.lastingNanos());
        number(note.behindMillis());
        out.write(note.masked() ? 1 : 0);
        number(note.limitsInAll());
        number(note.owners().size());
        for (NodeNote.OwnerLine each : note.owners()) {
            text(each.member());
            out.write(each.reachable() ? 1 : 0);
            number(each.seconds());
            textOrNull(each.why());
        }
        ByteArrayOutputStream whole = out;
        int written = 0;
        for (NodeNote.LimitLine each : note.limits()) {
            out = new ByteArrayOutputStream(256);
            limit(each, withKeys);
            byte[] bytes = out.toByteArray();
            out = whole;
            if (whole.size() + Integer.BYTES + bytes.length > most - END_BYTES) {
                break;
            }
            number(bytes.length);
            out.writeBytes(bytes);
            written++;
        }
        out = whole;
        return written;
    }

    private byte[] end(NodeNote note, int written, boolean withoutKeys) {
        number(0);
        number(note.dropped() + note.limits().size() - written);
        out.write(withoutKeys || note.keysDropped() ? 1 : 0);
        return out.toByteArray();
    }

    private void limit(NodeNote.LimitLine limit, boolean withKeys) {
        text(limit.name());
        text(limit.algorithm());
        text(limit.policy());
        number(limit.version());
        out.write((limit.on() ? ON : 0)
                + (limit.exact() ? EXACT : 0)
                + (limit.shadow() ? SHADOW : 0)
                + (limit.degraded() ? DEGRADED : 0));
        textOrNull(limit.shadowOf());
        textOrNull(limit.why());
        number(limit.fallbackMillis());
        number(limit.answeredByPolicy());
        for (Tally each : List.of(limit.lately(), limit.inAll())) {
            number(each.granted());
            number(each.denied());
            number(each.never());
        }
        sources(limit.lately().bySource());
        number(limit.bandwidths().size());
        for (Bandwidth each : limit.bandwidths()) {
            text(each.name());
            number(each.capacity());
            number(each.refill());
            number(each.period().toNanos());
        }
        List<NodeNote.KeyLine> keys = withKeys ? limit.keys() : List.of();
        number(keys.size());
        for (NodeNote.KeyLine each : keys) {
            text(each.key());
            number(each.asked());
            number(each.denied());
            number(each.headroom().isPresent() ? 1 + Math.round(each.headroom().getAsDouble() * PARTS) : 0);
        }
    }

    private void sources(long[] bySource) {
        List<Integer> used = new ArrayList<>();
        for (int i = 0; i < bySource.length; i++) {
            if (bySource[i] != 0) {
                used.add(i);
            }
        }
        number(used.size());
        for (int i : used) {
            text(Tally.SOURCES.get(i).name());
            number(bySource[i]);
        }
    }

    private void textOrNull(@Nullable String text) {
        text(text == null ? "" : text);
    }

    private void text(String text) {
        Integer known = texts.putIfAbsent(text, texts.size());
        if (known != null) {
            number(known);
            return;
        }
        number(texts.size() - 1L);
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        number(bytes.length);
        out.writeBytes(bytes);
    }

    /** @param number zero or more */
    private void number(long number) {
        long rest = number;
        while (rest >>> 7 != 0) {
            out.write((int) (rest & 0x7f) | 0x80);
            rest >>>= 7;
        }
        out.write((int) rest);
    }
}
