package io.weir.console;

import java.util.Map;

/** The header fields of every answer. */
final class Fields {

    /** Nothing but what is served here is loaded, run or asked, and no other page may frame this one. */
    private static final String POLICY = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self';"
            + " img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

    private Fields() {}

    /** Those of a body of a type, to be kept as {@code caching} says. */
    static Map<String, String> of(String type, String caching) {
        return Map.of(
                "Content-Type", type,
                "Cache-Control", caching,
                "Content-Security-Policy", POLICY,
                "X-Content-Type-Options", "nosniff",
                "Referrer-Policy", "no-referrer");
    }
}
