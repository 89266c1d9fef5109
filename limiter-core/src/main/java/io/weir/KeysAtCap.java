package io.weir;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;

/**
 * Which keys of one limit are denied again and again, for at least a while: each is news when it begins to count as that, and
 * when it has ended. Not thread-safe.
 *
 * <p>Bounded: of the keys that do not count yet only those that were denied last are remembered. Those that do are kept
 * apart, so that no flood of others can end what has not ended; while there are as many as there may be, others wait.
 */
final class KeysAtCap {

    /** How many keys are remembered that may become news. */
    static final int MOST_CANDIDATES = 1_024;

    /** How many keys are at their cap at once. */
    static final int MOST_AT_CAP = 256;

    private final String limit;
    private final long lastingNanos;
    private final Map<String, Span> candidates = new Recent<>(MOST_CANDIDATES);
    private final Map<String, Span> atCap = new HashMap<>();

    /** What ended while nobody was looking. */
    private final List<KeyAtCap> ended = new ArrayList<>();

    /** @param lastingNanos for how long a key has to be denied */
    KeysAtCap(String limit, long lastingNanos) {
        this.limit = limit;
        this.lastingNanos = lastingNanos;
    }

    /** A key was denied by its bucket, at an instant that is not before the last one. */
    void denied(String key, long permits, long nowNanos) {
        Span span = atCap.get(key);
        if (span != null && !span.isOver(nowNanos)) {
            span.goOn(permits, nowNanos);
            return;
        }
        if (span != null) {
            atCap.remove(key);
            if (span.told) {
                ended.add(span.news(limit, key, true)); // one a key between two rounds, since the next is not told yet
            }
        }
        Span candidate = candidates.get(key);
        if (candidate == null || candidate.isOver(nowNanos)) {
            candidate = new Span(nowNanos);
            candidates.put(key, candidate);
        }
        candidate.goOn(permits, nowNanos);
        if (candidate.nanos() >= lastingNanos && atCap.size() < MOST_AT_CAP) {
            candidates.remove(key);
            atCap.put(key, candidate);
        }
    }

    /** Lets time pass, and says what is new. */
    List<KeyAtCap> tend(long nowNanos) {
        List<KeyAtCap> news = new ArrayList<>(ended);
        ended.clear();
        Iterator<Map.Entry<String, Span>> each = atCap.entrySet().iterator();
        while (each.hasNext()) {
            Map.Entry<String, Span> next = each.next();
            Span span = next.getValue();
            if (!span.told) {
                span.told = true;
                news.add(span.news(limit, next.getKey(), false));
            }
            if (span.isOver(nowNanos)) {
                news.add(span.news(limit, next.getKey(), true));
                each.remove();
            }
        }
        return news;
    }

    /** Forgets all keys; none of them is news any more. */
    void clear() {
        candidates.clear();
        atCap.clear();
        ended.clear();
    }

    /** Denials of one key with no gap between that is too long. */
    private static final class Span {
        private final long sinceNanos;
        private long lastNanos;
        private long permits;
        private boolean told;

        Span(long nowNanos) {
            this.sinceNanos = nowNanos;
            this.lastNanos = nowNanos;
        }

        void goOn(long more, long nowNanos) {
            lastNanos = nowNanos;
            long sum = permits + more;
            permits = sum < 0 ? Long.MAX_VALUE : sum;
        }

        boolean isOver(long nowNanos) {
            return nowNanos - lastNanos > KeyWatch.GAP.toNanos();
        }

        long nanos() {
            return lastNanos - sinceNanos;
        }

        KeyAtCap news(String limit, String key, boolean ended) {
            return new KeyAtCap(limit, key, ended, Duration.ofNanos(nanos()), permits);
        }
    }
}
