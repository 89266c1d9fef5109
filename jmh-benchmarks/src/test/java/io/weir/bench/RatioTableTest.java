package io.weir.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class RatioTableTest {

    private final RatioTable table = new RatioTable(List.of("ours", "floor", "theirs", "other"), 1);

    @Test
    void dividesTheFirstColumnByTheOthers() {
        table.add(row("granted", true), Map.of("ours", cell(50), "floor", cell(25), "theirs", cell(100)));

        assertThat(table.markdown()).isEqualTo("""
                        | call    | ours         | floor               | theirs               | other |
                        |---------|--------------|---------------------|----------------------|-------|
                        | granted | 50.0 ns, 8 B | 2.00 (25.0 ns, 8 B) | 0.50 (100.0 ns, 8 B) |       |
                        """);
    }

    @Test
    void dividesEachOfTwoBasesThatAreThere() {
        RatioTable two = new RatioTable(List.of("ours", "ours exact", "theirs"), 2);
        two.add(row("both", true), Map.of("ours", cell(10), "ours exact", cell(80), "theirs", cell(100)));
        two.add(row("one", true), Map.of("ours exact", cell(30_000), "theirs", cell(60_000)));

        assertThat(two.markdown()).isEqualTo("""
                        | call | ours         | ours exact   | theirs                      |
                        |------|--------------|--------------|-----------------------------|
                        | both | 10.0 ns, 8 B | 80.0 ns, 8 B | 0.10 / 0.80 (100.0 ns, 8 B) |
                        | one  |              | 30.0 us, 8 B | 0.50 (60.0 us, 8 B)         |
                        """);
    }

    @Test
    void sumsUpTheHeadlines() {
        table.add(row("granted", true), Map.of("ours", cell(50), "theirs", cell(100)));
        table.add(row("detail", false), Map.of("ours", cell(1), "theirs", cell(3)));
        table.add(row("alone", true), Map.of("ours", cell(1)));
        table.add(row("denied", true), Map.of("ours", cell(30), "theirs", cell(40)));

        assertThat(table.ratios("ours", "theirs")).isEqualTo("ours/theirs [granted] 0.50 [denied] 0.75");
    }

    @Test
    void keepsTwoDigitsOfAFarSmallerTime() {
        table.add(row("many in flight", true), Map.of("ours", cell(3), "floor", cell(692)));

        assertThat(table.markdown()).contains("0.004 (692.0 ns, 8 B)");
    }

    @Test
    void countsTheCallsOfAllThreads() {
        assertThat(new RatioTable.Cell(1_000, 0, 32).callsPerSecond()).isEqualTo(32e6);
    }

    private static Row row(String name, boolean headline) {
        return new Row(name, headline, 1, List.of());
    }

    private static RatioTable.Cell cell(double nanos) {
        return new RatioTable.Cell(nanos, 8, 1);
    }
}
