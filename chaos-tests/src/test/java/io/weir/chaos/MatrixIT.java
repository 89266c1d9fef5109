package io.weir.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** A slice of the matrix, short enough for every build. */
class MatrixIT {

    @Test
    void everyCellIsWithinItsBounds() throws IOException {
        assertThat(Chaos.run(Matrix.slice(), Rig.available(), Path.of("target", "chaos", "slice.html")))
                .isZero();
    }
}
