package io.weir.hazelcast;

import static org.assertj.core.api.Assertions.assertThat;

import com.hazelcast.core.HazelcastInstance;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class MembershipCheckTest {

    @Test
    void moreThanHalfOfTheMembersConfirm() {
        try (TestCluster cluster = TestCluster.of(2)) {
            assertThat(check(cluster, 2)).isTrue();
            assertThat(check(cluster, 3)).isTrue();
        }
    }

    @Test
    void aMemberThatIsLeftAloneCannotConfirmItself() {
        try (TestCluster cluster = TestCluster.of(1)) {
            assertThat(check(cluster, 1)).as("there never was another one").isTrue();
            assertThat(check(cluster, 2)).isFalse();
            assertThat(check(cluster, 3)).isFalse();
        }
    }

    @Test
    void remembersThoseThatHaveLeft() {
        try (TestCluster cluster = TestCluster.of(1)) {
            MembershipCheck check = MembershipCheck.counting(cluster.member(0));
            cluster.addMember(config -> {});
            assertThat(check.getAsBoolean()).isTrue();

            cluster.member(1).getLifecycleService().terminate();
            assertThat(check.getAsBoolean()).isFalse();
        }
    }

    @Test
    void aMemberThatTheOthersDoNotSeeIsNotConfirmedByThem() {
        try (TestCluster cluster = TestCluster.of(1)) {
            MembershipQuestion stranger = new MembershipQuestion(UUID.randomUUID());
            stranger.setHazelcastInstance(cluster.member(0));
            assertThat(stranger.call()).isFalse();
        }
    }

    @Test
    void aMemberThatHasLeftIsNotConfirmed() {
        try (TestCluster cluster = TestCluster.of(2)) {
            HazelcastInstance leaving = cluster.member(1);
            MembershipCheck check = MembershipCheck.counting(leaving);
            leaving.shutdown();
            assertThat(check.getAsBoolean()).isFalse();
        }
    }

    private static boolean check(TestCluster cluster, int lately) {
        return new MembershipCheck(cluster.member(0), new ClusterSize(() -> 0, lately)).getAsBoolean();
    }
}
