package io.weir.console;

import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/** Text of others, as it may be written into a note and into JSON: of bounded length, and without halves of characters. */
final class Shown {

    /** Longer than any key that is watched or punished, and than any name. */
    static final int LONGEST = 300;

    private Shown() {}

    /** The text, or the start of it and an ellipsis. */
    static String text(String text) {
        String start = text.length() <= LONGEST ? text : text.substring(0, LONGEST) + "…";
        return new String(start.getBytes(StandardCharsets.UTF_8), StandardCharsets.UTF_8);
    }

    /** The same of what may be missing. */
    static @Nullable String textOrNull(@Nullable String text) {
        return text == null ? null : text(text);
    }
}
