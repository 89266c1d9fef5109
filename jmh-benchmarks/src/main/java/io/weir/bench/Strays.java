package io.weir.bench;

import io.weir.store.Source;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Answers that do not come from where a row says that its answers come from.
 *
 * <p>What is answered from memory has to be fetched now and then. So one answer in {@value #ONE_IN} may stray, and no more,
 * or the row is not what it says. Thread-safe.
 */
final class Strays {

    private static final int ONE_IN = 100;

    private final AtomicLong strays = new AtomicLong();
    private volatile Source last = Source.LOCAL;

    /** One has come from elsewhere. */
    void add(Source source) {
        last = source;
        strays.incrementAndGet();
    }

    /**
     * Judges a number of answers.
     *
     * @throws IllegalStateException if too many of them were strays
     */
    void requireFewIn(long answers) {
        long some = strays.get();
        if (some > 1 + answers / ONE_IN) {
            throw new IllegalStateException(
                    some + " of " + answers + " answers did not come from where this row says, but from " + last);
        }
    }
}
