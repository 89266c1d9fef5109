package io.weir.bench;

import io.weir.FailurePolicy;
import io.weir.Limit;
import io.weir.algorithm.Bandwidth;
import java.time.Duration;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;

/**
 * What is asked for, to see what stays in memory.
 *
 * @param keys how many distinct keys, once each
 * @param bandwidth when a key that was asked for once is full again
 * @param patience how long a key may stay once it has had its time
 */
record MemoryPlan(int keys, Bandwidth bandwidth, Duration patience) {

    static final String USAGE = "[--keys N] [--quick]";

    private static final int MANY_KEYS = 1_000_000;
    private static final int FEW_KEYS = 5_000;
    private static final Bandwidth FULL_IN_A_SECOND = Bandwidth.of(10, 10, Duration.ofSeconds(1));
    private static final Duration PATIENCE = Duration.ofMinutes(2);

    /** A call that its store does not answer for so long says nothing; a call is remembered for longer than this. */
    private static final Duration DEADLINE = Duration.ofSeconds(2);

    MemoryPlan {
        if (keys < 1) {
            throw new IllegalArgumentException("keys must be at least 1 but is " + keys);
        }
    }

    static MemoryPlan of(String... args) {
        List<String> given = Arrays.asList(args);
        int keys = given.contains("--quick") ? FEW_KEYS : MANY_KEYS;
        Iterator<String> words = given.iterator();
        while (words.hasNext()) {
            switch (words.next()) {
                case "--quick" -> {}
                case "--keys" -> keys = number(words, given);
                default -> throw misused(given);
            }
        }
        return new MemoryPlan(keys, FULL_IN_A_SECOND, PATIENCE);
    }

    private static int number(Iterator<String> words, List<String> given) {
        String word = words.hasNext() ? words.next() : "";
        if (!word.matches("\\d{1,9}")) {
            throw misused(given);
        }
        return Integer.parseInt(word);
    }

    private static IllegalArgumentException misused(List<String> given) {
        return new IllegalArgumentException("expected " + USAGE + " but got " + given);
    }

    /** The limit that every key is asked for by. */
    Limit limit(String name) {
        return Limit.named(name, FailurePolicy.DENY)
                .bandwidth(bandwidth)
                .deadline(DEADLINE)
                .build();
    }
}
