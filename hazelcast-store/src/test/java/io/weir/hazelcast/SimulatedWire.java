package io.weir.hazelcast;

import com.hazelcast.nio.ObjectDataInput;
import com.hazelcast.nio.ObjectDataOutput;
import com.hazelcast.nio.serialization.DataSerializableFactory;
import io.weir.algorithm.Request;
import io.weir.algorithm.Rule;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** The frames in which everything travels, and is stored. */
final class SimulatedWire {

    private static final DataSerializableFactory FACTORY = new WireHook().createFactory();

    private SimulatedWire() {}

    /** The frame of an object, as Hazelcast is given it. */
    static byte[] written(Wire object) {
        byte[][] frame = new byte[1][];
        ObjectDataOutput out = (ObjectDataOutput) Proxy.newProxyInstance(
                SimulatedWire.class.getClassLoader(),
                new Class<?>[] {ObjectDataOutput.class},
                (proxy, method, arguments) -> {
                    if (method.getName().equals("write")) { // before that, the length
                        int from = (int) arguments[1];
                        frame[0] = Arrays.copyOfRange((byte[]) arguments[0], from, from + (int) arguments[2]);
                    }
                    return null;
                });
        try {
            object.writeData(out);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return frame[0];
    }

    /** A new object each time. */
    static <T extends Wire> T read(byte[] frame, int classId, Class<T> type) {
        ObjectDataInput in = (ObjectDataInput) Proxy.newProxyInstance(
                SimulatedWire.class.getClassLoader(),
                new Class<?>[] {ObjectDataInput.class},
                (proxy, method, arguments) -> {
                    if (method.getName().equals("readInt")) { // the length comes first
                        return frame.length;
                    }
                    System.arraycopy(frame, 0, arguments[0], (int) arguments[1], (int) arguments[2]);
                    return null;
                });
        T object = type.cast(FACTORY.create(classId));
        try {
            object.readData(in);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return object;
    }

    /** What an object becomes on the other side. */
    static <T extends Wire> T copy(T object, Class<T> type) {
        return read(written(object), object.getClassId(), type);
    }

    /** What a call says, read from its frame, of which later versions only add at the end. */
    record Said(
            UUID node,
            long number,
            Rule rule,
            List<BucketCall.Timed> requests,
            @Nullable LeaseReport report) {

        static Said in(byte[] frame) {
            FrameReader in = new FrameReader(ByteBuffer.wrap(frame));
            in.getByte();
            UUID node = in.getUuid();
            long number = in.getLong();
            Rule rule = in.getRule();
            int count = in.getShort();
            List<BucketCall.Timed> requests = new ArrayList<>(count);
            for (int i = 0; i < count; i++) {
                int kind = in.getByte();
                long permits = in.getLong();
                Request request = switch (kind) {
                    case 1 -> new Request.GiveBack(permits);
                    case 2 -> new Request.Charge(permits);
                    default -> new Request.Take(permits);
                };
                requests.add(new BucketCall.Timed(request, in.getLong()));
            }
            return new Said(node, number, rule, requests, in.getLeaseReport());
        }
    }
}
