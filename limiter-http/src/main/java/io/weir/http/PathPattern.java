package io.weir.http;

import java.util.Arrays;
import java.util.List;

/**
 * Which paths a route is for: segments that are the same, {@code *} or <code>{name}</code> for any one segment, and at the end
 * {@code **} for whatever follows, nothing included. Upper and lower case differ.
 */
final class PathPattern {

    private static final String ANY = "*";
    private static final String REST = "**";

    private final String text;
    private final List<String> segments;

    /** Whether whatever follows matches too. */
    private final boolean open;

    private PathPattern(String text, List<String> segments, boolean open) {
        this.text = text;
        this.segments = segments;
        this.open = open;
    }

    /**
     * Reads a pattern.
     *
     * @throws IllegalArgumentException if it is none, saying why
     */
    static PathPattern of(String text) {
        if (!text.startsWith("/")) {
            throw invalid(text, "must begin with /");
        }
        if (text.chars().anyMatch(c -> c <= ' ' || c >= 127 || "%;?#\\".indexOf(c) >= 0)) {
            throw invalid(text, "is matched with decoded paths, and has no spaces, %, ;, ?, # or \\");
        }
        List<String> segments = Arrays.stream(text.split("/"))
                .filter(segment -> !segment.isEmpty())
                .map(segment -> segment.matches("\\{[A-Za-z0-9_]+}") ? ANY : segment)
                .toList();
        boolean open = !segments.isEmpty() && segments.get(segments.size() - 1).equals(REST);
        List<String> fixed = open ? segments.subList(0, segments.size() - 1) : segments;
        for (String segment : fixed) {
            if (segment.equals(REST)) {
                throw invalid(text, "has ** before its end");
            }
            if (segment.equals(".") || segment.equals("..")) {
                throw invalid(text, "has a segment " + segment + ", which no path keeps");
            }
            if (!segment.equals(ANY) && segment.matches(".*[*{}].*")) {
                throw invalid(text, "has a segment \"" + segment + "\": * and {name} stand for whole segments only");
            }
        }
        return new PathPattern(text, List.copyOf(fixed), open);
    }

    private static IllegalArgumentException invalid(String text, String why) {
        return new IllegalArgumentException("path pattern " + why + ", such as /api/** or /users/{id}, but is \""
                + text.replaceAll("[^ -~]", "?") + "\"");
    }

    boolean matches(RequestPath.Reading path) {
        List<String> actual = path.segments();
        int length = segments.size();
        if (open ? actual.size() < length : actual.size() != length) {
            return false;
        }
        for (int i = 0; i < length; i++) {
            String wanted = segments.get(i);
            if (!wanted.equals(ANY) && !wanted.equals(actual.get(i))) {
                return false;
            }
        }
        return true;
    }

    /** Whether every path that {@code other} matches is matched by this one too. */
    boolean covers(PathPattern other) {
        int length = segments.size();
        if (other.segments.size() < length || (!open && (other.open || other.segments.size() > length))) {
            return false;
        }
        for (int i = 0; i < length; i++) {
            String wanted = segments.get(i);
            if (!wanted.equals(ANY) && !wanted.equals(other.segments.get(i))) {
                return false;
            }
        }
        return true;
    }

    /** Whether it is one path only. */
    boolean isExact() {
        return !open && !segments.contains(ANY);
    }

    @Override
    public String toString() {
        return text;
    }
}
