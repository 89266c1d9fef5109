package io.weir;

import java.security.SecureRandom;
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
     * Making room takes some ten microseconds, on the thread of who adds; merging two full windows some two hundred.
     *
     * Its table probes linearly by hashCode. For that of a string a client can make up as many equal keys as it likes, with
     * which both would take fifty times as long; so keys are hashed here.
     */
    private static final int SLOTS = 1_024;

    private ItemsSketch<Hashed> before = new ItemsSketch<>(SLOTS);
    private ItemsSketch<Hashed> present = new ItemsSketch<>(SLOTS);

    /**
     * Counts a key.
     *
     * @param weight positive
     */
    void add(String key, long weight) {
        present.update(Hashed.of(key), weight);
    }

    /** Begins another window, and forgets the one before the present one. */
    void rotate() {
        before = present;
        present = new ItemsSketch<>(SLOTS);
    }

    /** What a key weighs in both windows; zero if it is not known to weigh anything. */
    long weight(String key) {
        Hashed hashed = Hashed.of(key);
        return before.getEstimate(hashed) + present.getEstimate(hashed);
    }

    /**
     * The keys that weigh most in both windows, and surely so: one that may be there only by the sketch's error is not.
     *
     * @return the heaviest first, at most {@code n}
     */
    List<Weighed> heaviest(int n) {
        ItemsSketch<Hashed> both = new ItemsSketch<Hashed>(SLOTS).merge(before).merge(present);
        ItemsSketch.Row<Hashed>[] rows = both.getFrequentItems(ErrorType.NO_FALSE_POSITIVES);
        List<Weighed> heaviest = new ArrayList<>();
        Arrays.stream(rows)
                .limit(n)
                .forEach(row -> heaviest.add(new Weighed(row.getItem().key(), row.getEstimate())));
        return heaviest;
    }

    /** A key, with a hash that only this process knows. */
    record Hashed(String key, int hash) {

        private static final long PRIME = (1L << 31) - 1;

        /** Below a half of the prime, so that nothing overflows. */
        private static final long POINT = new SecureRandom().nextLong(1 << 16, 1 << 30);

        /**
         * The polynomial with the key's characters for coefficients, at the secret point and modulo the prime: two keys meet at
         * no more points than they have characters.
         */
        static Hashed of(String key) {
            long hash = key.length();
            for (int i = 0; i < key.length(); i++) {
                long next = hash * POINT + key.charAt(i);
                hash = (next & PRIME) + (next >>> 31); // as much, modulo the prime
            }
            return new Hashed(key, (int) (hash % PRIME));
        }

        @Override
        public int hashCode() {
            return hash;
        }
    }

    /** A key with what it weighs. */
    record Weighed(String key, long weight) {}
}
