package io.weir.bench;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.bench.RatioTable.Cell;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

class HttpComparisonTest {

    private static final Map<String, Latency> LATENCIES = Map.of(
            HttpRows.NONE,
            new Latency(1_000, 1, 2),
            "Weir, granted",
            new Latency(900, 1, 2),
            "bucket4j, granted",
            new Latency(500, 1, 2));

    private final ByteArrayOutputStream printed = new ByteArrayOutputStream();
    private final PrintStream out = new PrintStream(printed, true, StandardCharsets.UTF_8);

    /** Rows check by themselves that each request is answered as they say, and from where; what is left is not of noise. */
    @Test
    void comparesAllFilters() throws Exception {
        assertThat(HttpComparison.run(true, out)).isZero();

        assertThat(printed())
                .contains("| granted |", "| denied |", "| bucket4j, granted |", "no limiter")
                .containsPattern("http: in process a grant adds \\d\\.\\d{3} of what bucket4j's adds.*: not judged\n$")
                .doesNotContain("NaN", "Infinity", "| 0/s");
    }

    @Test
    void keepsToWhatIsPromised() {
        assertThat(judge(taking(1_199), taking(1_199))).isZero();
        assertThat(printed())
                .isEqualTo(
                        "http: in process a grant adds 0.200 of what bucket4j's adds, a denial 1.00 of a grant; over HTTP"
                                + " 90 % of the requests without a limiter, bucket4j 50 %: kept\n");
    }

    @Test
    void aGrantThatAddsMoreThanAFifthOfThePeersBestMisses() {
        assertThat(judge(taking(1_201), taking(500))).isEqualTo(1);
        assertThat(printed()).endsWith(": MISSED\n");
    }

    @Test
    void aDenialThatAddsMoreThanAGrantMisses() {
        assertThat(judge(taking(500), taking(501))).isEqualTo(1);
        assertThat(printed()).endsWith(": MISSED\n");
    }

    private int judge(Cell granted, Cell denied) {
        Map<String, Cell> cells = new HashMap<>();
        cells.put(HttpRows.NONE, new Cell(200, 100, 1));
        cells.put("Weir, granted", granted);
        cells.put("Weir, denied", denied);
        cells.put("bucket4j, granted", new Cell(50_200, 1_100, 1));
        cells.put("bucket4j, own key, granted", new Cell(5_200, 1_100, 1));
        return HttpComparison.judge(new FilterCosts(cells), LATENCIES, false, out);
    }

    private static Cell taking(double nanos) {
        return new Cell(nanos, 1_000, 1);
    }

    private String printed() {
        return printed.toString(StandardCharsets.UTF_8);
    }
}
