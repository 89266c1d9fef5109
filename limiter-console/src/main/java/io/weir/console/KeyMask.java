package io.weir.console;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/** How keys are shown: they may be addresses, names or secrets of clients. Implementations are thread-safe and do not throw. */
@FunctionalInterface
public interface KeyMask {

    /**
     * What is shown in place of a key. The same for the same key on every node, or else it is shown as several.
     *
     * @param key as {@link io.weir.BusyKey#key} has it
     */
    String shown(String key);

    /** Shows keys as they are. */
    static KeyMask none() {
        return key -> key;
    }

    /**
     * Shows the first six hex digits of a key's SHA-256: enough to tell keys apart and to recognise one that is known, and to read
     * none. It is no secret: who can guess a key can see that it may be this one.
     */
    static KeyMask digest() {
        return key -> {
            try {
                byte[] digest = MessageDigest.getInstance("SHA-256").digest(key.getBytes(StandardCharsets.UTF_8));
                return "#" + HexFormat.of().formatHex(digest, 0, 3);
            } catch (NoSuchAlgorithmException e) {
                throw new IllegalStateException("every JVM has SHA-256", e);
            }
        };
    }
}
