package io.weir;

import io.weir.algorithm.PackedBucket;
import io.weir.algorithm.State;
import io.weir.algorithm.Verdict;
import io.weir.store.Answer;
import io.weir.store.Buckets;
import io.weir.store.Source;
import org.jspecify.annotations.Nullable;

/**
 * What requests are asked under: makes decisions of what the store answers.
 *
 * @param limit as it was when it was asked
 * @param returns where permits can go back to; null if nothing is taken
 */
record Asked(Limit limit, @Nullable Returns returns) implements Buckets.Receiver<Decision> {

    @Override
    public Decision answered(String key, long permits, Answer answer) {
        return Decision.answered(this, key, permits, answer);
    }

    @Override
    public Decision answered(
            String key, long permits, Verdict verdict, PackedBucket packed, long word, long nowNanos, long held) {
        return Decision.packed(this, key, permits, verdict, packed, word, nowNanos, held);
    }

    @Override
    public Decision remembered(
            String key,
            long permits,
            Verdict verdict,
            Source source,
            State state,
            long nowNanos,
            long notBeforeNanos,
            long held) {
        return Decision.remembered(this, key, permits, verdict, source, state, nowNanos, notBeforeNanos, held);
    }
}
