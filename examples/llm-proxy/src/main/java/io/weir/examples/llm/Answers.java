package io.weir.examples.llm;

import io.weir.quota.IdempotencyKey;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The last answers that were given completely, for clients that ask again under their {@code Idempotency-Key}. Of this node: several of them would
 * share a table. Thread-safe.
 */
final class Answers {

    private static final int MOST = 1_000;

    /** @param prompt what was asked: under the same key, another prompt is another request */
    record Answer(String prompt, List<String> tokens) {

        /** Copies the tokens. */
        Answer {
            tokens = List.copyOf(tokens);
        }
    }

    private final Map<IdempotencyKey, Answer> answers = new LinkedHashMap<>() {
        private static final long serialVersionUID = 1;

        @Override
        protected boolean removeEldestEntry(Map.Entry<IdempotencyKey, Answer> eldest) {
            return size() > MOST;
        }
    };

    synchronized void put(IdempotencyKey key, Answer answer) {
        answers.put(key, answer);
    }

    synchronized Optional<Answer> get(IdempotencyKey key) {
        return Optional.ofNullable(answers.get(key));
    }
}
