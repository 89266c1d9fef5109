package io.weir.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.FailurePolicy;
import io.weir.Limit;
import io.weir.algorithm.Bandwidth;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * Nodes of the next version beside nodes of this one: a version that writes one field more into whatever travels or is stored.
 * A member goes to that version and back again, and no permit is lost or granted twice.
 */
@Execution(ExecutionMode.CONCURRENT)
class UpgradeIT {

    /** Enough of them that each member owns some, and backs up others. */
    private static final String[] KEYS = {"a", "b", "c", "d", "e", "f", "g", "h"};

    private static final long CALLS = 800;
    private static final long CAPACITY = 1_000_000;

    private static final Limit BALANCE = Limit.named("balance", FailurePolicy.DENY)
            .bandwidth(Bandwidth.of(CAPACITY, 1, Duration.ofDays(1)))
            .deadline(Duration.ofSeconds(10))
            .exact() // what is leased is missing from the balance
            .build();

    private static final Limit LEASED = Limit.named("leased", FailurePolicy.DENY)
            .bandwidth(Bandwidth.of(CAPACITY, 1, Duration.ofDays(1)))
            .deadline(Duration.ofSeconds(10))
            .build();

    private static final Altered NEXT_VERSION = new Altered(
            "Wire",
            "frame.putByte(VERSION);\n        write(frame);",
            "frame.putByte((byte) (VERSION + 1));\n        write(frame);\n        frame.putLong(42);");

    private long spent;

    @Test
    void oneMemberToTheNextVersionAndBack(@TempDir Path classes) {
        List<String> next = NEXT_VERSION.compiledTo(classes);
        try (Cluster cluster = new Cluster("upgrade")) {
            cluster.limit(BALANCE);
            cluster.limit(LEASED);
            MemberProcess first = cluster.add(Role.FULL);
            MemberProcess second = cluster.add(Role.FULL);
            MemberProcess client = cluster.add(Role.CLIENT);
            cluster.awaitSafe();
            assertExact(client, first, second);

            first = replace(cluster, first, next);
            assertExact(client, first, second);
            first = replace(cluster, first, List.of());
            assertExact(client, first, second);
            assertThat(cluster.processes())
                    .allSatisfy(each -> assertThat(each.log().problems())
                            .noneMatch(entry -> entry.contains("Serialization") || entry.contains("cannot read")));
        }
    }

    private static MemberProcess replace(Cluster cluster, MemberProcess old, List<String> classes) {
        old.leave();
        MemberProcess replaced = cluster.add(old.jvm().withFirstOnClassPath(classes));
        cluster.awaitSafe();
        return replaced;
    }

    /** Each asks, by leases too, and each knows what all have spent. */
    private void assertExact(MemberProcess... asking) {
        for (MemberProcess each : asking) {
            Tally tally = each.run(Load.ofCalls(CALLS, BALANCE.name(), KEYS).threads(4), new History());
            assertThat(tally.granted()).as("granted to %s", each).isEqualTo(CALLS);
            spent += CALLS;
            Tally leased = each.run(Load.ofCalls(CALLS, LEASED.name(), KEYS).threads(4), new History());
            assertThat(leased.granted()).as("granted to %s, by leases", each).isEqualTo(CALLS);
        }
        for (MemberProcess each : asking) {
            long remaining = Stream.of(KEYS)
                    .mapToLong(key -> each.peek(BALANCE.name(), key).remaining().orElseThrow())
                    .sum();
            assertThat(remaining).as("as %s knows it", each).isEqualTo(KEYS.length * CAPACITY - spent);
        }
    }
}
