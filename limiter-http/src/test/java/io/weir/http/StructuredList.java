package io.weir.http;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A parser for Lists of Strings with Integer parameters, after the algorithms of RFC 9651 section 4.2 and of nothing
 * else: whatever a conforming client would refuse is an {@link IllegalArgumentException} here.
 */
final class StructuredList {

    /** One member of a list. */
    record Member(String name, Map<String, Long> parameters) {}

    private final String text;
    private int at;

    private StructuredList(String text) {
        this.text = text;
    }

    static List<Member> parse(String text) {
        return new StructuredList(text).list();
    }

    private List<Member> list() {
        List<Member> members = new ArrayList<>();
        skipSpaces();
        while (at < text.length()) {
            members.add(new Member(string(), parameters()));
            skipSpaces();
            if (at == text.length()) {
                break;
            }
            expect(',');
            skipSpaces();
            require(at < text.length(), "a member after the comma");
        }
        return members;
    }

    private String string() {
        StringBuilder string = new StringBuilder();
        expect('"');
        while (peek() != '"') {
            char c = next();
            require(c >= ' ' && c <= '~', "printable ASCII");
            if (c == '\\') {
                c = next();
                require(c == '"' || c == '\\', "an escaped quote or backslash");
            }
            string.append(c);
        }
        expect('"');
        return string.toString();
    }

    private Map<String, Long> parameters() {
        Map<String, Long> parameters = new LinkedHashMap<>();
        while (at < text.length() && peek() == ';') {
            at++;
            skipSpaces();
            int start = at;
            require(peek() >= 'a' && peek() <= 'z', "a key that starts with a lower-case letter");
            while (isKeyCharacter(peek())) {
                at++;
            }
            String key = text.substring(start, at);
            expect('=');
            parameters.put(key, integer());
        }
        return parameters;
    }

    private long integer() {
        int start = at;
        if (peek() == '-') {
            at++;
        }
        int digits = at;
        while (at < text.length() && peek() >= '0' && peek() <= '9') {
            at++;
        }
        require(at > digits && at - digits <= 15, "1 to 15 digits");
        return Long.parseLong(text.substring(start, at));
    }

    private static boolean isKeyCharacter(char c) {
        return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || "_-.*".indexOf(c) >= 0;
    }

    private void skipSpaces() {
        while (at < text.length() && peek() == ' ') {
            at++;
        }
    }

    private char peek() {
        require(at < text.length(), "more");
        return text.charAt(at);
    }

    private char next() {
        char c = peek();
        at++;
        return c;
    }

    private void expect(char c) {
        require(peek() == c, "'" + c + "'");
        at++;
    }

    private void require(boolean condition, String what) {
        if (!condition) {
            throw new IllegalArgumentException("expected " + what + " at " + at + " of: " + text);
        }
    }
}
