package io.weir.store.contract;

import io.weir.algorithm.Rule;
import io.weir.algorithm.Verdict;

/**
 * What the bucket of one key must answer: the same requests as {@link Rule} takes, decided in numbers of any size and in another way.
 * Not thread-safe.
 */
interface Oracle {

    /** An untouched bucket of a rule's kind. Whoever asks it later does so under rules of that kind. */
    static Oracle full(Rule rule, long nowNanos) {
        return switch (rule.algorithm().kind()) {
            case TOKEN_BUCKET -> ExactBucket.full(rule, nowNanos);
            case LEAKY_BUCKET -> ExactQueue.idle(rule, nowNanos);
            case SLIDING_WINDOW, SLIDING_LOG, FIXED_WINDOW -> ExactWindow.full(rule, nowNanos);
        };
    }

    /**
     * Decides one request.
     *
     * @param rule what the caller asks under; one older than the bucket's own does not count
     * @param permits zero (a peek, which stores nothing) or more
     */
    Verdict take(Rule rule, long permits, long nowNanos);

    /** Puts back permits, more than zero, up to capacity; that is always granted. */
    Verdict giveBack(Rule rule, long permits, long nowNanos);

    /** Charges permits, more than zero, down to nothing; that is always granted. */
    Verdict charge(Rule rule, long permits, long nowNanos);

    /** The rule in force at the last call. */
    Rule rule();

    /** The instant that the last call was decided at. */
    long atNanos();

    /** The whole permits that a bandwidth held after the last call; negative while it is in debt. */
    long remaining(int bandwidth);

    /**
     * The first instant, counted from the last call, at which a bandwidth alone could grant {@code permits}.
     *
     * @return {@link Long#MAX_VALUE} if that is beyond what a {@code long} of nanoseconds holds, be it the instant or the
     *     wait until then
     */
    long readyAtNanos(int bandwidth, long permits);

    /** Whether {@link #readyAtNanos} is this very instant: it may be quicker to look than to search. */
    default boolean isReadyFirstAt(int bandwidth, long permits, long instantNanos) {
        return readyAtNanos(bandwidth, permits) == instantNanos;
    }
}
