package io.weir.hazelcast;

import com.hazelcast.config.InMemoryFormat;
import com.hazelcast.core.HazelcastInstance;
import io.weir.store.Store;
import io.weir.store.contract.ManualClock;
import io.weir.store.contract.StoreContract;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;

/** The contract, with a client, a lite member and a full member as nodes, and buckets kept as objects. */
@Tag("each-hazelcast")
class MixedStoreContractTest extends StoreContract {

    private static TestCluster cluster;
    private static List<HazelcastInstance> instances;

    @BeforeAll
    static void start() {
        cluster = TestCluster.of(
                2,
                config -> config.addMapConfig(
                        HazelcastStore.mapConfig(TestCluster.NAMESPACE).setInMemoryFormat(InMemoryFormat.OBJECT)));
        HazelcastInstance lite = cluster.addMember(config -> config.setLiteMember(true));
        instances = List.of(cluster.addClient(), lite, cluster.member(0));
    }

    @AfterAll
    static void stop() {
        cluster.close();
    }

    @Override
    protected List<Store> open(int nodes, ManualClock clock) {
        cluster.useClock(clock);
        return instances.stream()
                .limit(nodes)
                .<Store>map(instance -> HazelcastStore.builder(instance, TestCluster.NAMESPACE)
                        .remembering(Remembering.NOTHING)
                        .join())
                .toList();
    }
}
