package io.weir.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.FailurePolicy;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.api.parallel.ResourceAccessMode;
import org.junit.jupiter.api.parallel.ResourceLock;

/**
 * The cells of the matrix find something: each of them fails when the mechanism that it is there for is taken out. Two at a
 * time, which is no more than waiting, and not beside the whole matrix.
 */
@Execution(ExecutionMode.CONCURRENT)
@ResourceLock(value = MatrixIT.MATRIX, mode = ResourceAccessMode.READ)
class RemovedMechanismIT {

    private static final List<Workload> WORKLOADS = List.of(new Workload(true, FailurePolicy.DENY, false));

    /** Without the protection, too, which would soon find such a member to be alone. */
    @Test
    void aMemberThatSleptExceedsItsRow(@TempDir Path awake, @TempDir Path alone) {
        List<String> classPath = new ArrayList<>(Removed.SLEEPING_OWNER.compiledTo(awake));
        classPath.addAll(Removed.PROTECTION.compiledTo(alone));
        assertMisses("EXCEEDS", new Scene(Faults.named("owner paused, wakes up cut off"), WORKLOADS, classPath));
    }

    @Test
    void bothSidesOfASplitExceedTheirRow(@TempDir Path classes) {
        List<String> classPath = Removed.PROTECTION.compiledTo(classes);
        assertMisses("EXCEEDS", new Scene(Faults.named("master cut off with resets"), WORKLOADS, classPath));
    }

    @Test
    void whatTheSmallerSideOfASplitGrantedIsLost(@TempDir Path classes) {
        assertMisses("LOST", new SplitHealed(Removed.MERGE_POLICY.compiledTo(classes)));
    }

    @Test
    void aCallThatIsRunTwiceIsChargedTwice(@TempDir Path classes) {
        assertMisses("CHARGED TWICE", new OwnersKilled(1, true, Removed.CALL_NUMBERS.compiledTo(classes)));
    }

    private static void assertMisses(String miss, Play play) {
        List<Judged> judged = play.run(Rig.available());
        judged.forEach(each -> System.out.println("as it should be: " + each));
        assertThat(judged).allSatisfy(each -> assertThat(each.misses()).anyMatch(found -> found.startsWith(miss)));
    }
}
