package io.weir.store;

import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/**
 * The form in which a key is kept, so that no client decides how much a stored key weighs.
 *
 * <p>A key of up to {@value #MAX_LITERAL_LENGTH} characters is kept as it is. Any other is kept as the start of it and
 * its SHA-256, {@value #MAX_LITERAL_LENGTH} + 1 characters together: longer than any literal key, and so never equal to
 * one.
 */
public final class StoredKey {

    /** The longest key that is kept as it is, in UTF-16 characters. */
    public static final int MAX_LITERAL_LENGTH = 256;

    private static final int HASH_LENGTH = 64;
    private static final int CHUNK = 4_096;
    private static final int PREFIX_LENGTH = MAX_LITERAL_LENGTH - HASH_LENGTH;

    private StoredKey() {}

    /** The stored form for a store that keeps strings as strings. */
    public static String of(String key) {
        return key.length() <= MAX_LITERAL_LENGTH ? key : hashed(key);
    }

    /**
     * The stored form for a store that writes keys as UTF-8. A lone surrogate has no form of its own there: written as
     * it is, it would be merged with every other.
     */
    public static String wellFormed(String key) {
        return key.length() <= MAX_LITERAL_LENGTH && isWellFormed(key) ? key : hashed(key);
    }

    /** From the stored form that {@link #of} gives to the one that {@link #wellFormed} gives of the same key. */
    public static String wellFormedOf(String stored) {
        return stored.length() > MAX_LITERAL_LENGTH ? stored : wellFormed(stored);
    }

    static boolean isWellFormed(String key) {
        for (int i = 0; i < key.length(); i++) {
            char c = key.charAt(i);
            if (Character.isSurrogate(c)) {
                boolean pair = Character.isHighSurrogate(c)
                        && i + 1 < key.length()
                        && Character.isLowSurrogate(key.charAt(i + 1));
                if (!pair) {
                    return false;
                }
                i++;
            }
        }
        return true;
    }

    private static String hashed(String key) {
        StringBuilder stored = new StringBuilder(MAX_LITERAL_LENGTH + 1);
        for (int i = 0; i < PREFIX_LENGTH; i++) {
            char c = i < key.length() ? key.charAt(i) : ' ';
            stored.append(Character.isSurrogate(c) ? '?' : c);
        }
        return stored.append('#').append(HexFormat.of().formatHex(sha256(key))).toString();
    }

    /** Over the UTF-16 characters themselves, which differ for any two keys, unlike their UTF-8. */
    private static byte[] sha256(String key) {
        try {
            MessageDigest digest = MessageDigest.getInstance("SHA-256");
            ByteBuffer chunk = ByteBuffer.allocate(2 * Math.min(CHUNK, key.length()));
            for (int from = 0; from < key.length(); from += CHUNK) {
                chunk.clear();
                for (int i = from; i < Math.min(key.length(), from + CHUNK); i++) {
                    chunk.putChar(key.charAt(i));
                }
                digest.update(chunk.flip());
            }
            return digest.digest();
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError("every Java platform has SHA-256", e);
        }
    }
}
