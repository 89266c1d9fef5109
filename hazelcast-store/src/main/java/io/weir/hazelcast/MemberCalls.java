package io.weir.hazelcast;

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
    public void send(String key, BucketCall call, Callback callback) {
        OwnerCalls.whenEnded(map.executeOnKeyInternal(key, call), serialization::toObject, callback);
    }
}
