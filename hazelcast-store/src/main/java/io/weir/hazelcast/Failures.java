package io.weir.hazelcast;

import com.hazelcast.nio.serialization.HazelcastSerializationException;
import com.hazelcast.splitbrainprotection.SplitBrainProtectionException;
import io.weir.store.StoreUnavailableException;
import io.weir.store.StoreUnavailableException.Reason;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import org.jspecify.annotations.Nullable;

/**
 * What to tell a waiter whose call failed.
 *
 * <p>A bug in our own code on the owner comes back as an answer ({@link CallAnswer.Outcome#FAILED}). What Hazelcast fails
 * with is therefore an outage, whatever its type: members fail calls with anything from their own exceptions to a plain
 * {@code IllegalStateException} while the cluster is passive. Its messages are kept out of ours: they describe whole
 * operations, and the key may be in them. An {@code Error} stays what it is.
 */
final class Failures {

    private Failures() {}

    /** Whether a member lacks Weir's classes, or reads other versions of them: as long as that one runs, it stays so. */
    static boolean isUnreadable(@Nullable Throwable failure) {
        return of(failure).getCause() instanceof HazelcastSerializationException;
    }

    /**
     * Translates a failure.
     *
     * @param failure what a call ended with; null if it ended with nothing at all
     */
    static Throwable of(@Nullable Throwable failure) {
        if (failure == null) {
            return new StoreUnavailableException(
                    Reason.UNREACHABLE, "Hazelcast gave up waiting for the key's lock", null);
        }
        Throwable inner = failure.getCause();
        if (inner != null && (failure instanceof CompletionException || failure instanceof ExecutionException)) {
            return of(inner);
        }
        if (failure instanceof StoreUnavailableException || failure instanceof Error) {
            return failure;
        }
        if (failure instanceof HazelcastSerializationException) {
            return new StoreUnavailableException(
                    Reason.INCOMPATIBLE,
                    "a member cannot read Weir's classes: put the same version of hazelcast-store on the class path of"
                            + " every member, with the same weir.hazelcast.factory-id if you set one",
                    failure);
        }
        if (failure instanceof SplitBrainProtectionException) {
            return new StoreUnavailableException(
                    Reason.UNREACHABLE,
                    "the owner sees no majority of the cluster's members: it is cut off from them, or they died within the"
                            + " last " + ClusterSize.HOLD.toMinutes() + " minutes",
                    failure);
        }
        return new StoreUnavailableException(
                Reason.UNREACHABLE,
                "Hazelcast failed with " + failure.getClass().getSimpleName(),
                failure);
    }
}
