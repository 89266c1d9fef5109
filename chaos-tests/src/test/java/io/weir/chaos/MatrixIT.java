package io.weir.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.api.parallel.ResourceLock;

/** A slice of the matrix, short enough for every build; all of it with the profile {@code chaos}. */
@Order(1) // the longest
@Execution(ExecutionMode.CONCURRENT)
@ResourceLock(MatrixIT.MATRIX)
class MatrixIT {

    static final String MATRIX = "matrix";

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
