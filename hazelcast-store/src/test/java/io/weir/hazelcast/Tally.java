package io.weir.hazelcast;

import io.weir.algorithm.Request;
import io.weir.algorithm.Rule;
import io.weir.algorithm.State;
import io.weir.algorithm.Transition;
import io.weir.algorithm.Verdict;
import io.weir.store.Answer;
import io.weir.store.Source;
import io.weir.store.StoreUnavailableException.Reason;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Counts what was asked and answered, beside what one central bucket would have granted to the same requests. */
final class Tally {

    private final Rule rule;
    private final Map<String, State> central = new HashMap<>();
    private final Map<Source, Long> bySource = new EnumMap<>(Source.class);
    private final Map<Reason, Long> failures = new EnumMap<>(Reason.class);
    private long asked;
    private long never;
    private long granted;
    private long centrallyGranted;

    Tally(Rule rule) {
        this.rule = rule;
    }

    void asked(String key, List<Request> requests, long nowNanos) {
        for (Request request : requests) {
            asked++;
            State before = central.get(key);
            boolean take = request instanceof Request.Take;
            Transition step = take
                    ? rule.take(before, request.permits(), nowNanos)
                    : rule.giveBack(before, request.permits(), nowNanos);
            if (step.changed()) {
                central.put(key, step.state());
            }
            if (take && step.verdict() == Verdict.GRANTED) {
                centrallyGranted += request.permits();
            }
        }
    }

    void answered(Request request, Answer answer) {
        bySource.merge(answer.source(), 1L, Long::sum);
        if (request instanceof Request.Take && answer.verdict() == Verdict.GRANTED) {
            granted += request.permits();
        }
        never += answer.verdict() == Verdict.NEVER ? 1 : 0;
    }

    void failed(Reason reason) {
        failures.merge(reason, 1L, Long::sum);
    }

    /** Requests. */
    long asked() {
        return asked;
    }

    /** Requests that were not answered although their store was open. */
    long failed() {
        long closed = failures.getOrDefault(Reason.CLOSED, 0L);
        return failures.values().stream().mapToLong(Long::longValue).sum() - closed;
    }

    long answeredBy(Source source) {
        return bySource.getOrDefault(source, 0L);
    }

    /** Requests for more than there can be. */
    long never() {
        return never;
    }

    /** Permits that callers were told of. */
    long granted() {
        return granted;
    }

    /** Permits that one bucket in one place would have granted. */
    long centrallyGranted() {
        return centrallyGranted;
    }

    /** The same, without a last request for so many permits that both granted. */
    double utilisationUntilTheLast(long permits) {
        return 100.0 * (granted - permits) / (centrallyGranted - permits);
    }

    /** The permits that were granted, of a hundred that one bucket in one place would have granted. */
    double utilisation() {
        return centrallyGranted == 0 ? 100 : 100.0 * granted / centrallyGranted;
    }

    @Override
    public String toString() {
        return asked + " asked, " + granted + " permits granted where one bucket grants " + centrallyGranted
                + ", answered by " + bySource + ", failed " + failures;
    }
}
