package io.weir.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.FailurePolicy;
import io.weir.Limit;
import io.weir.algorithm.Bandwidth;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * A member that has never heard of Weir: the failure policy answers, one line of the log and the health say what is missing,
 * and all is exact soon after that member has been replaced.
 */
@Execution(ExecutionMode.CONCURRENT)
class MissingJarIT {

    private static final long CHECKS = 1_000;
    private static final Duration DEADLINE = Duration.ofSeconds(1);
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private static final Limit LIMIT = Limit.named("missing", FailurePolicy.DENY)
            .bandwidth(Bandwidth.of(100, 100, Duration.ofSeconds(1)))
            .deadline(DEADLINE)
            .build();

    @Test
    void aClientIsAnsweredByTheFailurePolicyAndToldWhatIsMissing() {
        try (Cluster cluster = new Cluster("plain")) {
            MemberProcess plain = cluster.add(Role.PLAIN);
            MemberProcess client = cluster.add(Role.CLIENT);
            cluster.limit(LIMIT);

            assertAnsweredByThePolicy("a client of it", client);
            assertThat(plain.log().problems()).noneMatch(MissingJarIT::isStackTrace);
            assertExactOnceReplaced(cluster, plain, client);
        }
    }

    /** Every bucket has its backup on the other one, so that neither decides alone. */
    @Test
    void aMemberBesideItIsAnsweredByTheFailurePolicyAndToldWhatIsMissing() {
        try (Cluster cluster = new Cluster("beside")) {
            MemberProcess plain = cluster.add(Role.PLAIN);
            MemberProcess member = cluster.add(Role.FULL);
            cluster.limit(LIMIT);
            cluster.awaitSafe();

            assertAnsweredByThePolicy("a member beside it", member);
            // Hazelcast's own, two for each call that comes through before the breakers open, and for each probe.
            assertThat(plain.log().problems()).hasSizeLessThan((int) CHECKS / 10);
            assertExactOnceReplaced(cluster, plain, member);
        }
    }

    private static void assertAnsweredByThePolicy(String who, MemberProcess asking) {
        History history = new History();
        long began = System.nanoTime();
        Tally tally =
                asking.run(Load.ofCalls(CHECKS, LIMIT.name(), "a", "b", "c").threads(8), history);
        Duration took = Duration.ofNanos(System.nanoTime() - began);

        System.out.printf(
                "missing jar, %s: bound 0, granted %d, excess %d, stall 0 ms; %d checks took %d ms, the slowest %d ms%n",
                who,
                history.permits(),
                history.permits(),
                tally.calls(),
                took.toMillis(),
                Duration.ofNanos(tally.slowestNanos()).toMillis());
        assertThat(tally.unanswered()).isEqualTo(CHECKS);
        assertThat(history.permits()).isZero();
        assertThat(Duration.ofNanos(tally.slowestNanos())).isLessThan(DEADLINE.multipliedBy(2));
        assertThat(asking.peek(LIMIT.name(), "a").degraded()).isTrue();
        // On a busy machine the last call may have had no answer in time, and know nothing of what is missing.
        Waits.until(
                "the health names the jar",
                PATIENCE,
                () -> asking.peek(LIMIT.name(), "a").degraded()
                        && asking.health(LIMIT.name()).matches("DEGRADED .*hazelcast-store.*"));
        // One line when the store joined, and one for each 10 s, or part of them, that checks and peeks went on.
        Duration all = Duration.ofNanos(System.nanoTime() - began);
        assertThat(linesOf(asking)).hasSizeLessThanOrEqualTo((int) all.toSeconds() / 10 + 2);
        assertThat(linesOf(asking)).anyMatch(line -> line.contains("hazelcast-store"));
        assertThat(asking.log().problems()).noneMatch(MissingJarIT::isStackTrace);
    }

    private static void assertExactOnceReplaced(Cluster cluster, MemberProcess plain, MemberProcess asking) {
        plain.leave();
        cluster.add(plain.jvm().as(Role.FULL));
        long began = System.nanoTime();
        cluster.awaitSafe();
        Waits.until("limits are exact again", PATIENCE, () -> {
            asking.run(Load.ofCalls(10, LIMIT.name(), "a", "b", "c"), new History());
            return asking.health(LIMIT.name()).startsWith("EXACT");
        });
        System.out.printf(
                "missing jar: exact %d ms after the member was replaced%n",
                Duration.ofNanos(System.nanoTime() - began).toMillis());
    }

    private static List<String> linesOf(MemberProcess process) {
        return process.log().problems().stream()
                .filter(entry -> entry.contains("io.weir"))
                .toList();
    }

    private static boolean isStackTrace(String entry) {
        return entry.contains("\tat ");
    }
}
