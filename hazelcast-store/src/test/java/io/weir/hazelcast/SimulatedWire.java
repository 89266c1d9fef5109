package io.weir.hazelcast;

import com.hazelcast.internal.serialization.Data;
import com.hazelcast.internal.serialization.InternalSerializationService;
import com.hazelcast.internal.serialization.impl.DefaultSerializationServiceBuilder;
import com.hazelcast.internal.serialization.impl.HeapData;
import io.weir.algorithm.Request;
import io.weir.algorithm.Rule;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;

/** Hazelcast's own serialization, which everything goes through that travels or is stored. */
final class SimulatedWire {

    /** Where a frame begins: after Hazelcast's header, flag, ids and the length. */
    private static final int FRAME_OFFSET = HeapData.DATA_OFFSET + 1 + 4 + 4 + 4;

    private static final InternalSerializationService SERIALIZATION = new DefaultSerializationServiceBuilder()
            .setClassLoader(SimulatedWire.class.getClassLoader())
            .build();

    private SimulatedWire() {}

    static Data written(Wire object) {
        return SERIALIZATION.toData(object);
    }

    /** A new object each time. */
    static <T extends Wire> T read(Data data, Class<T> type) {
        return type.cast(SERIALIZATION.toObject(data));
    }

    /** What an object becomes on the other side. */
    static <T extends Wire> T copy(T object, Class<T> type) {
        return read(written(object), type);
    }

    /** What a call says, read from its frame, of which later versions only add at the end. */
    record Said(UUID node, long number, Rule rule, List<BucketCall.Timed> requests) {

        static Said in(Data call) {
            byte[] bytes = call.toByteArray();
            FrameReader in = new FrameReader(Arrays.copyOfRange(bytes, FRAME_OFFSET, bytes.length));
            in.getByte();
            UUID node = in.getUuid();
            long number = in.getLong();
            Rule rule = in.getRule();
            int count = in.getShort();
            List<BucketCall.Timed> requests = new ArrayList<>(count);
            for (int i = 0; i < count; i++) {
                boolean giveBack = in.getByte() == 1;
                long permits = in.getLong();
                Request request = giveBack ? new Request.GiveBack(permits) : new Request.Take(permits);
                requests.add(new BucketCall.Timed(request, in.getLong()));
            }
            return new Said(node, number, rule, requests);
        }
    }
}
