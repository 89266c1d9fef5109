package io.weir.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;

class KeyMemoryTest {

    private final ByteArrayOutputStream printed = new ByteArrayOutputStream();
    private final PrintStream out = new PrintStream(printed, true, StandardCharsets.UTF_8);

    @Test
    void keysLeaveNothingBehind() throws Exception {
        int exit = KeyMemory.run(MemoryPlan.of("--quick"), out);

        assertThat(verdict()).isEqualTo("memory: left nothing behind");
        assertThat(exit).isZero();
        assertThat(lines())
                .anyMatch(line ->
                        line.matches("local: an idle key takes \\d+ bytes, \\d+ with its string \\(5,000 keys\\)"))
                .anyMatch(
                        line -> line.matches("cluster: an entry, exact.* takes \\d+ bytes on its owner, \\d+ on its.*"))
                .anyMatch(line -> line.startsWith("flood: 0 entries on owners, 0 on backups; 0 keys remembered; "));
    }

    @Test
    void aHeapThatIsNotBackIsLeftBehind() {
        MemoryReport report = new MemoryReport(out);

        report.requireAtMost(2_000, 2_000, "bytes of one store");
        report.requireAtMost(2_000, 2_001, "bytes of another");

        assertThat(report.judge()).isEqualTo(1);
        assertThat(verdict()).isEqualTo("memory: LEFT BEHIND 2,001 bytes of another");
    }

    /** Counted by the name of a class that is not visible here: under another it would always be found gone. */
    @Test
    void whatANodeRemembersIsCountedByItsName() throws Exception {
        assertThat(Class.forName(EntryMemory.LINE)).isNotNull();
    }

    @Test
    void refusesWhatItDoesNotKnow() {
        assertThat(MemoryPlan.of("--quick", "--keys", "7").keys()).isEqualTo(7);
        assertThat(MemoryPlan.of().keys()).isEqualTo(1_000_000);
        for (String[] misused :
                List.of(new String[] {"--fast"}, new String[] {"--keys"}, new String[] {"--keys", "-1"})) {
            assertThatThrownBy(() -> MemoryPlan.of(misused))
                    .hasMessage("expected " + MemoryPlan.USAGE + " but got " + List.of(misused));
        }
    }

    private String verdict() {
        return lines().get(lines().size() - 1);
    }

    private List<String> lines() {
        return printed.toString(StandardCharsets.UTF_8).lines().toList();
    }
}
