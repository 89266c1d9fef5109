package io.weir.http;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * The path of a request, as whoever handles it may read it.
 *
 * <p>Servers and frameworks do not agree on what {@code /a/%2e%2e/b} or {@code /a%2Fb} is. There are two ways to read a path: <em>first
 * split, then decode</em>, as frameworks do that route by segments, and <em>first decode, then resolve</em> dots and
 * backslashes, as servers do that map to files and servlets. A route that a client could get around by writing a path that
 * we read in one way and its handler in the other would not limit anybody; so both readings are there to be matched.
 *
 * @param split read in the first way
 * @param resolved read in the second; the same object where they do not differ
 * @param plain whether it was sent just as it reads, without anything to decode, resolve or leave out
 */
record RequestPath(Reading split, Reading resolved, boolean plain) {

    /**
     * A path that has been read.
     *
     * @param segments decoded, none of them empty
     */
    record Reading(List<String> segments) {}

    /**
     * Reads a path.
     *
     * @param path from the root of the server, encoded
     * @param contextPath how it begins where the application is not at the root; what does not begin so is read whole
     */
    static RequestPath of(String path, String contextPath) {
        if (isPlain(path)) {
            Reading reading = new Reading(within(segments(path), contextPath));
            return new RequestPath(reading, reading, true);
        }
        String bare = withoutParameters(path);
        List<String> split = segments(bare).stream().map(RequestPath::decoded).toList();
        List<String> resolved = resolved(segments(decoded(bare).replace('\\', '/')));
        Reading first = new Reading(within(split, contextPath));
        return new RequestPath(
                first, split.equals(resolved) ? first : new Reading(within(resolved, contextPath)), false);
    }

    boolean isAmbiguous() {
        return !split.equals(resolved);
    }

    /** Nothing to decode or to leave out, no empty segment, no dots that mean something. */
    private static boolean isPlain(String path) {
        int length = path.length();
        if (length == 0 || path.charAt(0) != '/') {
            return false;
        }
        for (int i = 0; i < length; i++) {
            char c = path.charAt(i);
            if (c <= ' ' || c >= 127 || c == '%' || c == ';' || c == '\\') {
                return false;
            }
            boolean afterSlash = i > 0 && path.charAt(i - 1) == '/';
            if (afterSlash && (c == '/' || c == '.')) {
                return false;
            }
        }
        return length == 1 || path.charAt(length - 1) != '/';
    }

    private static List<String> segments(String path) {
        List<String> segments = new ArrayList<>(8);
        int begin = 0;
        for (int slash = path.indexOf('/'); slash >= 0; slash = path.indexOf('/', begin)) {
            if (slash > begin) {
                segments.add(path.substring(begin, slash));
            }
            begin = slash + 1;
        }
        if (begin < path.length()) {
            segments.add(path.substring(begin));
        }
        return segments;
    }

    private static List<String> within(List<String> segments, String contextPath) {
        if (contextPath.isEmpty()) {
            return segments;
        }
        List<String> context =
                segments(contextPath).stream().map(RequestPath::decoded).toList();
        boolean inside = segments.size() >= context.size()
                && segments.subList(0, context.size()).equals(context);
        return inside ? segments.subList(context.size(), segments.size()) : segments;
    }

    private static List<String> resolved(List<String> segments) {
        List<String> resolved = new ArrayList<>(segments.size());
        for (String segment : segments) {
            if (segment.equals("..")) {
                if (!resolved.isEmpty()) {
                    resolved.remove(resolved.size() - 1);
                }
            } else if (!segment.equals(".")) {
                resolved.add(segment);
            }
        }
        return resolved;
    }

    /** Without {@code ;name=value} behind segments. */
    private static String withoutParameters(String path) {
        if (path.indexOf(';') < 0) {
            return path;
        }
        StringBuilder bare = new StringBuilder(path.length());
        boolean parameters = false;
        for (int i = 0; i < path.length(); i++) {
            char c = path.charAt(i);
            parameters = c == ';' || (parameters && c != '/');
            if (!parameters) {
                bare.append(c);
            }
        }
        return bare.toString();
    }

    /** Percent-encoded bytes as UTF-8; a percent sign that encodes nothing stays. */
    private static String decoded(String text) {
        if (text.indexOf('%') < 0) {
            return text;
        }
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        ByteArrayOutputStream decoded = new ByteArrayOutputStream(bytes.length);
        for (int i = 0; i < bytes.length; i++) {
            int high = i + 2 < bytes.length && bytes[i] == '%' ? Character.digit(bytes[i + 1], 16) : -1;
            int low = high < 0 ? -1 : Character.digit(bytes[i + 2], 16);
            if (low < 0) {
                decoded.write(bytes[i]);
            } else {
                decoded.write(high * 16 + low);
                i += 2;
            }
        }
        return decoded.toString(StandardCharsets.UTF_8);
    }
}
