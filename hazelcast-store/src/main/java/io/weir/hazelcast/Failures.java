package io.weir.hazelcast;

import com.hazelcast.client.HazelcastClientNotActiveException;
import com.hazelcast.client.HazelcastClientOfflineException;
import com.hazelcast.core.HazelcastException;
import com.hazelcast.core.HazelcastInstanceNotActiveException;
import com.hazelcast.core.MemberLeftException;
import com.hazelcast.nio.serialization.HazelcastSerializationException;
import io.weir.store.StoreUnavailableException;
import io.weir.store.StoreUnavailableException.Reason;
import java.io.IOException;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;

/**
 * Tells outages from bugs among what Hazelcast fails with. What Hazelcast itself reports is an outage; what our code threw
 * on the owner, and Hazelcast merely passed on, is a bug and stays what it is. Hazelcast's messages are kept out of ours:
 * they describe whole operations, and the key is in them.
 */
final class Failures {

    private Failures() {}

    /**
     * What a waiter is to be failed with.
     *
     * @param failure what a call ended with; null if it ended with nothing at all
     */
    static RuntimeException of(@Nullable Throwable failure, String limit) {
        Throwable cause = failure;
        while ((cause instanceof CompletionException || cause instanceof ExecutionException)
                && !(cause instanceof MemberLeftException)
                && cause.getCause() != null) {
            cause = cause.getCause();
        }
        if (cause == null) {
            return new StoreUnavailableException(
                    Reason.UNREACHABLE, "Hazelcast gave up waiting for the key's lock", null);
        }
        if (cause instanceof StoreUnavailableException known) {
            return known;
        }
        if (cause instanceof HazelcastSerializationException) {
            return new StoreUnavailableException(
                    Reason.UNREACHABLE,
                    "a member cannot read Weir's classes: put the same version of hazelcast-store on the class path of"
                            + " every member",
                    cause);
        }
        if (isOutage(cause)) {
            return new StoreUnavailableException(
                    Reason.UNREACHABLE,
                    "Hazelcast failed with " + cause.getClass().getSimpleName(),
                    cause);
        }
        return cause instanceof RuntimeException bug
                ? bug
                : new IllegalStateException("deciding on limit " + limit + " failed", cause);
    }

    private static boolean isOutage(Throwable cause) {
        return cause instanceof HazelcastException
                || cause instanceof HazelcastInstanceNotActiveException
                || cause instanceof HazelcastClientNotActiveException
                || cause instanceof HazelcastClientOfflineException
                || cause instanceof MemberLeftException
                || cause instanceof IOException
                || cause instanceof RejectedExecutionException
                || cause instanceof CancellationException;
    }
}
