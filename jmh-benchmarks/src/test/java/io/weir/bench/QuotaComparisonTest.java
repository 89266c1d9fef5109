package io.weir.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class QuotaComparisonTest {

    private final ByteArrayOutputStream printed = new ByteArrayOutputStream();
    private final PrintStream out = new PrintStream(printed, true, StandardCharsets.UTF_8);

    /** What is counted is judged on any machine. */
    @Test
    void comparesAndCounts() throws Exception {
        assertThat(QuotaComparison.run(true, out)).isZero();

        assertThat(printed())
                .contains("| 1,000 keys, one thread ", "| one key, 8 threads ")
                .containsPattern(
                        "quota: \\d+\\.\\d\\d times as many spends as hand-written SQL where it is least; 1\\.00 round"
                                + " trips a spend, by hand 4\\.00, a repeated rejection 0\\.00: not judged\n$");
    }

    @Test
    void keepsToWhatIsPromised() {
        assertThat(QuotaComparison.judge(0.9, 2, 4, 0, false, out)).isZero();
        assertThat(printed())
                .isEqualTo(
                        "quota: 0.90 times as many spends as hand-written SQL where it is least; 2.00 round trips a spend, by"
                                + " hand 4.00, a repeated rejection 0.00: kept\n");
    }

    @Test
    void fewerSpendsMoreTripsAndRejectionsThatAskMiss() {
        assertThat(QuotaComparison.judge(0.89, 2, 4, 0, false, out)).isEqualTo(1);
        assertThat(QuotaComparison.judge(2, 2.01, 4, 0, true, out)).isEqualTo(1);
        assertThat(QuotaComparison.judge(2, 1, 4, 0.01, true, out)).isEqualTo(1);
        assertThat(printed().lines()).hasSize(3).allMatch(line -> line.endsWith(": MISSED"));
    }

    private String printed() {
        return printed.toString(StandardCharsets.UTF_8);
    }
}
