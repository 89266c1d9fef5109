package io.weir.hazelcast;

import com.hazelcast.internal.partition.InternalPartitionService;
import com.hazelcast.internal.partition.PartitionReplica;
import com.hazelcast.internal.serialization.SerializationService;
import com.hazelcast.map.impl.proxy.MapProxyImpl;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** The way from a member, full or lite. */
final class MemberCalls implements OwnerCalls {

    private final MapProxyImpl<String, StoredBucket> map;
    private final SerializationService serialization;

    MemberCalls(MapProxyImpl<String, StoredBucket> map) {
        this.map = map;
        this.serialization = map.getNodeEngine().getSerializationService();
    }

    @Override
    public @Nullable UUID ownerOf(String key) {
        InternalPartitionService partitions =
                (InternalPartitionService) map.getNodeEngine().getPartitionService();
        int partition = partitions.getPartitionId(OwnerCalls.wholeKey(serialization, key));
        PartitionReplica owner = partitions.getPartition(partition, false).getOwnerReplicaOrNull();
        return owner == null ? null : owner.uuid();
    }

    @Override
    public void send(String key, BucketCall call, Callback callback) {
        OwnerCalls.whenEnded(
                map.executeOnKeyInternal(OwnerCalls.wholeKey(serialization, key), call),
                serialization::toObject,
                callback);
    }
}
