package io.weir.store;

import io.weir.algorithm.PackedBucket;
import io.weir.algorithm.Request;
import io.weir.algorithm.Rule;
import io.weir.algorithm.State;
import io.weir.algorithm.Verdict;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * The buckets of one limit, one for each key. Thread-safe.
 *
 * <p>Each call is decided atomically against every other on the same key, by {@link Rule#take} or {@link Rule#decide}.
 * Every string is a key, and distinct strings are distinct keys, also empty, very long, and malformed ones; what is
 * stored for a key is bounded (see {@link StoredKey}). A null key is a {@link NullPointerException}, at once.
 *
 * <p>A {@code deadline} is how long the call may take, in nanoseconds, and positive. A call that is not answered by then
 * fails with a {@link StoreUnavailableException}, and work that reaches the bucket later charges nothing. Futures fail in
 * the same way, always complete, and complete on a thread where their continuations may block without harming the store.
 */
public interface Buckets {

    /** The most requests that {@link #decide} takes in one step. */
    int MAX_BATCH = 128;

    /**
     * Takes permits, or none, and waits for the answer.
     *
     * @param key who asks
     * @param permits how many; zero is a peek, and creates nothing
     * @param deadlineNanos how long the answer may take
     * @throws IllegalArgumentException if {@code permits} is negative
     * @throws StoreUnavailableException if there is no answer within the deadline
     */
    Answer take(String key, long permits, long deadlineNanos);

    /**
     * {@link #take(String, long, long)} for a caller that makes something else of the answer. A store that decides in memory
     * need not make an {@link Answer} then, and should not: it is as long on the way as the decision itself.
     *
     * <p>An optimisation of the stores of this library. Others leave the default as it is.
     *
     * @param receiver called on the calling thread, once; it must not block
     * @return what {@code receiver} returned
     */
    default <R> R take(String key, long permits, long deadlineNanos, Receiver<R> receiver) {
        return receiver.answered(key, permits, take(key, permits, deadlineNanos));
    }

    /**
     * {@link #take(String, long, long)} without waiting.
     *
     * @throws IllegalArgumentException at once, if {@code permits} is negative
     */
    CompletableFuture<Answer> takeAsync(String key, long permits, long deadlineNanos);

    /**
     * Takes permits that may have to go back, because the request they are for is also asked of others.
     *
     * <p>The default takes and gives back. A store over a network should override it, so that what was taken goes back once
     * also where a call or its answer is lost.
     *
     * @param permits more than zero
     * @throws IllegalArgumentException at once, if {@code permits} is negative
     */
    @SuppressWarnings("FutureReturnValueIgnored") // nobody waits for what goes back
    default Trial tryOut(String key, long permits, long deadlineNanos) {
        return Trial.of(
                takeAsync(key, permits, deadlineNanos),
                granted -> decide(key, List.of(new Request.GiveBack(permits)), deadlineNanos));
    }

    /**
     * Takes permits out of what is there, or out of what refills within a time: {@link Answer#usableAtNanos} says from when on
     * they may be used. On trial, since who waits may give up.
     *
     * <p>The default reserves nothing ahead: it takes, or is denied. So does a store that does, of a limit whose algorithm
     * does {@linkplain io.weir.algorithm.Algorithm#reserves not reserve}.
     *
     * @param permits more than zero
     * @param longestWaitNanos how far off they may be at most, zero or more
     * @param deadlineNanos how long the answer may take, as ever: it does not wait for the permits
     */
    default Trial reserve(String key, long permits, long longestWaitNanos, long deadlineNanos) {
        return tryOut(key, permits, deadlineNanos);
    }

    /**
     * The denial of a request that this store remembers, and that still holds.
     *
     * @return from memory, without asking anybody, and at once; empty if there is none: then nothing is known
     */
    default Optional<Answer> knownDenial(String key, long permits) {
        return Optional.empty();
    }

    /**
     * Decides several requests on one key in one step and in their order: a later one sees what the earlier ones left.
     * Each is granted or denied for itself. This is also the way to give permits back, and to charge
     * what was granted while the owner was away.
     *
     * @param requests 1 to {@value #MAX_BATCH}
     * @return the answers in the order of the requests, each with the bucket as it is after the last of them
     * @throws IllegalArgumentException at once, if there are no requests or too many
     */
    CompletableFuture<List<Answer>> decide(String key, List<Request> requests, long deadlineNanos);

    /**
     * Pushes a changed rule: from now on this node asks under it. A stored balance is carried over in proportion when
     * its key is next asked for, and whatever this store remembers on behalf of the old rule ends.
     *
     * @param rule the new numbers; ignored if its version is older than the present one's
     */
    void change(Rule rule);

    /**
     * Has one key counted by a rule of its own from now on, instead of by its limit's. As with {@link #change}: its balance is carried
     * over in proportion when it is next asked for, and whatever this store remembers of it on behalf of another rule ends.
     *
     * @param storedKey the key as {@link StoredKey#wellFormed} has it
     * @param rule its version is that of the limit's rule or above, so that nodes that have not heard of it do not fight with it; ignored if its
     *     version is older than that of the key's present one. Null if the key is to be counted by its limit's rule, in whatever version
     *     its bucket knows
     * @throws UnsupportedOperationException from a store that counts all keys of a limit by one rule, as this default does
     */
    default void override(String storedKey, @Nullable Rule rule) {
        if (rule != null) {
            throw new UnsupportedOperationException("this store counts all keys of a limit by one rule");
        }
    }

    /**
     * How many permits this node holds of a key's bucket, taken ahead of demand.
     *
     * @return from memory; zero of a store that takes none ahead
     */
    default long held(String key) {
        return 0;
    }

    /**
     * What this node last heard of a key's bucket, for whoever has to go on without its owner.
     *
     * @param key who would ask
     * @return from memory, without asking anybody or waiting; empty if nothing was heard, or it is forgotten
     */
    default Optional<LastKnown> lastKnown(String key) {
        return Optional.empty();
    }

    /** What has become of leases so far; {@link LeaseCounts#NONE} if this store has none. */
    default LeaseCounts leases() {
        return LeaseCounts.NONE;
    }

    /**
     * For stores: checks the size of a batch.
     *
     * @throws IllegalArgumentException if there are no requests, or more than {@value #MAX_BATCH}
     */
    static void requireBatch(List<Request> requests) {
        if (requests.isEmpty() || requests.size() > MAX_BATCH) {
            throw new IllegalArgumentException(
                    "a batch holds 1 to " + MAX_BATCH + " requests but was given " + requests.size());
        }
    }

    /**
     * Makes of an answer what a caller needs. Thread-safe.
     *
     * @param <R> what that is
     */
    interface Receiver<R> {

        /** Of an answer to {@code key}'s request for {@code permits}. */
        R answered(String key, long permits, Answer answer);

        /**
         * Of an answer that was not made an object: by a bucket of this JVM that is kept in one {@code long}.
         *
         * <p>An optimisation of the stores of this library. By others, which leave the default of
         * {@link Buckets#take(String, long, long, Receiver)} as it is, this is never called.
         *
         * @param packed what {@code word} means
         * @param word the bucket after the decision
         * @param nowNanos the instant that {@code word} is told as of
         * @param held as in {@link Answer#held()}; while permits are out, the bucket counts as {@link Answer#stale()}
         */
        default R answered(
                String key, long permits, Verdict verdict, PackedBucket packed, long word, long nowNanos, long held) {
            return answered(key, permits, Answer.packed(verdict, packed, word, nowNanos, held));
        }

        /**
         * Of an answer that was not made an object: one that a node gives from memory, on behalf of an owner that it does not
         * ask. Its balance is {@link Answer#stale()}.
         *
         * <p>An optimisation, as the one above.
         *
         * @param state the bucket as its owner last told
         * @param nowNanos the instant of the decision, as well as the node knows it, on the owner's clock
         * @param notBeforeNanos as in {@link Answer#notBeforeNanos()}
         * @param held as in {@link Answer#held()}
         */
        default R remembered(
                String key,
                long permits,
                Verdict verdict,
                Source source,
                State state,
                long nowNanos,
                long notBeforeNanos,
                long held) {
            return answered(
                    key,
                    permits,
                    Answer.of(verdict, state, nowNanos, source)
                            .remembered()
                            .notBefore(notBeforeNanos)
                            .holding(held));
        }
    }
}
