package io.weir;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.datasketches.frequencies.ErrorType;
import org.apache.datasketches.frequencies.ItemsSketch;

/**
 * Which keys weigh most, of any number of keys, in bounded memory: the present window and the one before. Not thread-safe.
 *
 * <p>The only class that knows the library of sketches.
 */
final class KeySketch {

    /*
     * A sketch of 1,024 slots counts 768 keys apart. When one more comes, about the median of all counts is taken off each
     * of them, and those that are used up make room (Misra and Gries). So a key that comes often stays, whatever flood of
     * others there is; what was taken off altogether bounds the error. The sketch grows from 8 slots, 14 to 18 bytes each.
     *
     * Its table probes linearly by String.hashCode, for which a client can make up as many equal keys as it likes. That
     * costs at most 768 comparisons an addition, some microseconds, of which the sampling allows 4,000 a second.
     */
    private static final int SLOTS = 1_024;

    private ItemsSketch<String> before = new ItemsSketch<>(SLOTS);
    private ItemsSketch<String> present = new ItemsSketch<>(SLOTS);

    /**
     * Counts a key.
     *
     * @param weight positive
     */
    void add(String key, long weight) {
        present.update(key, weight);
    }

    /** Begins another window, and forgets the one before the present one. */
    void rotate() {
        before = present;
        present = new ItemsSketch<>(SLOTS);
    }

    /** What a key weighs in both windows; zero if it is not known to weigh anything. */
    long weight(String key) {
        return before.getEstimate(key) + present.getEstimate(key);
    }

    /**
     * The keys that weigh most in both windows, and surely so: one that may be there only by the sketch's error is not.
     *
     * @return the heaviest first, at most {@code n}
     */
    List<Weighed> heaviest(int n) {
        ItemsSketch<String> both = new ItemsSketch<String>(SLOTS).merge(before).merge(present);
        ItemsSketch.Row<String>[] rows = both.getFrequentItems(ErrorType.NO_FALSE_POSITIVES);
        List<Weighed> heaviest = new ArrayList<>();
        Arrays.stream(rows).limit(n).forEach(row -> heaviest.add(new Weighed(row.getItem(), row.getEstimate())));
        return heaviest;
    }

    /** A key with what it weighs. */
    record Weighed(String key, long weight) {}
}
