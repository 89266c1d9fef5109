package io.weir.chaos;

import java.util.List;

/**
 * How long a process waited in some span.
 *
 * @param decisionNanos what all but one in a thousand of its decisions took at most; 0 if there were none
 * @param controlNanos the same of threads that park for the deadline
 */
record Waited(long decisionNanos, long controlNanos) {

    static Waited read(List<String> words) {
        return new Waited(Long.parseLong(words.get(0)), Long.parseLong(words.get(1)));
    }

    String words() {
        return decisionNanos + " " + controlNanos;
    }
}
