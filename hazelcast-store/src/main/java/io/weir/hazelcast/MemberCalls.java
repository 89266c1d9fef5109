package io.weir.hazelcast;

import com.hazelcast.internal.partition.InternalPartitionService;
import com.hazelcast.internal.partition.PartitionReplica;
import com.hazelcast.internal.serialization.Data;
import com.hazelcast.internal.serialization.SerializationService;
import com.hazelcast.map.impl.proxy.MapProxyImpl;

/** The way from a member, full or lite. */
final class MemberCalls implements OwnerCalls {

    private final MapProxyImpl<String, StoredBucket> map;
    private final SerializationService serialization;

    MemberCalls(MapProxyImpl<String, StoredBucket> map) {
        this.map = map;
        this.serialization = map.getNodeEngine().getSerializationService();
    }

    @Override
    public Route to(String key) {
        Data keyData = OwnerCalls.wholeKey(serialization, key);
        InternalPartitionService partitions =
                (InternalPartitionService) map.getNodeEngine().getPartitionService();
        int partition = partitions.getPartitionId(keyData);
        PartitionReplica owner = partitions.getPartition(partition, false).getOwnerReplicaOrNull();
        return new Route(
                owner == null ? null : owner.uuid(),
                partition,
                (call, callback) -> OwnerCalls.whenEnded(
                        map.executeOnKeyInternal(keyData, call), serialization::toObject, callback));
    }
}
