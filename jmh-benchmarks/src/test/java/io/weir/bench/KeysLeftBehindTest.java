package io.weir.bench;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.algorithm.Bandwidth;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** {@link KeyMemory} finds what is left. Apart from {@link KeyMemoryTest}, since both wait for most of their time. */
class KeysLeftBehindTest {

    private static final int KEYS = 2_000;

    /** In which all entries of a limit that refills in a second have expired on their owners, if not on their backups. */
    private static final Duration LIFE = Duration.ofSeconds(18);

    private static final Bandwidth FULL_IN_A_DAY = Bandwidth.of(1, 1, Duration.ofDays(1));

    private final ByteArrayOutputStream printed = new ByteArrayOutputStream();
    private final PrintStream out = new PrintStream(printed, true, StandardCharsets.UTF_8);

    @Test
    void localKeysThatAreNotFullInTimeAreLeftBehind() throws Exception {
        MemoryReport report = new MemoryReport(out);

        new LocalKeyMemory(new MemoryPlan(KEYS, FULL_IN_A_DAY, Duration.ofSeconds(5)), report).measure();

        assertThat(report.judge()).isEqualTo(1);
        assertThat(verdict()).isEqualTo("memory: LEFT BEHIND 2,000 local buckets");
    }

    @Test
    void entriesThatAreNotFullInTimeAreLeftBehind() throws Exception {
        MemoryReport report = new MemoryReport(out);
        try (LoopbackCluster cluster = LoopbackCluster.expiring()) {
            new ClusterFlood(cluster, new MemoryPlan(KEYS, FULL_IN_A_DAY, LIFE), report).measure();
        }

        assertThat(report.judge()).isEqualTo(1);
        assertThat(verdict()).startsWith("memory: LEFT BEHIND 4,000 entries on owners and backups");
    }

    private String verdict() {
        return lines().get(lines().size() - 1);
    }

    private List<String> lines() {
        return printed.toString(StandardCharsets.UTF_8).lines().toList();
    }
}
