package io.weir.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

/** A slice of the matrix, short enough for every build; all of it with the profile {@code chaos}. */
@Isolated("measures, and wants the machine for itself")
class MatrixIT {

    private static final boolean FULL = "full".equals(System.getProperty("weir.chaos.matrix"));

    @Test
    void everyCellIsWithinItsBounds() throws IOException {
        assertThat(Chaos.run(
                        FULL ? Matrix.full() : Matrix.slice(),
                        Rig.available(),
                        Path.of("target", "chaos", "report.html")))
                .isZero();
    }
}
