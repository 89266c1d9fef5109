package io.weir.quota;

import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/**
 * Keys as the database has them: any string fits, and no two strings meet. What a text column could not hold, or a log line not show, is
 * written as {@code %} and four hexadecimal digits, and so is {@code %}. What is too long then is {@code %#} and its SHA-256, which
 * nothing that is escaped starts with.
 */
final class StoredText {

    /** The longest form that is kept literally, in UTF-16 characters. */
    static final int MAX_LENGTH = 256;

    private static final int CHUNK = 4_096;

    private StoredText() {}

    static String of(String text) {
        if (text.length() <= MAX_LENGTH) {
            String escaped = escaped(text);
            if (escaped.length() <= MAX_LENGTH) {
                return escaped;
            }
        }
        return "%#" + HexFormat.of().formatHex(sha256(text));
    }

    static String escaped(String text) {
        StringBuilder escaped = null;
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            boolean pair = Character.isHighSurrogate(c)
                    && i + 1 < text.length()
                    && Character.isLowSurrogate(text.charAt(i + 1));
            if (pair || isPlain(c)) {
                if (escaped != null) {
                    escaped.append(c);
                    if (pair) {
                        escaped.append(text.charAt(i + 1));
                    }
                }
                i += pair ? 1 : 0;
            } else {
                if (escaped == null) {
                    escaped = new StringBuilder(text.length() + 16).append(text, 0, i);
                }
                escaped.append('%').append(HexFormat.of().toHexDigits(c));
            }
        }
        return escaped == null ? text : escaped.toString();
    }

    private static boolean isPlain(char c) {
        return c != '%' && !Character.isISOControl(c) && !Character.isSurrogate(c) && c != '\u2028' && c != '\u2029';
    }

    /** Over the characters themselves, which differ for any two strings: encoding would merge lone surrogates. */
    static byte[] sha256(String text) {
        try {
            MessageDigest digest = MessageDigest.getInstance("SHA-256");
            ByteBuffer chunk = ByteBuffer.allocate(2 * Math.min(CHUNK, text.length()));
            for (int from = 0; from < text.length(); from += CHUNK) {
                chunk.clear();
                for (int i = from; i < Math.min(text.length(), from + CHUNK); i++) {
                    chunk.putChar(text.charAt(i));
                }
                digest.update(chunk.flip());
            }
            return digest.digest();
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError("every Java platform has SHA-256", e);
        }
    }
}
