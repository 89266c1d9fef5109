package io.weir.console;

import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Which limits somebody wants to see. Immutable.
 *
 * @param limits how many at most
 * @param filter a part of their names, in lower case; empty for all
 */
record DataQuery(int limits, String filter) {

    static final int MOST = 200;

    private static final int DEFAULT = 50;

    private static final int LONGEST_FILTER = 64;

    private static final String LIMITS = "limits=";
    private static final String FILTER = "filter=";

    /**
     * Reads {@code limits=50&filter=text}; what else there is does not matter.
     *
     * @param query as in the URL; null for none
     * @throws IllegalArgumentException if it cannot be read, without saying what it was
     */
    static DataQuery of(@Nullable String query) {
        int limits = DEFAULT;
        String filter = "";
        for (String each : query == null ? new String[0] : query.split("&", -1)) {
            if (each.startsWith(LIMITS)) {
                limits = number(each.substring(LIMITS.length()));
            } else if (each.startsWith(FILTER)) {
                filter = URLDecoder.decode(each.substring(FILTER.length()), StandardCharsets.UTF_8)
                        .toLowerCase(Locale.ROOT);
            }
        }
        if (filter.length() > LONGEST_FILTER) {
            throw new IllegalArgumentException("filter must have at most " + LONGEST_FILTER + " characters");
        }
        return new DataQuery(limits, filter);
    }

    private static int number(String digits) {
        if (!digits.matches("[0-9]{1,9}")) {
            throw new IllegalArgumentException("limits must be 0 to " + MOST);
        }
        return Math.min(MOST, Integer.parseInt(digits));
    }

    /** Whether a limit is among those that are asked for. */
    boolean matches(String name) {
        return filter.isEmpty() || name.toLowerCase(Locale.ROOT).contains(filter);
    }
}
