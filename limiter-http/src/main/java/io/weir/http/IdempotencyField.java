package io.weir.http;

import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The field {@code Idempotency-Key}: a String of structured fields (RFC 9651), or the same bare, which many clients send. Nothing else, so that
 * what is kept of it is bounded and printable. Routes hear it by {@link QuotaUse#idempotencyKeys}; this is for handlers that ask a ledger by themselves.
 */
public final class IdempotencyField {

    /** The field's name. */
    public static final String NAME = "Idempotency-Key";

    /** The longest key, in characters, without the quotes. */
    public static final int MAX_LENGTH = 255;

    private static final Pattern QUOTED = Pattern.compile("\"((?:[ !#-\\[\\]-~]|\\\\[\"\\\\])*+)\"");

    /** Visible ASCII but for quotes, and for commas, which would make it a list. */
    private static final Pattern BARE = Pattern.compile("[!#-+\\--~]*+");

    private static final Pattern ESCAPED = Pattern.compile("\\\\(.)");

    private IdempotencyField() {}

    /**
     * The key; empty if the lines do not have exactly one, of 1 to {@value #MAX_LENGTH} characters.
     *
     * @param lines the field's, each as it was sent
     */
    public static Optional<String> key(List<String> lines) {
        if (lines.size() != 1 || lines.get(0).length() > 2 * MAX_LENGTH + 2) { // all of it escaped, and quotes
            return Optional.empty();
        }
        String line = lines.get(0).strip();
        Matcher quoted = QUOTED.matcher(line);
        if (quoted.matches()) {
            return bounded(ESCAPED.matcher(quoted.group(1)).replaceAll("$1"));
        }
        return BARE.matcher(line).matches() ? bounded(line) : Optional.empty();
    }

    private static Optional<String> bounded(String key) {
        return key.isEmpty() || key.length() > MAX_LENGTH ? Optional.empty() : Optional.of(key);
    }
}
