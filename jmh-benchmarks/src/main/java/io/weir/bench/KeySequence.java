package io.weir.bench;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.SplittableRandom;

/**
 * The keys that callers ask for, in their order, drawn before measuring so that no row pays for the dice. Every run draws
 * the same.
 */
final class KeySequence {

    private static final long SEED = 42;

    /** A power of two, and so long that the caches do not learn it by heart. */
    private static final int DRAWS = 1 << 20;

    private final String[] draws;

    private KeySequence(String[] draws) {
        this.draws = draws;
    }

    /** Every key as likely as any other. */
    static KeySequence uniform(List<String> keys) {
        SplittableRandom random = new SplittableRandom(SEED);
        String[] draws = new String[DRAWS];
        Arrays.setAll(draws, i -> keys.get(random.nextInt(keys.size())));
        return new KeySequence(draws);
    }

    /** The key of rank {@code r} is drawn {@code 1/r} times as often as the first. Ranks do not follow the list's order. */
    static KeySequence zipf(List<String> keys) {
        List<String> byRank = new ArrayList<>(keys);
        Collections.shuffle(byRank, new Random(SEED));
        double[] upTo = new double[byRank.size()];
        double sum = 0;
        for (int i = 0; i < upTo.length; i++) {
            sum += 1.0 / (i + 1);
            upTo[i] = sum;
        }
        double total = sum;
        SplittableRandom random = new SplittableRandom(SEED);
        String[] draws = new String[DRAWS];
        Arrays.setAll(draws, i -> {
            int found = Arrays.binarySearch(upTo, random.nextDouble(total));
            return byRank.get(found < 0 ? -found - 1 : found);
        });
        return new KeySequence(draws);
    }

    /** The key at a position, which may be any int: the sequence goes round. */
    String at(int position) {
        return draws[position & (draws.length - 1)];
    }
}
