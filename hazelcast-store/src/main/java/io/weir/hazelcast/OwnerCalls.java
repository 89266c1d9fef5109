package io.weir.hazelcast;

import com.hazelcast.client.impl.clientside.HazelcastClientProxy;
import com.hazelcast.core.HazelcastInstance;
import com.hazelcast.internal.serialization.Data;
import com.hazelcast.internal.serialization.InternalSerializationService;
import com.hazelcast.internal.serialization.SerializationService;
import com.hazelcast.map.IMap;
import com.hazelcast.map.impl.proxy.MapProxyImpl;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * The way of a call to the owner of its key: one operation, no waiting, and no thread started for it.
 *
 * <p>Both ways go below {@code IMap.submitToKey}, whose future hands every result to Hazelcast's default executor even if
 * nobody listens there; on one or two processors that executor starts a thread for each. See
 * {@code docs/adr/0002-the-way-to-the-owner.md} for figures and for what else was tried.
 */
interface OwnerCalls {

    /**
     * The way to the owner of a key, as far as this instance knows. For one call: owners change.
     *
     * @param key the stored key
     */
    Route to(String key);

    /**
     * The way to one owner. It has the key in the form in which it travels, which is worth working out only once.
     *
     * @param owner the member that owns the key; null if no owner is known
     * @param partition the key's
     * @param sender sends calls on this key
     */
    record Route(@Nullable UUID owner, int partition, Sender sender) {

        /** As {@link Sender#send}. */
        void send(BucketCall call, Callback callback) {
            sender.send(call, callback);
        }
    }

    /** Sends calls on one key. */
    @FunctionalInterface
    interface Sender {
        /**
         * Sends a call.
         *
         * @param callback told once, on a thread of Hazelcast's, which may be a partition thread: it must not block, not
         *     throw, and not call Hazelcast
         * @throws RuntimeException if Hazelcast refuses to send
         */
        void send(BucketCall call, Callback callback);
    }

    /** Is told how a call ended. */
    @FunctionalInterface
    interface Callback {
        /** Exactly one of the two is given, except that Hazelcast may answer nothing at all: then neither is. */
        void ended(@Nullable CallAnswer answer, @Nullable Throwable failure);
    }

    /** The way from an instance to the owners of a map's keys. */
    static OwnerCalls from(HazelcastInstance instance, String mapName) {
        if (instance instanceof HazelcastClientProxy client) {
            return new ClientCalls(client.client, mapName);
        }
        IMap<String, StoredBucket> map = instance.getMap(mapName);
        return new MemberCalls((MapProxyImpl<String, StoredBucket>) map);
    }

    /**
     * A key on the wire. The whole of it chooses the partition, whatever partitioning strategy the map, the members or the
     * client are configured with: members and clients must agree on the owner, and {@code user@example.com} is not a key
     * {@code user} of group {@code example.com}.
     */
    static Data wholeKey(SerializationService serialization, String key) {
        return ((InternalSerializationService) serialization).toData(key, any -> null);
    }

    /** Waits for nothing: passes on what a future of Hazelcast's ends with, on the thread that ends it. */
    static <T> void whenEnded(CompletableFuture<T> future, Decoder<T> decoder, Callback callback) {
        var unused = future.whenCompleteAsync( // the callback does not throw, and nobody waits for its end
                (result, failure) -> {
                    CallAnswer answer = null;
                    Throwable problem = failure;
                    if (failure == null && result != null) {
                        try {
                            answer = decoder.decode(result);
                        } catch (Throwable e) { // whoever waits is told, whatever it is
                            problem = e;
                        }
                    }
                    callback.ended(answer, problem);
                },
                Runnable::run);
    }

    /** Reads an answer from what Hazelcast delivers. */
    @FunctionalInterface
    interface Decoder<T> {
        @Nullable
        CallAnswer decode(T result);
    }
}
