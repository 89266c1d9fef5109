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
 * Clients of the oldest Hazelcast that Weir runs on with members of the newest, and the other way round: applications and a
 * cluster that are upgraded apart. Members of two versions form no cluster in open source.
 */
@Execution(ExecutionMode.CONCURRENT)
class OldestHazelcastIT {

    private static final List<String> NEWEST = List.of();
    private static final List<String> OLDEST = List.of(System.getProperty("weir.chaos.oldestHazelcast", ""));

    private static final long CALLS = 1_000;

    private static final Limit LIMIT = Limit.named("versions", FailurePolicy.DENY)
            .bandwidth(Bandwidth.of(1_000_000, 1, Duration.ofDays(1)))
            .deadline(Duration.ofSeconds(10))
            .build();

    @Test
    void anOldClientAsksNewMembers() {
        assertExact("old-client", NEWEST, OLDEST);
    }

    @Test
    void aNewClientAsksOldMembers() {
        assertExact("old-member", OLDEST, NEWEST);
    }

    private static void assertExact(String name, List<String> members, List<String> clients) {
        assertThat(OLDEST).as("weir.chaos.oldestHazelcast, a jar").allMatch(each -> each.endsWith(".jar"));
        try (Cluster cluster = new Cluster(name)) {
            cluster.limit(LIMIT);
            MemberProcess member = cluster.add(cluster.next(Role.FULL).withFirstOnClassPath(members));
            MemberProcess client = cluster.add(cluster.next(Role.CLIENT).withFirstOnClassPath(clients));
            assertThat(isOldest(member)).isEqualTo(members.equals(OLDEST));
            assertThat(isOldest(client)).isEqualTo(clients.equals(OLDEST));
            for (MemberProcess each : List.of(client, member)) {
                Tally tally =
                        each.run(Load.ofCalls(CALLS, LIMIT.name(), "a", "b").threads(4), new History());
                assertThat(tally.granted()).as("granted to %s", each).isEqualTo(CALLS);
                assertThat(tally.unanswered()).as("unanswered, of %s", each).isZero();
            }
        }
    }

    /** As Hazelcast has it near the beginning of each entry. */
    private static boolean isOldest(MemberProcess process) {
        String jar = OLDEST.get(0);
        String version = jar.substring(jar.lastIndexOf('-') + 1, jar.lastIndexOf('.'));
        return process.log().entries().stream().anyMatch(entry -> entry.contains("[" + version + "]"));
    }
}
