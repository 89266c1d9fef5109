package io.weir.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.FailurePolicy;
import io.weir.Limit;
import io.weir.algorithm.Bandwidth;
import io.weir.store.Source;
import io.weir.store.contract.HistoryChecker;
import io.weir.store.contract.HistoryVerdict;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * A member that slept is no owner until the others say so.
 *
 * <p>It is not the master that sleeps: without a master the others take longer to agree on another one than it takes them
 * to suspect each other, so that the cluster falls apart. That is a split and another row.
 */
@Execution(ExecutionMode.CONCURRENT)
class SleepingOwnerIT {

    private static final Duration PATIENCE = Duration.ofSeconds(60);

    /** Longer than a member may be away without being doubted, and far shorter than until it is removed. */
    private static final Duration SHORT_PAUSE = Duration.ofSeconds(4);

    /** How long a member may be away without being doubted: the {@code w} of the row "owner paused, removed, woken". */
    private static final Duration UNTIL_IT_KNOWS = Duration.ofSeconds(2);

    private static final int MOST_TRIES = 3;

    private static final Bandwidth BANDWIDTH = Bandwidth.of(200, 400, Duration.ofSeconds(1));
    private static final Limit LIMIT = Limit.named("slept", FailurePolicy.DENY)
            .bandwidth(BANDWIDTH)
            .deadline(Duration.ofMillis(250))
            .build();

    /** It also finds heartbeats of the master that are as old as its pause is long, and must not take their time. */
    @Test
    void decidesAgainOnceTheOthersConfirmIt() {
        History history = new History();
        try (Cluster cluster = new Cluster("slept-briefly").with("hazelcast.heartbeat.interval.seconds", "4")) {
            MemberProcess owner = startThreeMembers(cluster);
            UUID identity = owner.identity();
            String key = cluster.keyOwnedBy(owner, LIMIT.name());
            List<CompletableFuture<Tally>> loads = beginLoads(cluster, key, Duration.ofSeconds(7), history);
            Waits.pause(Duration.ofSeconds(1));
            owner.pause();
            Waits.pause(SHORT_PAUSE);
            owner.resume();
            Waits.until("the owner decides", PATIENCE, () -> source(owner, key) == Source.CLUSTER);
            loads.forEach(MemberProcess::await);

            judge("owner paused for a moment", HistoryChecker.of(BANDWIDTH), history);
            assertThat(owner.identity()).isEqualTo(identity);
            assertThat(owner.log().entries()).anyMatch(entry -> entry.contains("Membership confirmed"));
        }
    }

    @Test
    void decidesNothingUntilItHasRejoinedTheClusterThatRemovedIt() {
        int tries = 1;
        while (!isRemovedAndRejoins(new History())) {
            System.out.println(
                    "owner paused, removed, woken: the others fell apart as well, which is another row; again");
            assertThat(tries++).as("tries in which the others stayed together").isLessThan(MOST_TRIES);
        }
    }

    /** Whether the others stayed together. If not, each of them grants, as in any split. */
    private static boolean isRemovedAndRejoins(History history) {
        try (Cluster cluster = new Cluster("slept-long").withTunedHeartbeats(Duration.ofSeconds(10))) {
            MemberProcess owner = startThreeMembers(cluster);
            List<MemberProcess> others =
                    cluster.alive().stream().filter(each -> each != owner).toList();
            UUID identity = owner.identity();
            String key = cluster.keyOwnedBy(owner, LIMIT.name());
            List<CompletableFuture<Tally>> loads = beginLoads(cluster, key, Duration.ofSeconds(20), history);
            Waits.pause(Duration.ofSeconds(1));
            owner.pause();
            Waits.until(
                    "the others remove it",
                    PATIENCE,
                    () -> fellApart(others) || others.stream().allMatch(each -> each.members() == 2));
            long grantedSoFar = history.permits();
            Waits.until(
                    "the others go on without it",
                    PATIENCE,
                    () -> fellApart(others) || history.permits() > grantedSoFar);
            owner.resume();
            Waits.until("it has rejoined", PATIENCE, () -> {
                Source source = source(owner, key);
                boolean rejoined = !owner.identity().equals(identity);
                assertThat(rejoined || source == Source.POLICY)
                        .as("answered by %s before it rejoined", source)
                        .isTrue();
                return rejoined || fellApart(others);
            });
            if (!fellApart(others)) {
                Waits.until("it asks the new owner", PATIENCE, () -> source(owner, key) == Source.CLUSTER);
            }
            loads.forEach(MemberProcess::await);
            if (fellApart(others)) {
                return false;
            }
            judge(
                    "owner paused, removed, woken",
                    HistoryChecker.of(BANDWIDTH)
                            .plusPermits(BANDWIDTH.capacity())
                            .plusRefillOf(UNTIL_IT_KNOWS),
                    history);
            return true;
        }
    }

    /** On a busy machine the others may take each other for dead while they remove the one. */
    private static boolean fellApart(List<MemberProcess> others) {
        return others.stream()
                .flatMap(each -> each.log().entries().stream())
                .anyMatch(entry -> entry.contains("Starting mastership claim process"));
    }

    /** The one that will sleep. */
    private static MemberProcess startThreeMembers(Cluster cluster) {
        cluster.limit(LIMIT);
        cluster.add(Role.FULL);
        cluster.add(Role.FULL);
        MemberProcess sleeper = cluster.add(Role.FULL);
        cluster.awaitSafe();
        return sleeper;
    }

    private static List<CompletableFuture<Tally>> beginLoads(
            Cluster cluster, String key, Duration length, History history) {
        Load load = Load.lasting(length, LIMIT.name(), key).threads(4).pause(Duration.ofMillis(2));
        return cluster.alive().stream().map(each -> each.begin(load, history)).toList();
    }

    private static void judge(String name, HistoryChecker bound, History history) {
        HistoryVerdict verdict = history.judge(name, bound);
        assertThat(verdict.withinBound()).as(verdict.toString()).isTrue();
    }

    private static Source source(MemberProcess process, String key) {
        return process.peek(LIMIT.name(), key).source();
    }
}
