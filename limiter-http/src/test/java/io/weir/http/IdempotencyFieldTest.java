package io.weir.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class IdempotencyFieldTest {

    @ParameterizedTest
    @CsvSource(
            quoteCharacter = '`',
            value = {
                "\"8e03978e-40d5-43dd\",8e03978e-40d5-43dd",
                "8e03978e-40d5-43dd,8e03978e-40d5-43dd",
                "` \"a b\" `,a b",
                "`\"a, b\"`,`a, b`",
                "\"a\\\"b\\\\c\",a\"b\\c",
                "a=b;c:/d,a=b;c:/d"
            })
    void readsAStringQuotedOrBare(String line, String key) {
        assertThat(IdempotencyField.key(List.of(line))).contains(key);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                " ",
                "\"\"",
                "\"",
                "\"a",
                "a\"",
                "\"a\"b\"",
                "\"a\\n\"",
                "\"a\"; b=1",
                "a,b",
                "\"a\", \"b\"",
                "a b",
                "a\tb",
                "a\rb",
                "a\nX-Evil: 1",
                "\"a\r\nX-Evil: 1\"",
                "a\0b",
                "\"a\u007fb\"",
                "sch\u00f6n",
                "\"\ud83d\ude00\""
            })
    void refusesWhatIsNoKey(String line) {
        assertThat(IdempotencyField.key(List.of(line))).isEmpty();
    }

    @Test
    void boundsWhatIsKept() {
        String longest = "k".repeat(255);

        assertThat(IdempotencyField.key(List.of(longest))).contains(longest);
        assertThat(IdempotencyField.key(List.of('"' + "\\\\".repeat(255) + '"')))
                .contains("\\".repeat(255));
        assertThat(IdempotencyField.key(List.of(longest + "k"))).isEmpty();
        assertThat(IdempotencyField.key(List.of('"' + longest + "k\""))).isEmpty();
        assertThat(IdempotencyField.key(List.of("k".repeat(8_192)))).isEmpty();
    }

    @Test
    void refusesSeveralLines() {
        assertThat(IdempotencyField.key(List.of())).isEmpty();
        assertThat(IdempotencyField.key(List.of("a", "a"))).isEmpty();
    }
}
