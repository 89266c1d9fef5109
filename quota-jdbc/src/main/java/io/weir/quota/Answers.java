package io.weir.quota;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * Answers as they are remembered, so that a replay gets the first one: numbers between spaces.
 *
 * <pre>
 * cap spent reserved credit uncovered start end expires-at
 * </pre>
 *
 * Instants are microseconds since 1970; an answer that does not expire ends with {@code -}.
 */
final class Answers {

    private Answers() {}

    static String encode(Balance balance, @Nullable Instant expiresAt) {
        return balance.cap() + " " + balance.spent()
                + rest(balance.reserved(), balance.credit(), balance.uncovered(), balance.window(), expiresAt);
    }

    /** What follows cap and spent in the answer to a plain spend, with nothing put aside and no credit. */
    static String afterSpent(Window window) {
        return rest(0, 0, 0, window, null);
    }

    private static String rest(long reserved, long credit, long uncovered, Window window, @Nullable Instant expiresAt) {
        return " " + reserved + " " + credit + " " + uncovered + " " + Micros.of(window.start()) + " "
                + Micros.of(window.end()) + " " + (expiresAt == null ? "-" : Micros.of(expiresAt));
    }

    static Balance balance(Charge charge, String text) {
        String[] fields = text.split(" ", -1);
        return new Balance(
                charge.quota(),
                charge.key(),
                new Window(micros(fields[5]), micros(fields[6])),
                Long.parseLong(fields[0]),
                Long.parseLong(fields[1]),
                Long.parseLong(fields[2]),
                Long.parseLong(fields[3]),
                Long.parseLong(fields[4]));
    }

    static @Nullable Instant expiresAt(String text) {
        String last = text.substring(text.lastIndexOf(' ') + 1);
        return last.equals("-") ? null : micros(last);
    }

    private static Instant micros(String field) {
        return Micros.instant(Long.parseLong(field));
    }
}
