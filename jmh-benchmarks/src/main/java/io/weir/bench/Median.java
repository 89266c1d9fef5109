package io.weir.bench;

import java.util.Arrays;

/** The value in the middle. */
final class Median {

    private Median() {}

    /** Of two in the middle, what lies between them. */
    static double of(double... values) {
        double[] sorted = values.clone();
        Arrays.sort(sorted);
        int middle = sorted.length / 2;
        return sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
    }
}
