package io.weir;

/**
 * What a node has granted on a key and its owner surely was not charged. Immutable.
 *
 * <p>It is counted in spans of the time in which the whole limit refills from empty. What was granted longer ago than that
 * is moot: the bucket would be full again by now, whether it had been charged then or not. So at most the last two spans
 * count: a grant is forgotten after one to two of them, and never sooner.
 *
 * @param present granted in the span that began at {@code sinceNanos}
 * @param former granted in the span before it
 */
record Unpaid(long present, long former, long sinceNanos) {

    static final Unpaid NOTHING = new Unpaid(0, 0, 0);

    /** With permits granted now. */
    Unpaid plus(long permits, long nowNanos, long spanNanos) {
        Unpaid current = at(nowNanos, spanNanos);
        return current.total() == 0
                ? new Unpaid(permits, 0, nowNanos)
                : new Unpaid(sum(current.present, permits), current.former, current.sinceNanos);
    }

    /** What still matters. */
    Unpaid at(long nowNanos, long spanNanos) {
        long age = nowNanos - sinceNanos;
        if (age < spanNanos) {
            return this;
        }
        return age - spanNanos < spanNanos ? new Unpaid(0, present, sinceNanos + spanNanos) : NOTHING;
    }

    /** Without permits that came back. */
    Unpaid less(long permits) {
        long ofPresent = Math.min(present, permits);
        return new Unpaid(present - ofPresent, Math.max(0, former - (permits - ofPresent)), sinceNanos);
    }

    long total() {
        return sum(present, former);
    }

    private static long sum(long a, long b) {
        long sum = a + b;
        return sum < 0 ? Long.MAX_VALUE : sum;
    }
}
