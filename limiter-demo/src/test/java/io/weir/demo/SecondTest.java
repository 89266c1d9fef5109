package io.weir.demo;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class SecondTest {

    @Test
    void addsMembersUp() {
        Second second = new Second(7, List.of(new Counts(30, 20, 0, 0), new Counts(40, 10, 0, 0), Counts.NONE), 70);

        assertThat(second).hasToString("    7 s   asked 100/s   granted 70/s (30 + 40 + 0)   limit 70/s");
    }

    @Test
    void speaksOfTroubleOnlyWhereThereIsSome() {
        Second second = new Second(12, List.of(new Counts(9, 0, 2, 0), new Counts(1, 0, 0, 3), Counts.NONE), 10);

        assertThat(second)
                .hasToString(
                        "   12 s   asked 15/s   granted 10/s (9 + 1 + 0)   limit 10/s   unavailable 2/s   failed 3/s");
    }
}
