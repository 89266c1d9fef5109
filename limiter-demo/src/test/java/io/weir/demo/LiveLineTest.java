package io.weir.demo;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class LiveLineTest {

    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();

    @Test
    void replacesItselfOnATerminal() {
        show(true);
        assertThat(bytes.toString(StandardCharsets.UTF_8))
                .isEqualToNormalizingNewlines("\rlonger text\rshort      \rlast \n");
    }

    @Test
    void isALineForEachTextElsewhere() {
        show(false);
        assertThat(bytes.toString(StandardCharsets.UTF_8)).isEqualToNormalizingNewlines("longer text\nshort\nlast\n");
    }

    private void show(boolean terminal) {
        try (LiveLine line = new LiveLine(new PrintStream(bytes, true, StandardCharsets.UTF_8), terminal)) {
            line.show("longer text");
            line.show("short");
            line.show("last");
        }
    }
}
