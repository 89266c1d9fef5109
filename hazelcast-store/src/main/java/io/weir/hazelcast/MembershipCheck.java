package io.weir.hazelcast;

import com.hazelcast.core.HazelcastInstance;
import java.time.Duration;
import java.util.UUID;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;

/**
 * Asks the other members whether they still count this one as theirs. Confirmed by a majority of the data members that
 * there were lately, itself included.
 *
 * <p>Those that it sees are not enough. A member that was removed sees the old list for a moment, and nobody on it
 * confirms; then it takes the others for dead, and itself for a cluster of one that is unanimous.
 */
final class MembershipCheck implements BooleanSupplier {

    private static final Duration PATIENCE = Duration.ofSeconds(1);

    private final HazelcastInstance member;
    private final Membership membership;

    /**
     * @param membership the members that there were lately
     */
    MembershipCheck(HazelcastInstance member, Membership membership) {
        this.member = member;
        this.membership = membership;
    }

    @Override
    public boolean getAsBoolean() {
        try {
            membership.refresh();
            UUID self = member.getCluster().getLocalMember().getUuid();
            Poll poll = Poll.of(member, each -> !each.isLiteMember(), new MembershipQuestion(self));
            return poll.await(
                    PATIENCE, yes -> isMajority(yes.size() + 1, each -> each.equals(self) || yes.contains(each)));
        } catch (RuntimeException e) {
            return false; // leaving, merging, or without a connection: the next tick asks again
        }
    }

    /** Half of the members, with the oldest, are enough only where the other half knows that they are, and has stopped. */
    private boolean isMajority(int count, Predicate<UUID> confirming) {
        ClusterSize size = membership.dataMembers();
        return size.isMajority(confirming) && (membership.isGuarded() || 2 * count > size.stable());
    }
}
