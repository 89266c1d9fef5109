package io.weir.hazelcast;

import com.hazelcast.cluster.Member;
import com.hazelcast.core.HazelcastException;
import com.hazelcast.core.HazelcastInstance;
import com.hazelcast.core.IExecutorService;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BooleanSupplier;

/**
 * Asks the other members whether they still count this one as theirs. Confirmed by more than half of the members that
 * this one sees, itself included: a member that was removed sees the old list, and nobody on it confirms.
 */
final class MembershipCheck implements BooleanSupplier {

    private static final String EXECUTOR = "weir-membership";
    private static final long PATIENCE_SECONDS = 1;

    private final HazelcastInstance member;

    MembershipCheck(HazelcastInstance member) {
        this.member = member;
    }

    @Override
    public boolean getAsBoolean() {
        try {
            Set<Member> members = member.getCluster().getMembers();
            return confirmations(members) > members.size() / 2;
        } catch (HazelcastException | IllegalStateException | RejectedExecutionException e) {
            return false; // leaving, merging, or without a connection: the next tick asks again
        }
    }

    private int confirmations(Set<Member> members) {
        UUID self = member.getCluster().getLocalMember().getUuid();
        IExecutorService executor = member.getExecutorService(EXECUTOR);
        List<Future<Boolean>> answers = new ArrayList<>();
        for (Member each : members) {
            if (!each.localMember()) {
                answers.add(executor.submitToMember(new MembershipQuestion(self), each));
            }
        }
        int confirmed = 1;
        for (Future<Boolean> answer : answers) {
            if (isYes(answer)) {
                confirmed++;
            }
        }
        return confirmed;
    }

    private static boolean isYes(Future<Boolean> answer) {
        try {
            return answer.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
        } catch (TimeoutException | ExecutionException e) {
            return false; // silence and refusal are no confirmation
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }
}
