package io.weir.demo;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What the command line says to what it cannot do: one line, and exit code 2. */
class DemoTest {

    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final ByteArrayOutputStream err = new ByteArrayOutputStream();

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "--rate=19            | --rate must be 20 to 500 but is 19",
                "--rate=501           | --rate must be 20 to 500 but is 501",
                "--rate=many          | Invalid value for option '--rate': 'many' is not an int (--help shows all options)",
                "--capacity=1         | --capacity must be 20 to 500 but is 1",
                "--http-port=65534    | --http-port must be 1 to 65533 but is 65534",
                "--hazelcast-port=0   | --hazelcast-port must be 1 to 65135 but is 0",
                "--seconds=5          | --seconds needs --once",
                "--once --seconds=2   | --seconds must be 3 to 3600 but is 2",
                "--twice              | Unknown option: '--twice' (--help shows all options)",
            })
    void refusesInOneLine(String arguments, String message) {
        assertThat(run(arguments.split(" "))).isEqualTo(2);
        assertThat(err.toString(StandardCharsets.UTF_8)).isEqualToNormalizingNewlines("demo: " + message + "\n");
        assertThat(out.toString(StandardCharsets.UTF_8)).isEmpty();
    }

    @Test
    void helpsWithoutStarting() {
        assertThat(run("--help")).isZero();
        assertThat(out.toString(StandardCharsets.UTF_8)).contains("--once", "--rate", "--http-port", "Exit codes:");
    }

    private int run(String... arguments) {
        return Demo.run(
                new PrintStream(out, true, StandardCharsets.UTF_8),
                new PrintStream(err, true, StandardCharsets.UTF_8),
                arguments);
    }
}
