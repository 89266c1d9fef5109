package io.weir.hazelcast;

import io.weir.store.LeaseCounts;
import java.util.concurrent.atomic.LongAdder;

/** Counts what becomes of the permits that a limit's lines lease: once a call, and not for each permit. */
final class LeaseTotals {

    private final LongAdder asked = new LongAdder();
    private final LongAdder granted = new LongAdder();
    private final LongAdder spent = new LongAdder();
    private final LongAdder returned = new LongAdder();
    private final LongAdder forfeited = new LongAdder();

    void asked(long permits) {
        asked.add(permits);
    }

    void granted(long permits) {
        granted.add(permits);
    }

    void spent(long permits) {
        spent.add(permits);
    }

    void returned(long permits) {
        returned.add(permits);
    }

    void forfeited(long permits) {
        forfeited.add(permits);
    }

    LeaseCounts counts() {
        return new LeaseCounts(asked.sum(), granted.sum(), spent.sum(), returned.sum(), forfeited.sum());
    }
}
