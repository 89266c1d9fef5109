package io.weir.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PeerComparisonTest {

    @TempDir
    private Path files;

    @Test
    void writesTablesAndAPicture() throws Exception {
        Path markdown = files.resolve("peers.md");
        Path svg = files.resolve("peers.svg");
        ByteArrayOutputStream printed = new ByteArrayOutputStream();

        PeerComparison.run(
                ComparisonOptions.of("--quick", "--markdown", markdown.toString(), "--svg", svg.toString()),
                new PrintStream(printed, true, StandardCharsets.UTF_8));

        assertThat(Files.readString(markdown))
                .contains("| call ")
                .contains(LocalRows.COLUMNS)
                .contains(ClusterRows.COLUMNS);
        assertThat(Files.readString(svg)).contains("<svg", ">Weir exact<", ">bucket4j batching<", ">1 thread<");
        assertThat(printed.toString(StandardCharsets.UTF_8))
                .contains("compare: Weir/floor [local, one key, granted] ")
                .contains("compare: Weir exact/bucket4j [cluster, one key, granted] ");
    }

    @Test
    void refusesWhatItDoesNotKnow() {
        assertThatThrownBy(() -> ComparisonOptions.of("--quick", "--fast"))
                .hasMessage("expected " + ComparisonOptions.USAGE + " but got [--quick, --fast]");
        assertThatThrownBy(() -> ComparisonOptions.of("--svg")).isInstanceOf(IllegalArgumentException.class);
    }
}
