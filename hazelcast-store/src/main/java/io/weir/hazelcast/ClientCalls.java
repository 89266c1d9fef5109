package io.weir.hazelcast;

import com.hazelcast.client.impl.clientside.HazelcastClientInstanceImpl;
import com.hazelcast.client.impl.protocol.ClientMessage;
import com.hazelcast.client.impl.protocol.codec.MapSubmitToKeyCodec;
import com.hazelcast.client.impl.spi.impl.ClientInvocation;
import com.hazelcast.internal.serialization.Data;
import com.hazelcast.internal.serialization.SerializationService;
import com.hazelcast.internal.util.ThreadUtil;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** The way from a client. */
final class ClientCalls implements OwnerCalls {

    private final HazelcastClientInstanceImpl client;
    private final String mapName;
    private final SerializationService serialization;

    ClientCalls(HazelcastClientInstanceImpl client, String mapName) {
        this.client = client;
        this.mapName = mapName;
        this.serialization = client.getSerializationService();
    }

    @Override
    public @Nullable UUID ownerOf(String key) {
        int partition = client.getClientPartitionService().getPartitionId(OwnerCalls.wholeKey(serialization, key));
        return client.getClientPartitionService().getPartitionOwner(partition);
    }

    @Override
    public void send(String key, BucketCall call, Callback callback) {
        Data keyData = OwnerCalls.wholeKey(serialization, key);
        ClientMessage request = MapSubmitToKeyCodec.encodeRequest(
                mapName, serialization.toData(call), keyData, ThreadUtil.getThreadId());
        int partition = client.getClientPartitionService().getPartitionId(keyData);
        OwnerCalls.whenEnded(
                new ClientInvocation(client, request, mapName, partition).invoke(),
                response -> serialization.toObject(MapSubmitToKeyCodec.decodeResponse(response)),
                callback);
    }
}
