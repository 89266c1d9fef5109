package io.weir.chaos;

import io.weir.store.Source;
import io.weir.store.contract.Grant;
import java.util.List;

/**
 * An answer that a process got, as its caller saw it.
 *
 * @param process the number of the process
 * @param key who asked
 * @param startNanos when it was asked for
 * @param endNanos when it was answered, on the same clock
 * @param permits how many were asked for
 * @param source who answered
 * @param granted whether they were granted
 */
record Outcome(int process, String key, long startNanos, long endNanos, long permits, Source source, boolean granted) {

    private static final String GRANTED = "granted";
    private static final int WORDS = 7;

    /** Whether nobody who counts for the owner answered, and so the limit's failure policy did. */
    boolean isByPolicy() {
        return source == Source.POLICY || source == Source.SHARE;
    }

    Grant grant() {
        return new Grant(startNanos, endNanos, permits);
    }

    /** Whether all the words have come: a kill may leave half a line. */
    static boolean isComplete(List<String> words) {
        return words.size() == WORDS && !words.get(WORDS - 1).isEmpty();
    }

    static Outcome read(List<String> words) {
        return new Outcome(
                Integer.parseInt(words.get(0)),
                words.get(1).intern(), // there are many outcomes, and few keys
                Long.parseLong(words.get(2)),
                Long.parseLong(words.get(3)),
                Long.parseLong(words.get(4)),
                Source.valueOf(words.get(5)),
                words.get(6).equals(GRANTED));
    }

    String words() {
        return process + " " + key + " " + startNanos + " " + endNanos + " " + permits + " " + source + " "
                + (granted ? GRANTED : "denied");
    }
}
