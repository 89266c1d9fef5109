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
 * <p>Two are enough only while a path does not go up. What {@code ..} takes with it, once something before it is encoded, has parameters
 * or is empty, differs with each reader: the empty segment in {@code /a//../b}, or {@code a} with it; all of {@code x%2Fy}, or
 * only {@code y}. Such a path is {@linkplain #obscure}.
 *
 * @param split read in the first way
 * @param resolved read in the second; the same object where they do not differ
 * @param plain whether it was sent just as it reads, without anything to decode, resolve or leave out
 * @param obscure whether it may be read in further ways, which nobody can list: to be matched with nothing
 */
record RequestPath(Reading split, Reading resolved, boolean plain, boolean obscure) {

    /**
     * A path that has been read.
     *
     * @param segments decoded, none of them empty
     */
    record Reading(List<String> segments) {}

    /**
     * Reads a path.
     *
     * @param path from the root of the server, encoded; of a whole request target, only the path counts
     * @param contextPath how it begins where the application is not at the root, which is read as the path is; what does not
     *     begin so is read whole
     */
    static RequestPath of(String path, String contextPath) {
        if (isPlain(path)) {
            Reading reading = new Reading(within(segments(path), split(contextPath)));
            return new RequestPath(reading, reading, true, false);
        }
        String only = pathOnly(path);
        Reading split = new Reading(within(split(only), split(contextPath)));
        Reading resolved = new Reading(within(resolved(only), resolved(contextPath)));
        return new RequestPath(split, split.equals(resolved) ? split : resolved, false, isObscure(only));
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
            if (c <= ' ' || c >= 127 || c == '%' || c == ';' || c == '\\' || c == '?') {
                return false;
            }
            boolean afterSlash = i > 0 && path.charAt(i - 1) == '/';
            if (afterSlash && (c == '/' || (c == '.' && isDots(path, i)))) {
                return false;
            }
        }
        return length == 1 || path.charAt(length - 1) != '/';
    }

    /** Whether the segment that begins here with a dot is one or two of them. */
    private static boolean isDots(String path, int begin) {
        int end = path.indexOf('/', begin);
        int length = (end < 0 ? path.length() : end) - begin;
        return length == 1 || (length == 2 && path.charAt(begin + 1) == '.');
    }

    /** Whether it goes up, and is not otherwise so plain that all who resolve it do so in one way. */
    private static boolean isObscure(String path) {
        boolean odd =
                path.indexOf('%') >= 0 || path.indexOf(';') >= 0 || path.indexOf('\\') >= 0 || path.contains("//");
        return odd && merged(path).contains("..");
    }

    /** Without the scheme and host that a request target may begin with, and without a query. */
    private static String pathOnly(String target) {
        int query = target.indexOf('?');
        String path = query < 0 ? target : target.substring(0, query);
        int scheme = path.startsWith("/") ? -1 : path.indexOf("://");
        if (scheme < 0) {
            return path;
        }
        int root = path.indexOf('/', scheme + 3);
        return root < 0 ? "/" : path.substring(root);
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

    private static List<String> within(List<String> segments, List<String> context) {
        int depth = context.size();
        boolean inside = segments.size() >= depth && segments.subList(0, depth).equals(context);
        return depth > 0 && inside ? segments.subList(depth, segments.size()) : segments;
    }

    /** First split, then decoded. */
    private static List<String> split(String path) {
        List<String> segments = segments(withoutParameters(path));
        for (int i = 0; i < segments.size(); i++) {
            segments.set(i, decoded(segments.get(i), false));
        }
        return segments;
    }

    /** First decoded, in every way that some server knows, then split. */
    private static List<String> merged(String path) {
        return segments(decoded(withoutParameters(path), true).replace('\\', '/'));
    }

    /** First decoded, then resolved. */
    private static List<String> resolved(String path) {
        List<String> segments = merged(path);
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

    /**
     * Percent-encoded bytes as UTF-8; a percent sign that encodes nothing stays.
     *
     * @param old whether {@code %u0064} is a "d" too, as it once was and as servers can be told that it still is
     */
    private static String decoded(String text, boolean old) {
        if (text.indexOf('%') < 0) {
            return text;
        }
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        ByteArrayOutputStream decoded = new ByteArrayOutputStream(bytes.length);
        for (int i = 0; i < bytes.length; i++) {
            boolean encoded = bytes[i] == '%';
            int value = encoded ? hex(bytes, i + 1, 2) : -1;
            int unit = encoded && old && i + 1 < bytes.length && bytes[i + 1] == 'u' ? hex(bytes, i + 2, 4) : -1;
            if (value >= 0) {
                decoded.write(value);
                i += 2;
            } else if (unit >= 0) {
                decoded.writeBytes(Character.toString(unit).getBytes(StandardCharsets.UTF_8));
                i += 5;
            } else {
                decoded.write(bytes[i]);
            }
        }
        return decoded.toString(StandardCharsets.UTF_8);
    }

    /** The number that {@code digits} hexadecimal digits stand for; -1 if they are none. */
    private static int hex(byte[] bytes, int begin, int digits) {
        if (begin + digits > bytes.length) {
            return -1;
        }
        int value = 0;
        for (int i = begin; i < begin + digits; i++) {
            int digit = Character.digit(bytes[i], 16);
            if (digit < 0) {
                return -1;
            }
            value = value * 16 + digit;
        }
        return value;
    }
}
