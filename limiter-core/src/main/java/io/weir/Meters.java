package io.weir;

import io.weir.algorithm.Verdict;
import io.weir.store.LeaseCounts;
import io.weir.store.OwnerHealth;
import io.weir.store.Source;
import java.util.List;
import java.util.function.DoubleSupplier;
import java.util.function.IntSupplier;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * Where an application's limits report what they do. {@link MicrometerMeters} is the one that comes along.
 *
 * <p>Called on the thread that asks, or one of Weir's own, so that an implementation must be fast, and thread-safe. It should
 * not throw; what it throws at a decision is logged, once for each limit, and the decision stands. It is never told a key:
 * what a client can choose must not become a metric.
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

    /**
     * The meters of a limit that is a {@linkplain Limit#isShadow shadow}: what they are told as decided is what would have been. Those
     * of any other limit unless it is overridden, which mixes up what was denied with what was not.
     */
    default OfLimit ofShadow(String limit, FailurePolicy policy) {
        return of(limit, policy);
    }

    /**
     * How this node gets on with the members that own buckets, told a few times a second. Does nothing unless it is
     * overridden.
     *
     * @param owners all of them; one that is missing has left the cluster. None once the {@link Weir} is closed
     */
    default void owners(List<OwnerHealth> owners) {}

    /**
     * Where to read how a guard of this node stands (see {@link io.weir.guard}). Told once, when the guard is made; reading costs it
     * nothing. Does nothing unless it is overridden.
     *
     * @param name the guard's name
     * @param inFlight how much it has let in that is not done yet
     * @param shed how much it has turned away so far
     */
    default void guard(String name, IntSupplier inFlight, LongSupplier shed) {}

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
         * The limit has been degraded for another while: told a few times a second during an outage, and after its end.
         */
        void inFallback(long nanos);

        /**
         * A shadow was to be asked beside another limit, and was not, or did not answer: too many requests were on their way, or
         * it has a bug. Does nothing unless it is overridden.
         */
        default void missed() {}

        /** This node has had a key of the limit cool down; see {@link Limit.Builder#penalty}. Does nothing unless it is overridden. */
        default void punished() {}

        /**
         * A strike was not counted, or the cool-down that it calls for not begun: too many were on their way, the store did not answer,
         * or there was no room for another cool-down. Does nothing unless it is overridden.
         */
        default void strikeMissed() {}

        /**
         * Where to read what has become of the limit's leases. Told once, before any decision; reading costs the limit
         * nothing, and not reading neither. Does nothing unless it is overridden.
         */
        default void leases(Supplier<LeaseCounts> counts) {}

        /**
         * Where to read how much of its bucket is left to the busiest key, from 0 to 1. {@link Double#NaN} while that is
         * unknown, and always unless keys are {@linkplain Weir.Builder#watchKeys watched}. Told once, before any decision;
         * reading takes up to some hundreds of microseconds and holds up no request. Does nothing unless it is overridden.
         */
        default void headroom(DoubleSupplier left) {}
    }
}
