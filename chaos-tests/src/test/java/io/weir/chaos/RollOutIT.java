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

/** Into a cluster that runs and out of it again, one member after another, as docs/operations.md has it. */
@Execution(ExecutionMode.CONCURRENT)
class RollOutIT {

    private static final long CALLS = 1_000;

    private static final Limit LIMIT = Limit.named("first", FailurePolicy.DENY)
            .bandwidth(Bandwidth.of(1_000_000, 1, Duration.ofDays(1)))
            .deadline(Duration.ofSeconds(10))
            .build();

    /** The jar first, and then the limits; and in the end both at once, where only the last goodbyes go unheard. */
    @Test
    void isExactFromTheFirstCallAndLeavesInOrder() {
        try (Cluster cluster = new Cluster("roll-out")) {
            MemberProcess first = cluster.add(Role.PLAIN);
            MemberProcess second = cluster.add(Role.PLAIN);
            cluster.awaitSafe();

            first = replace(cluster, first, Role.FULL);
            second = replace(cluster, second, Role.FULL);
            MemberProcess client = cluster.add(Role.CLIENT);
            cluster.limit(LIMIT);
            assertExact(client);
            assertExact(first);
            assertExact(second);
            assertThat(cluster.processes())
                    .allSatisfy(each -> assertThat(complaintsOf(each)).isEmpty());

            client.end();
            first = replace(cluster, first, Role.PLAIN);
            second = replace(cluster, second, Role.PLAIN);
            assertThat(complaintsOf(first)).hasSizeLessThan(10);
            assertThat(complaintsOf(second)).isEmpty();
        }
    }

    private static void assertExact(MemberProcess asking) {
        Tally tally =
                asking.run(Load.ofCalls(CALLS, LIMIT.name(), "a", "b", "c").threads(4), new History());
        assertThat(tally.granted()).as("granted to %s", asking).isEqualTo(CALLS);
        assertThat(tally.unanswered()).as("unanswered, of %s", asking).isZero();
    }

    private static MemberProcess replace(Cluster cluster, MemberProcess member, Role role) {
        member.leave();
        MemberProcess replaced = cluster.add(member.jvm().as(role));
        cluster.awaitSafe();
        return replaced;
    }

    private static List<String> complaintsOf(MemberProcess process) {
        return process.log().problems().stream()
                .filter(entry -> entry.contains("Serialization") || entry.contains("cannot read"))
                .toList();
    }
}
