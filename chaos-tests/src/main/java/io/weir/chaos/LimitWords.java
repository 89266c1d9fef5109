package io.weir.chaos;

import io.weir.FailurePolicy;
import io.weir.Limit;
import io.weir.algorithm.Bandwidth;
import java.time.Duration;
import java.util.List;

/** A limit of one bandwidth as words: name, failure policy, deadline, capacity, refill, period, and what else it is. */
final class LimitWords {

    private static final String EXACT = "exact";
    private static final String LEASED = "leased";
    private static final String STRICT = "strict";

    private LimitWords() {}

    static String write(Limit limit) {
        Bandwidth bandwidth = limit.bandwidths().get(0);
        return String.join(
                " ",
                limit.name(),
                limit.failurePolicy().name(),
                limit.deadline().toString(),
                Long.toString(bandwidth.capacity()),
                Long.toString(bandwidth.refill()),
                bandwidth.period().toString(),
                limit.isExact() ? EXACT : LEASED,
                limit.isStrictPartitions() ? STRICT : "");
    }

    static Limit read(List<String> words) {
        Limit.Builder limit = Limit.named(words.get(0), FailurePolicy.valueOf(words.get(1)))
                .deadline(Duration.parse(words.get(2)))
                .bandwidth(Bandwidth.of(
                        Long.parseLong(words.get(3)), Long.parseLong(words.get(4)), Duration.parse(words.get(5))));
        if (words.contains(STRICT)) {
            limit.strictPartitions();
        }
        return switch (words.get(6)) {
            case EXACT -> limit.exact().build();
            case LEASED -> limit.build();
            default -> throw new IllegalArgumentException("neither exact nor leased: " + words.get(6));
        };
    }
}
