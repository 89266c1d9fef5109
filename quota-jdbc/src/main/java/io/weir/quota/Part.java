package io.weir.quota;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Where an amount was taken from.
 *
 * @param credit the credit's key as it is stored; null for the period itself
 * @param amount how much, from 1
 */
record Part(@Nullable String credit, long amount) {

    /** A line for each part: the amount, a space and the credit, neither of which has a line break. */
    static String encode(List<Part> parts) {
        StringBuilder text = new StringBuilder();
        for (Part each : parts) {
            text.append(each.amount);
            if (each.credit != null) {
                text.append(' ').append(each.credit);
            }
            text.append('\n');
        }
        return text.toString();
    }

    static List<Part> decode(String text) {
        List<Part> parts = new ArrayList<>();
        text.lines().forEach(line -> {
            int space = line.indexOf(' ');
            parts.add(
                    space < 0
                            ? new Part(null, Long.parseLong(line))
                            : new Part(line.substring(space + 1), Long.parseLong(line.substring(0, space))));
        });
        return parts;
    }

    /** Of {@code parts}, from the last to the first, {@code amount} after the first {@code skip}. */
    static List<Part> lastOf(List<Part> parts, long skip, long amount) {
        List<Part> last = new ArrayList<>();
        List<Part> backwards = new ArrayList<>(parts);
        Collections.reverse(backwards);
        long toSkip = skip;
        long left = amount;
        for (Part each : backwards) {
            long skipped = Math.min(toSkip, each.amount);
            toSkip -= skipped;
            long taken = Math.min(left, each.amount - skipped);
            left -= taken;
            if (taken > 0) {
                last.add(new Part(each.credit, taken));
            }
        }
        return last;
    }
}
