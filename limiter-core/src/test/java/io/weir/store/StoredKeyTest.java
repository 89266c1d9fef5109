package io.weir.store;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class StoredKeyTest {

    private static final String SHARED_START = "k".repeat(512);

    private static final List<String> ODD = List.of(
            "",
            " ",
            "\0",
            "2001:db8::1",
            "user name",
            "user\nname",
            "{}()/\\@:",
            "alice@example.com",
            "\u00e9",
            "e\u0301",
            "\uD83D\uDE80",
            "\uD83D",
            "\uDE80",
            "\uDE80\uD83D",
            "a\uD83D",
            "?",
            "\uFFFD",
            "k".repeat(256),
            "k".repeat(257),
            SHARED_START + "a",
            SHARED_START + "b",
            SHARED_START + "\uD83D",
            SHARED_START + "\uDE80",
            "k".repeat(191) + "\uD83D\uDE80" + "k".repeat(100),
            "k".repeat(10_000),
            "k".repeat(1_000_000));

    @Test
    void isTheKeyItselfUpTo256Characters() {
        assertThat(StoredKey.of("alice@example.com")).isEqualTo("alice@example.com");
        assertThat(StoredKey.of("k".repeat(256))).isEqualTo("k".repeat(256));
        assertThat(StoredKey.of("\uD83D")).isEqualTo("\uD83D");
        assertThat(StoredKey.wellFormed("\uD83D\uDE80")).isEqualTo("\uD83D\uDE80");
    }

    @Test
    void startsLikeALongKeyAndEndsWithItsHash() {
        assertThat(StoredKey.of("k".repeat(257))).matches("k{192}#[0-9a-f]{64}");
    }

    /** It is in maps that outlive the code: on rolling upgrades, every node has to find the same bucket. */
    @ParameterizedTest
    @ValueSource(ints = {257, 4_095, 4_096, 4_097, 8_191, 8_192, 8_193, 100_000})
    void endsWithTheHashOfItsUtf16(int length) throws NoSuchAlgorithmException {
        // Characters of which either byte matters, and pairs, of which some lie across the border of a chunk.
        String key = "\u0141\u4101a\uD83D\uDE80".repeat(length / 5 + 1).substring(0, length - length % 5)
                + "\u00e9".repeat(length % 5);
        byte[] hash = MessageDigest.getInstance("SHA-256").digest(key.getBytes(StandardCharsets.UTF_16BE));

        assertThat(key).hasSize(length);
        assertThat(StoredKey.of(key)).endsWith("#" + HexFormat.of().formatHex(hash));
    }

    @ParameterizedTest
    @ValueSource(strings = {"\uD83D", "\uDE80", "\uDE80\uD83D", "a\uD83Db", "ok\uD83D\uDE80\uD83D"})
    void isHashedForAKeyThatHasNoUtf8(String malformed) {
        String stored = StoredKey.wellFormed(malformed);

        assertThat(new String(stored.getBytes(StandardCharsets.UTF_8), StandardCharsets.UTF_8))
                .isEqualTo(stored)
                .isNotEqualTo(malformed);
    }

    @Test
    void isBoundedAndDiffersForDifferentKeys() {
        assertDistinctAndBounded(StoredKey::of);
    }

    @Test
    void isBoundedAndDiffersAlsoOnceItIsWrittenAsUtf8() {
        assertDistinctAndBounded(
                key -> new String(StoredKey.wellFormed(key).getBytes(StandardCharsets.UTF_8), StandardCharsets.UTF_8));
    }

    /** What was hashed is longer than any key that was not, so that nobody can ask for another's bucket by its hash. */
    @Test
    void isNotTheStoredFormOfAnotherKey() {
        for (String key : ODD) {
            String stored = StoredKey.of(key);
            assertThat(StoredKey.of(stored).equals(stored)).isEqualTo(stored.equals(key));
        }
    }

    private static void assertDistinctAndBounded(UnaryOperator<String> form) {
        Map<String, String> keys = new HashMap<>();
        for (String key : ODD) {
            String stored = form.apply(key);
            assertThat(stored).hasSizeLessThanOrEqualTo(StoredKey.MAX_LITERAL_LENGTH + 1);
            assertThat(keys.put(stored, key)).isNull();
        }
    }
}
