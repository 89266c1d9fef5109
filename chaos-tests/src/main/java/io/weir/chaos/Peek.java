package io.weir.chaos;

import io.weir.Decision;
import io.weir.store.Source;
import java.util.List;
import java.util.OptionalLong;

/**
 * What a process knows of a key.
 *
 * @param source who answered
 * @param degraded whether the limit's failure policy has been answering lately
 * @param remaining the balance, where somebody knows it
 */
record Peek(Source source, boolean degraded, OptionalLong remaining) {

    static Peek of(Decision decision, boolean degraded) {
        return new Peek(decision.source(), degraded, decision.remaining());
    }

    static Peek read(List<String> words) {
        return new Peek(
                Source.valueOf(words.get(0)),
                Boolean.parseBoolean(words.get(1)),
                words.size() == 2 ? OptionalLong.empty() : OptionalLong.of(Long.parseLong(words.get(2))));
    }

    String words() {
        return source + " " + degraded + (remaining.isEmpty() ? "" : " " + remaining.getAsLong());
    }
}
