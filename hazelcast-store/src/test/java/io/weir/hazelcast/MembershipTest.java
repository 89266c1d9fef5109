package io.weir.hazelcast;

import static org.assertj.core.api.Assertions.assertThat;

import com.hazelcast.cluster.Address;
import com.hazelcast.cluster.Member;
import java.lang.reflect.Proxy;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class MembershipTest {

    private static final UUID A = new UUID(0, 1);
    private static final UUID B = new UUID(0, 2);
    private static final UUID C = new UUID(0, 3);
    private static final UUID RESTARTED = new UUID(0, 4);

    private long now;
    private final Membership membership = new Membership(() -> now, Membership.PATIENCE);

    @Test
    void theLastOfThreeDecidesAgainOnceOneOfTheOthersIsRestarted() {
        membership.see(List.of(member(A, 1, false), member(B, 2, false), member(C, 3, false)));
        membership.see(List.of(member(C, 3, false)));
        assertThat(isMajority(C)).isFalse();

        membership.see(List.of(member(C, 3, false), member(RESTARTED, 2, false)));
        assertThat(isMajority(C, RESTARTED)).isTrue();
        assertThat(isMajority(C)).isFalse();
        assertThat(membership.members().stable()).isEqualTo(3);
    }

    @Test
    void whoComesFromElsewhereProvesNobodyDead() {
        membership.see(List.of(member(A, 1, false), member(B, 2, false), member(C, 3, false)));
        membership.see(List.of(member(C, 3, false)));
        membership.see(List.of(member(C, 3, false), member(RESTARTED, 4, false)));
        assertThat(isMajority(C, RESTARTED)).isFalse();
    }

    @Test
    void oneThatIsRestartedAsALiteMemberVotesNoMore() {
        membership.see(List.of(member(A, 1, false), member(B, 2, false), member(C, 3, false)));
        membership.see(List.of(member(A, 1, false)));
        assertThat(isMajority(A)).isFalse();
        membership.see(List.of(member(A, 1, false), member(RESTARTED, 2, true)));
        assertThat(membership.dataMembers().stable()).isEqualTo(2);
        assertThat(membership.members().stable()).isEqualTo(3);
        assertThat(isMajority(A)).as("half, with the oldest").isTrue();
    }

    @Test
    void liteMembersDoNotVote() {
        membership.see(List.of(member(A, 1, true), member(B, 2, false), member(C, 3, false)));
        assertThat(isMajority(A, C)).isFalse();
        assertThat(isMajority(B)).as("half, with the oldest that votes").isTrue();
        assertThat(membership.members().stable()).isEqualTo(3);
    }

    private boolean isMajority(UUID... some) {
        return membership.dataMembers().isMajority(Set.of(some)::contains);
    }

    private static Member member(UUID uuid, int host, boolean lite) {
        Address address;
        try {
            address = new Address(InetAddress.getByAddress(new byte[] {10, 0, 0, (byte) host}), 5701);
        } catch (UnknownHostException e) {
            throw new AssertionError(e);
        }
        return (Member) Proxy.newProxyInstance(
                MembershipTest.class.getClassLoader(),
                new Class<?>[] {Member.class},
                (proxy, method, arguments) -> switch (method.getName()) {
                    case "getUuid" -> uuid;
                    case "getAddress" -> address;
                    case "isLiteMember" -> lite;
                    default -> throw new AssertionError("not expected: " + method);
                });
    }
}
