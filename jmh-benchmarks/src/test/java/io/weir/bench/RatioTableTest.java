package io.weir.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class RatioTableTest {

    private final RatioTable table = new RatioTable(List.of("ours", "floor", "theirs", "other"));

    @Test
    void dividesTheFirstColumnByTheOthers() {
        table.add("granted", true, List.of(cell(50), cell(25), cell(100)));

        assertThat(table.markdown()).isEqualTo("""
                        | call    | ours         | floor               | theirs               | other |
                        |---------|--------------|---------------------|----------------------|-------|
                        | granted | 50.0 ns, 8 B | 2.00 (25.0 ns, 8 B) | 0.50 (100.0 ns, 8 B) |       |
                        """);
    }

    @Test
    void sumsUpTheHeadlines() {
        table.add("granted", true, List.of(cell(50), cell(25), cell(100)));
        table.add("detail", false, List.of(cell(1), cell(2), cell(3)));
        table.add("denied", true, List.of(cell(30), cell(30), cell(40)));

        assertThat(table.summary())
                .isEqualTo(
                        "compare: ours/floor [granted] 2.00 [denied] 1.00; ours/theirs [granted] 0.50 [denied] 0.75");
    }

    @Test
    void keepsTwoDigitsOfAFarSmallerTime() {
        table.add("many in flight", true, List.of(cell(3), cell(692)));

        assertThat(table.markdown()).contains("0.004 (692.0 ns, 8 B)");
    }

    private static RatioTable.Cell cell(double time) {
        return new RatioTable.Cell(time, "ns", 8);
    }
}
