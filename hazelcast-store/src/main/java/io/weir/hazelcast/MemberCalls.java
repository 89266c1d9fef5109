package io.weir.hazelcast;

import com.hazelcast.internal.partition.InternalPartitionService;
import com.hazelcast.internal.partition.PartitionReplica;
import com.hazelcast.internal.serialization.Data;
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
    public Route to(String key) {
        Data keyData = OwnerCalls.wholeKey(serialization, key);
        InternalPartitionService partitions =
                (InternalPartitionService) map.getNodeEngine().getPartitionService();
        int partition = partitions.getPartitionId(keyData);
        PartitionReplica owner = partitions.getPartition(partition, false).getOwnerReplicaOrNull();
        return new MemberRoute(keyData, partition, owner == null ? null : owner.uuid());
    }

    private final class MemberRoute implements Route {
        private final Data key;
        private final int partition;
        private final @Nullable UUID owner;

        private MemberRoute(Data key, int partition, @Nullable UUID owner) {
            this.key = key;
            this.partition = partition;
            this.owner = owner;
        }

        @Override
        public @Nullable UUID owner() {
            return owner;
        }

        @Override
        public int partition() {
            return partition;
        }

        @Override
        public void send(BucketCall call, Callback callback) {
            OwnerCalls.whenEnded(map.executeOnKeyInternal(key, call), serialization::toObject, callback);
        }
    }
}
