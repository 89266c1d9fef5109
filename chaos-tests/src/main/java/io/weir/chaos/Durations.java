package io.weir.chaos;

import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;

/** How long things took, of the last {@value #KEPT} of them. Thread-safe. */
final class Durations {

    static final int KEPT = 1 << 18;

    private final long[] starts = new long[KEPT];
    private final long[] lengths = new long[KEPT];
    private final AtomicLong number = new AtomicLong();

    void add(long startNanos, long endNanos) {
        int at = (int) (number.getAndIncrement() % KEPT);
        starts[at] = startNanos;
        lengths[at] = endNanos - startNanos;
    }

    /** What all but one in a thousand of those that began in a span did not exceed, in nanoseconds; 0 if there were none. */
    long perMille999(long fromNanos, long toNanos) {
        int kept = (int) Math.min(KEPT, number.get());
        long[] found = IntStream.range(0, kept)
                .filter(i -> starts[i] - fromNanos >= 0 && toNanos - starts[i] >= 0)
                .mapToLong(i -> lengths[i])
                .sorted()
                .toArray();
        return found.length == 0 ? 0 : found[(int) Math.ceil(found.length * 0.999) - 1];
    }
}
