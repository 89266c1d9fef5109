package io.weir.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class MatrixTest {

    @Test
    void hasNoTwoCellsOfOneName() {
        assertThat(cells(Matrix.full())).doesNotHaveDuplicates();
    }

    @Test
    void quickAndSliceArePartsOfTheFaultsThatThereAre() {
        List<String> all = Faults.all().stream().map(Fault::name).toList();
        assertThat(all).containsAll(Matrix.QUICK).containsAll(Matrix.SLICE);
        assertThat(Matrix.QUICK).containsAll(Matrix.SLICE);
    }

    @Test
    void findsRunsByWordsOfTheirCells() {
        assertThat(Matrix.only("PAUSED master", Matrix.full()))
                .extracting(Play::name)
                .containsExactly("master paused");
        assertThat(Matrix.only("", Matrix.full())).hasSameSizeAs(Matrix.full());
    }

    @Test
    void everyPolicyIsThereWithAndWithoutLeases() {
        assertThat(Workload.all())
                .contains(Workload.few().toArray(Workload[]::new))
                .doesNotHaveDuplicates();
        assertThat(Workload.all()).extracting(Workload::policy).contains(io.weir.FailurePolicy.values());
    }

    private static List<String> cells(List<Play> plays) {
        return plays.stream().flatMap(play -> play.cells().stream()).toList();
    }
}
