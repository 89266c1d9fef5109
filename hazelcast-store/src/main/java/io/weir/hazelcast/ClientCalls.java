package io.weir.hazelcast;

import com.hazelcast.client.impl.clientside.HazelcastClientInstanceImpl;
import com.hazelcast.client.impl.protocol.ClientMessage;
import com.hazelcast.client.impl.protocol.codec.MapSubmitToKeyCodec;
import com.hazelcast.client.impl.spi.impl.ClientInvocation;
import com.hazelcast.internal.serialization.Data;
import com.hazelcast.internal.serialization.SerializationService;
import com.hazelcast.internal.util.ThreadUtil;

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
    public Route to(String key) {
        Data keyData = OwnerCalls.wholeKey(serialization, key);
        int partition = client.getClientPartitionService().getPartitionId(keyData);
        return new Route(
                client.getClientPartitionService().getPartitionOwner(partition),
                partition,
                (call, callback) -> send(keyData, partition, call, callback));
    }

    private void send(Data key, int partition, BucketCall call, Callback callback) {
        ClientMessage request =
                MapSubmitToKeyCodec.encodeRequest(mapName, serialization.toData(call), key, ThreadUtil.getThreadId());
        OwnerCalls.whenEnded(
                new ClientInvocation(client, request, mapName, partition).invoke(),
                response -> serialization.toObject(MapSubmitToKeyCodec.decodeResponse(response)),
                callback);
    }
}
