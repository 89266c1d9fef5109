package io.weir.bench;

import java.nio.file.Path;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a comparison was asked for.
 *
 * @param markdown where to write the tables, or null
 * @param svg where to draw the picture, or null
 * @param only what the names of rows to run contain; nothing for all
 * @param quick whether to run hardly anything, to find out whether it works
 */
record ComparisonOptions(@Nullable Path markdown, @Nullable Path svg, String only, boolean quick) {

    static final String USAGE = "[--markdown FILE] [--svg FILE] [--only WORDS] [--quick]";

    static ComparisonOptions of(String... args) {
        List<String> given = Arrays.asList(args);
        Path markdown = null;
        Path svg = null;
        String only = "";
        boolean quick = false;
        Iterator<String> words = given.iterator();
        while (words.hasNext()) {
            switch (words.next()) {
                case "--markdown" -> markdown = Path.of(next(words, given));
                case "--svg" -> svg = Path.of(next(words, given));
                case "--only" -> only = next(words, given);
                case "--quick" -> quick = true;
                default -> throw misused(given);
            }
        }
        return new ComparisonOptions(markdown, svg, only, quick);
    }

    private static String next(Iterator<String> words, List<String> given) {
        if (!words.hasNext()) {
            throw misused(given);
        }
        return words.next();
    }

    private static IllegalArgumentException misused(List<String> given) {
        return new IllegalArgumentException("expected " + USAGE + " but got " + given);
    }
}
