package io.weir.hazelcast;

import static org.assertj.core.api.Assertions.assertThat;

import com.hazelcast.core.HazelcastInstance;
import com.hazelcast.internal.cluster.impl.ClusterServiceImpl;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class OwnerTest {

    /** Its calls are timed by it: under an old identity nobody would ever learn its clock. */
    @Test
    void goesByTheIdentityThatItsMemberHasSinceAMerge() {
        try (TestCluster cluster = TestCluster.of(1)) {
            HazelcastInstance merging = cluster.addMember(config ->
                    config.getNetworkConfig().getJoin().getTcpIpConfig().setMembers(List.of()));
            Owner owner = Owner.of(merging);
            UUID before = owner.uuid();

            ((ClusterServiceImpl) merging.getCluster())
                    .merge(cluster.member(0).getCluster().getLocalMember().getAddress());

            assertThat(merging.getCluster().getMembers()).hasSize(2);
            assertThat(owner.uuid())
                    .isNotEqualTo(before)
                    .isEqualTo(merging.getCluster().getLocalMember().getUuid());
        }
    }
}
