package io.weir.hazelcast;

import com.hazelcast.cluster.Member;
import com.hazelcast.core.HazelcastInstance;
import com.hazelcast.core.IExecutorService;
import io.weir.store.NanoClock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BooleanSupplier;

/**
 * Asks the other members whether they still count this one as theirs. Confirmed by more than half of the members that
 * there were lately, itself included.
 *
 * <p>Those that it sees are not enough. A member that was removed sees the old list for a moment, and nobody on it
 * confirms; then it takes the others for dead, and itself for a cluster of one that is unanimous.
 */
final class MembershipCheck implements BooleanSupplier {

    private static final String EXECUTOR = "weir-membership";
    private static final Duration PATIENCE = Duration.ofSeconds(1);

    private final NanoClock clock = NanoClock.monotonic();

    private final HazelcastInstance member;
    private final ClusterSize clusterSize;

    /**
     * @param clusterSize the members that there were lately
     */
    MembershipCheck(HazelcastInstance member, ClusterSize clusterSize) {
        this.member = member;
        this.clusterSize = clusterSize;
    }

    /** A check that counts the members from now on. */
    static MembershipCheck counting(HazelcastInstance member) {
        ClusterSize clusterSize = new ClusterSize(
                NanoClock.monotonic(), member.getCluster().getMembers().size());
        member.getCluster().addMembershipListener(new MembershipWatch(clusterSize::changed, gone -> {}));
        return new MembershipCheck(member, clusterSize);
    }

    @Override
    public boolean getAsBoolean() {
        try {
            Set<Member> members = member.getCluster().getMembers();
            int needed = Math.max(members.size(), clusterSize.stable()) / 2 + 1;
            return isConfirmedBy(needed, members);
        } catch (RuntimeException e) {
            return false; // leaving, merging, or without a connection: the next tick asks again
        }
    }

    private boolean isConfirmedBy(int needed, Set<Member> members) {
        UUID self = member.getCluster().getLocalMember().getUuid();
        IExecutorService executor = member.getExecutorService(EXECUTOR);
        List<Future<Boolean>> answers = new ArrayList<>();
        for (Member each : members) {
            if (!each.localMember()) {
                answers.add(executor.submitToMember(new MembershipQuestion(self), each));
            }
        }
        long giveUpNanos = clock.nanoTime() + PATIENCE.toNanos(); // for all together, however many are silent
        int confirmed = 1;
        for (Future<Boolean> answer : answers) {
            if (confirmed < needed && isYes(answer, giveUpNanos - clock.nanoTime())) {
                confirmed++;
            }
        }
        return confirmed >= needed;
    }

    private static boolean isYes(Future<Boolean> answer, long patienceNanos) {
        try {
            return answer.get(Math.max(0, patienceNanos), TimeUnit.NANOSECONDS);
        } catch (TimeoutException | ExecutionException e) {
            return false; // silence and refusal are no confirmation
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }
}
