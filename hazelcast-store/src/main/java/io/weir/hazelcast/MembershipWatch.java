package io.weir.hazelcast;

import com.hazelcast.cluster.MembershipEvent;
import com.hazelcast.cluster.MembershipListener;
import org.jspecify.annotations.Nullable;

/** Listens to members come and go, on behalf of all in a store that want to know. */
final class MembershipWatch implements MembershipListener {

    private final OwnerClocks ownerClocks;
    private final @Nullable ClusterSize clusterSize;

    MembershipWatch(OwnerClocks ownerClocks, @Nullable ClusterSize clusterSize) {
        this.ownerClocks = ownerClocks;
        this.clusterSize = clusterSize;
    }

    @Override
    public void memberAdded(MembershipEvent event) {
        if (clusterSize != null) {
            clusterSize.changed(event.getMembers().size());
        }
    }

    @Override
    public void memberRemoved(MembershipEvent event) {
        ownerClocks.forget(event.getMember().getUuid());
        if (clusterSize != null) {
            clusterSize.changed(event.getMembers().size());
        }
    }
}
