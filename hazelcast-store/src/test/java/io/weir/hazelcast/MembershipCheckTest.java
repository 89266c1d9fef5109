package io.weir.hazelcast;

import static org.assertj.core.api.Assertions.assertThat;

import com.hazelcast.config.Config;
import com.hazelcast.core.HazelcastInstance;
import io.weir.store.NanoClock;
import java.time.Duration;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class MembershipCheckTest {

    @Test
    void moreThanHalfOfTheMembersConfirm() {
        try (TestCluster cluster = TestCluster.of(3)) {
            assertThat(check(cluster.member(0))).isTrue();
            cluster.crash(cluster.member(2));
            assertThat(check(cluster.member(0))).isTrue();
            assertThat(check(cluster.member(1))).isTrue();
        }
    }

    @Test
    void aMemberThatIsLeftAloneCannotConfirmItself() {
        try (TestCluster cluster = TestCluster.of(3)) {
            cluster.crash(cluster.member(1), cluster.member(2));
            assertThat(check(cluster.member(0))).isFalse();
        }
    }

    @Test
    void aMemberThatWasNeverWithOthersConfirmsItself() {
        try (TestCluster cluster = TestCluster.of(1)) {
            assertThat(check(cluster.member(0))).isTrue();
        }
    }

    /** As with the majority in a split, so that half of a cluster that is allowed to decide can also wake up. */
    @Test
    void theOlderOfTwoNeedsNobody() {
        try (TestCluster cluster = TestCluster.of(2)) {
            cluster.cut(cluster.member(0));
            assertThat(check(cluster.member(0))).isTrue();
            assertThat(check(cluster.member(1))).isFalse();
        }
    }

    /** There the younger goes on, too. */
    @Test
    void withoutProtectionTheOlderOfTwoCannotConfirmItself() {
        try (TestCluster cluster = TestCluster.of(2, config -> config.setSplitBrainProtectionConfigs(Map.of()))) {
            Membership.of(cluster.member(0)); // as a store that joins does: without protection nobody else would
            cluster.cut(cluster.member(0));
            assertThat(check(cluster.member(0))).isFalse();
        }
    }

    @Test
    void whoSaidGoodbyeIsNotMissed() {
        try (TestCluster cluster = TestCluster.of(3, MembershipCheckTest::patient)) {
            cluster.member(2).shutdown();
            cluster.member(1).shutdown();
            assertThat(check(cluster.member(0))).isTrue();
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
            MembershipCheck check = new MembershipCheck(leaving, Membership.of(leaving));
            leaving.shutdown();
            assertThat(check.getAsBoolean()).isFalse();
        }
    }

    /** For one whose goodbye is to be heard, however busy the machine is. */
    private static void patient(Config config) {
        config.getUserContext()
                .put(Membership.CONTEXT_KEY, new Membership(NanoClock.monotonic(), Duration.ofSeconds(20)));
    }

    private static boolean check(HazelcastInstance member) {
        return new MembershipCheck(member, Membership.of(member)).getAsBoolean();
    }
}
