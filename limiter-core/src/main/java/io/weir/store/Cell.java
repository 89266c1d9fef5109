package io.weir.store;

import io.weir.algorithm.Request;
import io.weir.algorithm.State;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The place of one key's bucket in a {@link LocalBuckets}. Thread-safe.
 *
 * <p>A cell that has been retired holds nothing any more and never will; its bucket, if there still is one, is in another
 * cell. So whoever changes a cell by compare-and-set either changes the bucket or is told that it is not here.
 */
abstract sealed class Cell permits StateCell, PackedCell {

    /**
     * Decides several requests in one step.
     *
     * @param numbers what is in force
     * @return null if the bucket is not here any more, or has to be decided and kept elsewhere
     */
    abstract @Nullable List<Answer> decide(LocalBuckets.Numbers numbers, List<Request> requests, NanoClock clock);

    /**
     * Ends this cell.
     *
     * @return the bucket that was here, null if it had ended before
     */
    abstract @Nullable State retire(NanoClock clock);

    /** Ends this cell if its bucket says no more than no bucket. Whether it has ended, now or before. */
    abstract boolean retireIfFull(NanoClock clock);
}
