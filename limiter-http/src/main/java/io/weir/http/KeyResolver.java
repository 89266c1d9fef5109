package io.weir.http;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;
import java.util.Objects;
import java.util.Optional;

/**
 * Finds out who is asking. Thread-safe, and called on the thread of each request: it must not wait.
 *
 * <p>A key may be any text of any length; what is kept of a long one is bounded. {@link ClientAddress} is the resolver for
 * clients that are known by nothing else.
 */
@FunctionalInterface
public interface KeyResolver {

    /**
     * The key that the request is counted under.
     *
     * @return empty if it carries none; an empty key counts as none
     */
    Optional<String> resolve(IncomingRequest request);

    /** Whether it finds nothing before the request is authenticated. */
    default boolean needsAuthentication() {
        return false;
    }

    /**
     * A header field, such as {@code X-API-Key}: its first line, since that is what frameworks read. Where it is a secret, add
     * {@link #hashed()}.
     *
     * @throws IllegalArgumentException if that is no name of a field
     */
    static KeyResolver field(String name) {
        if (!name.matches("[!#$%&'*+.^_`|~0-9A-Za-z-]+")) { // a token, as RFC 9110 has it
            throw new IllegalArgumentException(
                    "name of a header field must be letters, digits and !#$%&'*+-.^_`|~ but is \""
                            + name.replaceAll("[^ -~]", "?") + "\"");
        }
        return new PlainKey.OfField(name);
    }

    /** The name of the authenticated user: of use after authentication only. */
    static KeyResolver principal() {
        return new PlainKey.OfPrincipal();
    }

    /**
     * The same key for every request: one bucket for all, or for a class of paths.
     *
     * @throws IllegalArgumentException if it is empty, which counts as none
     */
    static KeyResolver fixed(String key) {
        if (key.isEmpty()) {
            throw new IllegalArgumentException(
                    "key must not be empty, which counts as none: choose any text, such as all");
        }
        return new PlainKey.Fixed(Optional.of(key));
    }

    /** Both keys, together: a request that lacks one of them has none. */
    default KeyResolver and(KeyResolver other) {
        Objects.requireNonNull(other, "other");
        KeyResolver first = this;
        return new KeyResolver() {
            @Override
            public Optional<String> resolve(IncomingRequest request) {
                // The length in front keeps apart what would otherwise read the same, as "a b" + "c" and "a" + "b c".
                return first.resolve(request)
                        .filter(key -> !key.isEmpty())
                        .flatMap(key -> other.resolve(request)
                                .filter(more -> !more.isEmpty())
                                .map(more -> key.length() + " " + key + " " + more));
            }

            @Override
            public boolean needsAuthentication() {
                return first.needsAuthentication() || other.needsAuthentication();
            }
        };
    }

    /**
     * The key's SHA-256 instead of the key, for keys that are secrets: the buckets, and whoever looks at them, then do not
     * know it.
     */
    default KeyResolver hashed() {
        KeyResolver plain = this;
        return new KeyResolver() {
            @Override
            public Optional<String> resolve(IncomingRequest request) {
                return plain.resolve(request).filter(key -> !key.isEmpty()).map(KeyResolver::sha256);
            }

            @Override
            public boolean needsAuthentication() {
                return plain.needsAuthentication();
            }
        };
    }

    private static String sha256(String key) {
        try {
            byte[] hash = MessageDigest.getInstance("SHA-256").digest(key.getBytes(StandardCharsets.UTF_8));
            return Base64.getUrlEncoder().withoutPadding().encodeToString(hash);
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError("every Java platform has SHA-256", e);
        }
    }
}
