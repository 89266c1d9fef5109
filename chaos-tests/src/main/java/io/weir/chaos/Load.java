package io.weir.chaos;

import java.time.Duration;
import java.util.List;

/**
 * Calls that one process makes, until there have been so many or until the time is up.
 *
 * @param limit what is asked
 * @param permits asked for by each call
 * @param threads how many make them, each one call after another
 * @param calls the most calls of all threads together
 * @param length the longest that it may take
 * @param pause of each thread between two of its calls
 * @param keys who asks, in turn; without spaces
 */
record Load(String limit, long permits, int threads, long calls, Duration length, Duration pause, List<String> keys) {

    private static final Duration LONGEST = Duration.ofMinutes(2);

    /** So many calls, as fast as they go. */
    static Load ofCalls(long calls, String limit, String... keys) {
        return new Load(limit, 1, 1, calls, LONGEST, Duration.ZERO, List.of(keys));
    }

    /** As many calls as go into a time. */
    static Load lasting(Duration length, String limit, String... keys) {
        return new Load(limit, 1, 1, Long.MAX_VALUE, length, Duration.ZERO, List.of(keys));
    }

    Load permits(long each) {
        return new Load(limit, each, threads, calls, length, pause, keys);
    }

    Load threads(int number) {
        return new Load(limit, permits, number, calls, length, pause, keys);
    }

    Load pause(Duration between) {
        return new Load(limit, permits, threads, calls, length, between, keys);
    }

    static Load read(List<String> words) {
        return new Load(
                words.get(0),
                Long.parseLong(words.get(1)),
                Integer.parseInt(words.get(2)),
                Long.parseLong(words.get(3)),
                Duration.parse(words.get(4)),
                Duration.parse(words.get(5)),
                List.copyOf(words.subList(6, words.size())));
    }

    String words() {
        return String.join(
                " ",
                limit,
                Long.toString(permits),
                Integer.toString(threads),
                Long.toString(calls),
                length.toString(),
                pause.toString(),
                String.join(" ", keys));
    }
}
