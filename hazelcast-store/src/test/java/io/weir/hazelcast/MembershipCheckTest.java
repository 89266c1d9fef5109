package io.weir.hazelcast;

import static org.assertj.core.api.Assertions.assertThat;

import com.hazelcast.core.HazelcastInstance;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class MembershipCheckTest {

    @Test
    void aMemberThatTheOthersSeeIsConfirmed() {
        try (TestCluster cluster = TestCluster.of(3)) {
            for (HazelcastInstance member : cluster.members()) {
                assertThat(new MembershipCheck(member).getAsBoolean()).isTrue();
            }
        }
    }

    @Test
    void aMemberAloneHasNobodyToAsk() {
        try (TestCluster cluster = TestCluster.of(1)) {
            assertThat(new MembershipCheck(cluster.member(0)).getAsBoolean()).isTrue();
        }
    }

    @Test
    void aMemberThatTheOthersDoNotSeeIsNot() {
        try (TestCluster cluster = TestCluster.of(2)) {
            MembershipQuestion stranger = new MembershipQuestion(UUID.randomUUID());
            stranger.setHazelcastInstance(cluster.member(0));
            assertThat(stranger.call()).isFalse();
        }
    }

    @Test
    void aMemberThatHasLeftIsNot() {
        try (TestCluster cluster = TestCluster.of(2)) {
            HazelcastInstance leaving = cluster.member(1);
            MembershipCheck check = new MembershipCheck(leaving);
            leaving.shutdown();
            assertThat(check.getAsBoolean()).isFalse();
        }
    }
}
