package io.weir;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** What {@link KeyWatchTest} does not show. */
class KeySketchTest {

    /** Each bit of a number as "Aa" or "BB", which have one hash code, and so has whatever is made of them. */
    private static List<String> keysOfOneHashCode(int count) {
        return IntStream.range(0, count)
                .mapToObj(i ->
                        Integer.toBinaryString(count | i).replace("0", "Aa").replace("1", "BB"))
                .toList();
    }

    /** They would all stand in each other's way in the sketch's table. Of 1,024 random numbers of 31 bits none are equal. */
    @Test
    void tellsKeysApartThatAClientHasMadeUpToHaveOneHashCode() {
        List<String> keys = keysOfOneHashCode(1_024);
        assertThat(keys.stream().map(String::hashCode).distinct()).hasSize(1);

        assertThat(keys.stream().map(key -> KeySketch.Hashed.of(key).hashCode()).distinct())
                .hasSizeGreaterThan(1_000);
    }

    @Test
    void hashesLongKeysAndThoseOfAnyCharactersAlikeEachTime() {
        for (String key : List.of("", "a", "\uffff".repeat(10_000), "\0\0")) {
            assertThat(KeySketch.Hashed.of(key)).isEqualTo(KeySketch.Hashed.of(key));
            assertThat(KeySketch.Hashed.of(key).hash()).isNotNegative();
        }
        assertThat(KeySketch.Hashed.of("\0").hash())
                .isNotEqualTo(KeySketch.Hashed.of("\0\0").hash());
    }

    @Test
    void countsKeysOfOneHashCodeApart() {
        KeySketch sketch = new KeySketch();
        List<String> keys = keysOfOneHashCode(512);
        keys.forEach(key -> sketch.add(key, 1));
        sketch.add(keys.get(7), 41);

        assertThat(sketch.weight(keys.get(7))).isEqualTo(42);
        assertThat(sketch.heaviest(1)).containsExactly(new KeySketch.Weighed(keys.get(7), 42));
    }
}
