package io.weir.chaos;

import java.util.List;

/**
 * How the calls of a load were answered.
 *
 * @param calls all of them
 * @param granted by whomever
 * @param denied by the owner, now or a moment ago
 * @param unanswered by anybody who counts for the owner, and so answered by the failure policy, whichever way
 * @param slowestNanos the longest that a call took
 */
record Tally(long calls, long granted, long denied, long unanswered, long slowestNanos) {

    static Tally read(List<String> words) {
        return new Tally(
                Long.parseLong(words.get(0)),
                Long.parseLong(words.get(1)),
                Long.parseLong(words.get(2)),
                Long.parseLong(words.get(3)),
                Long.parseLong(words.get(4)));
    }

    String words() {
        return calls + " " + granted + " " + denied + " " + unanswered + " " + slowestNanos;
    }
}
