package io.weir.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.FailurePolicy;
import io.weir.Limit;
import io.weir.algorithm.Bandwidth;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A cluster that has never heard of Weir: the failure policy answers, and one line of the log says what is missing. */
class MissingJarIT {

    private static final long CHECKS = 1_000;
    private static final Duration DEADLINE = Duration.ofSeconds(1);

    private static final Limit LIMIT = Limit.named("missing", FailurePolicy.DENY)
            .bandwidth(Bandwidth.of(100, 100, Duration.ofSeconds(1)))
            .deadline(DEADLINE)
            .build();

    @Test
    void answersByTheFailurePolicyAndNamesTheMissingArtefact() {
        try (Cluster cluster = new Cluster("plain")) {
            MemberProcess plain = cluster.add(Role.PLAIN);
            MemberProcess client = cluster.add(Role.CLIENT);
            cluster.limit(LIMIT);
            History history = new History();
            long began = System.nanoTime();
            Tally tally =
                    client.run(Load.ofCalls(CHECKS, LIMIT.name(), "a", "b", "c").threads(8), history);
            Duration took = Duration.ofNanos(System.nanoTime() - began);

            System.out.printf(
                    "missing jar: bound 0, granted %d, excess %d, stall 0 ms; %d checks took %d ms, the slowest %d ms%n",
                    history.permits(),
                    history.permits(),
                    tally.calls(),
                    took.toMillis(),
                    Duration.ofNanos(tally.slowestNanos()).toMillis());
            assertThat(tally.unanswered()).isEqualTo(CHECKS);
            assertThat(history.permits()).isZero();
            assertThat(Duration.ofNanos(tally.slowestNanos())).isLessThan(DEADLINE.multipliedBy(2));
            assertThat(client.peek(LIMIT.name(), "a").degraded()).isTrue();
            // One line when the store joined, and one for each 10 s, or part of them, that the checks went on.
            // On a busy machine some may be of a call that had no answer in time, and know nothing of what is missing.
            assertThat(linesOf(client)).hasSizeLessThanOrEqualTo((int) took.toSeconds() / 10 + 2);
            assertThat(linesOf(client)).anyMatch(line -> line.contains("hazelcast-store"));
            assertThat(client.log().problems()).noneMatch(entry -> entry.contains("\tat "));
            assertThat(plain.log().problems()).noneMatch(entry -> entry.contains("\tat "));
        }
    }

    private static List<String> linesOf(MemberProcess process) {
        return process.log().problems().stream()
                .filter(entry -> entry.contains("io.weir"))
                .toList();
    }
}
