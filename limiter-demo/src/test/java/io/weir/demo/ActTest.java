package io.weir.demo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ActTest {

    @ParameterizedTest
    @CsvSource({
        "attack, ATTACK, 500",
        "attack 20, ATTACK, 20",
        "' Kill  3 ', KILL, 3",
        "calm, CALM, 0",
        "quit now, QUIT, 0"
    })
    void understandsAWordAndANumber(String line, Act act, int number) {
        assertThat(Act.read(line)).isEqualTo(new Act.Said(act, number));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "kill     | kill needs a number from 1 to 3, such as \"kill 1\"",
                "freeze 4 | freeze needs a number from 1 to 3, such as \"freeze 1\"",
                "attack x | attack needs a number from 1 to 2000, such as \"attack 500\"",
                "fly      | there is no \"fly\": say help for what there is",
            })
    void saysWhatCouldBeSaidInstead(String line, String message) {
        assertThatIllegalArgumentException().isThrownBy(() -> Act.read(line)).withMessage(message);
    }

    @Test
    void printsNothingThatATerminalWouldObey() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Act.read("\u001b[2J"))
                .withMessage("there is no \"?[2j\": say help for what there is");
    }

    @Test
    void showsAllThereIs() {
        assertThat(Act.help().lines()).hasSize(Act.values().length).allMatch(line -> line.matches("  \\w+.*\\w.*"));
    }
}
