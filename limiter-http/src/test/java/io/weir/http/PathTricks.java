package io.weir.http;

import java.util.List;
import java.util.Locale;
import java.util.Random;

/** Makes up ways of writing a path that some server or other may read as {@code /api/dear}, with something behind it. */
final class PathTricks {

    private static final List<String> DETOURS = List.of(
            "/cheap",
            "/static",
            "/health",
            "/cheap/..",
            "/static/..",
            "/health/..",
            "/static/x/../..",
            "/health/%2e%2e",
            "/static/..;",
            "/static/..;x=y",
            "/static/.%2E",
            "/static;/..",
            "/static%2f..",
            "/static\\..",
            "/static/..%5c",
            "/static/%252e%252e",
            "/..",
            "/.",
            "/%2e",
            "/;",
            "/;x",
            "/static/..%2f..",
            "/static/...",
            "/static/%u002e%u002e",
            "/static/%c0%ae%c0%ae");

    /** Ways up to {@code /api}, past what some drop before they go up and others go up from. */
    private static final List<String> PARENTS = List.of(
            "/api/",
            "/api//..",
            "/api///..",
            "/api//%2e%2e",
            "/api//..;",
            "/api/;/..",
            "/api//x/../..",
            "/api/x/..",
            "/api/x/%2e%2e",
            "/api/x%2fy/..",
            "/api/x\\y/..",
            "/api/x%5cy/..",
            "/api/%2f/..",
            "/api/%2e%2e/..",
            "/api/%u002e%u002e/..",
            "/api/.//..");

    private static final List<String> SLASHES = List.of(
            "//",
            "///",
            "/./",
            "/%2e/",
            "%2f",
            "/%2F",
            "\\",
            "%5C",
            "/\\",
            "/;/",
            ";/",
            ";a=b/",
            ";%2f/",
            "/x/../",
            "/x/%2e%2e/",
            "/x/..;/",
            "%252f",
            "/.;/",
            "%c0%af",
            "%u002f",
            "/%20/..");

    private static final List<String> ENDS = List.of(
            "/",
            "//",
            "/.",
            "/..",
            "/;",
            ";",
            ";v=1",
            ";v=1/x",
            "?x",
            "?/static",
            "?x=/health",
            "%00",
            "%20",
            "%09",
            ".",
            "%3f",
            "%3fx",
            "%23",
            "%3b",
            "%",
            "%2",
            "%zz",
            "/../health",
            "/../static/x",
            "/%2e%2e/health",
            "\\..",
            "/é",
            "/%c3%a9",
            "/%ff");

    private final Random random;

    PathTricks(long seed) {
        this.random = new Random(seed);
    }

    /** A path from within the context, as it stands in a request line. */
    String next() {
        return seldom(oneOf(DETOURS), "")
                + seldom(oneOf(PARENTS), seldom(oneOf(SLASHES), "/") + disguised("api"))
                + seldom(oneOf(SLASHES), "/")
                + disguised("dear")
                + seldom("", seldom(oneOf(SLASHES), "/") + disguised("x"))
                + seldom(oneOf(ENDS), "");
    }

    /** The path of a context, the same to whoever decodes it. */
    String disguisedContext(String context) {
        if (context.isEmpty()) {
            return "";
        }
        String slash =
                random.nextInt(4) == 0 ? oneOf(List.of("//", "/./", "/x/../", "/;/", "/%2e/", "/x/%2e%2e/")) : "/";
        String parameter = random.nextInt(4) == 0 ? oneOf(List.of(";", ";x", ";x=%2f", ";..")) : "";
        return slash + disguised(context.substring(1)) + parameter;
    }

    private String disguised(String word) {
        if (random.nextInt(3) > 0) {
            return word;
        }
        StringBuilder disguised = new StringBuilder();
        for (int i = 0; i < word.length(); i++) {
            char c = word.charAt(i);
            disguised.append(
                    switch (random.nextInt(8)) {
                        case 0, 1 -> String.format(Locale.ROOT, "%%%02x", (int) c);
                        case 2 -> String.format(Locale.ROOT, "%%%02X", (int) c);
                        case 3 -> random.nextInt(8) == 0 ? String.format(Locale.ROOT, "%%25%02x", (int) c) : c;
                        case 4 -> random.nextInt(4) == 0 ? String.format(Locale.ROOT, "%%u%04x", (int) c) : c;
                        default -> c;
                    });
        }
        return disguised.toString();
    }

    private String seldom(String special, String usual) {
        return random.nextInt(5) < 2 ? special : usual;
    }

    private String oneOf(List<String> choices) {
        return choices.get(random.nextInt(choices.size()));
    }
}
