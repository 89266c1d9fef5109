package io.weir;

import io.weir.algorithm.Verdict;
import io.weir.store.LeaseCounts;
import io.weir.store.Source;
import java.util.function.Supplier;

/**
 * Where an application's limits report what they do. {@link MicrometerMeters} is the one that comes along.
 *
 * <p>Called on the thread that asks, so that an implementation must be fast, thread-safe, and never throw. It is never
 * told a key: what a client can choose must not become a metric.
 */
@FunctionalInterface
public interface Meters {

    /**
     * The meters of one limit.
     *
     * @param limit the limit's name
     * @param policy what answers while its store cannot be reached
     */
    OfLimit of(String limit, FailurePolicy policy);

    /** The meters of one limit. */
    interface OfLimit {

        /** A request was decided. Peeks are not counted. */
        void decided(Verdict verdict, Source source);

        /**
         * The store was asked, and the call left this JVM's memory. Not told of what is decided here: by a local store, a
         * lease, or a denial that is remembered.
         *
         * @param answered whether it answered, rather than the failure policy
         * @param nanos how long that took
         */
        void storeAsked(boolean answered, long nanos);

        /**
         * The failure policy has been answering for another while: the time between one failure and the next of the same
         * outage.
         */
        void inFallback(long nanos);

        /**
         * Where to read what has become of the limit's leases. Told once, before any decision; reading costs the limit
         * nothing, and not reading neither. Does nothing unless it is overridden.
         */
        default void leases(Supplier<LeaseCounts> counts) {}
    }
}
