package io.weir.hazelcast;

import io.weir.store.Store;
import io.weir.store.contract.ManualClock;
import io.weir.store.contract.StoreContract;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

/** The contract, with every node a full member. */
class MembersStoreContractTest extends StoreContract {

    private static TestCluster cluster;

    @BeforeAll
    static void start() {
        cluster = TestCluster.of(3);
    }

    @AfterAll
    static void stop() {
        cluster.close();
    }

    @Override
    protected List<Store> open(int nodes, ManualClock clock) {
        cluster.useClock(clock);
        return cluster.members().stream()
                .limit(nodes)
                .<Store>map(member -> HazelcastStore.builder(member, TestCluster.NAMESPACE)
                        .remembering(Remembering.NOTHING)
                        .join())
                .toList();
    }
}
