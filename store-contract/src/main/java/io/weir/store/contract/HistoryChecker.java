package io.weir.store.contract;

import io.weir.algorithm.Bandwidth;
import io.weir.store.contract.HistoryVerdict.Excess;
import java.math.BigInteger;
import java.time.Duration;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.PriorityQueue;
import java.util.stream.Stream;

/**
 * Judges what was granted against a bound of the form {@code capacity + refill * t} in any span {@code t} (I1), knowing
 * of each grant only a span of time in which it was decided.
 *
 * <p>A history is <em>above</em> the bound if and only if some span holds, from start to end, grants of more permits
 * than the bound allows in a span of that length, or a single grant is of more permits than it allows in an instant.
 * That means:
 *
 * <ul>
 *   <li><b>No false alarm.</b> If there is any instant for each grant at which a token bucket could have granted it, the
 *       verdict is {@linkplain HistoryVerdict.Within within}.
 *   <li><b>Exact unless spans enclose one another.</b> If no grant both starts before another one and ends after it,
 *       then within means that such instants exist.
 *   <li><b>Otherwise blind to less than one grant.</b> Within then means that such instants exist for a bucket whose
 *       capacity is larger by some amount below the largest grant that encloses another. With single permits no excess
 *       of a whole permit is missed.
 * </ul>
 *
 * <p>The rest of that grant cannot be had: it would decide an NP-hard problem. Several bandwidths are judged one by one.
 *
 * <p>Integers only, nothing is rounded. {@code n} grants cost {@code n log n} steps; a million take a second or two.
 *
 * @param bandwidth capacity and refill of the bound
 * @param extraPermits what the bound allows once more in any span, on top of the capacity: 0 or more
 * @param extraRefill a time whose refill the bound allows once more in any span: 0 to 292 years
 */
public record HistoryChecker(Bandwidth bandwidth, long extraPermits, Duration extraRefill) {

    /*
     * Write C for the burst (capacity and extras), R for the refill, and s, e, p for start, end and permits of a grant.
     *
     * A bucket is a server with late deadlines. Let a server of speed R work off every grant, p permits of work each,
     * not before s and by e + C/R, at liberty to interrupt one grant for another. Where it works at y on a grant, let
     * min(y, e) be the instant at which that part was decided. This lies in the grant's span, and what was decided in
     * [a, b] was worked off in [a, b + C/R], so it is at most C + R * (b - a): I1 holds. Conversely a bucket that keeps
     * I1 is such a server: its missing tokens are the backlog, at most C, first in first out. So if grants could be
     * decided in parts, the history is feasible if and only if the server can meet every deadline. It is known that then
     * earliest deadline first meets them, and that it fails only where a span holds more work than fits in it.
     *
     * How late is how much. Take the grant that is finished the longest after its deadline, at f, and go back to the last
     * instant a before f at which no unfinished grant with an end up to e was there. In [a, f] the server did only such grants,
     * all started in [a, e]; so [a, e] holds at least R * (f - a) permits, which is R * (f - e - C/R) above the bound.
     * No span exceeds it by more, since the last of its grants to be finished would be that late. Lateness times R is
     * therefore the greatest excess, and the queue finds it without looking at all n^2 spans.
     *
     * Grants are decided whole. That is why p <= C is asked of each. And it is why "within" is not yet the whole truth:
     * let the server finish each grant that it starts, say at y, and let min(y, e) be the one instant. If it met the
     * deadlines, I1 would hold as above, since p/R <= C/R. It can be late only for a grant k, started at t with a later deadline than the
     * grants that come after t and then have to wait for it: those lie inside of k's span, start and end. Since their
     * own span from a > t on is not overfull, the wait makes them late by less than p(k)/R. So a capacity of C + p(k) is
     * enough for the largest such k, and C is enough where there is none.
     *
     * Why not exact. 3-PARTITION asks whether 3m numbers that sum to m * C, each between C/4 and C/2, fall into m
     * triples of sum C. Grant the whole capacity C at each of m + 1 known instants, 2C/R apart, and the numbers anywhere
     * from the first to the last. Each known instant needs a full bucket and leaves an empty one, so that each of the m
     * gaps has exactly C to spare, and instants exist if and only if the triples do.
     */

    /**
     * Checks the allowances.
     *
     * @throws IllegalArgumentException naming the value, if one is out of range
     */
    public HistoryChecker {
        if (extraPermits < 0) {
            throw new IllegalArgumentException("extra permits must not be negative but is " + extraPermits);
        }
        if (extraRefill.isNegative() || extraRefill.compareTo(Duration.ofNanos(Long.MAX_VALUE)) > 0) {
            throw new IllegalArgumentException("extra refill must be of 0 to 292 years but is of " + extraRefill);
        }
    }

    /** The plain bound: {@code capacity + refill * t} in any span {@code t}. */
    public static HistoryChecker of(Bandwidth bandwidth) {
        return new HistoryChecker(bandwidth, 0, Duration.ZERO);
    }

    /**
     * The same bound, larger by {@code permits} in any span.
     *
     * @throws IllegalArgumentException if the extra permits become negative
     */
    public HistoryChecker plusPermits(long permits) {
        return new HistoryChecker(bandwidth, Math.addExact(extraPermits, permits), extraRefill);
    }

    /**
     * The same bound, larger by the refill of {@code time} in any span: {@code capacity + refill * (t + time)}.
     *
     * @throws IllegalArgumentException if the extra refill becomes negative or more than 292 years
     */
    public HistoryChecker plusRefillOf(Duration time) {
        return new HistoryChecker(bandwidth, extraPermits, extraRefill.plus(time));
    }

    /**
     * Judges a history.
     *
     * @param history the grants, in any order, all timed by one clock
     * @return within the bound, or above it and where
     * @throws ArithmeticException if all grants together are of more permits than a {@code long} holds
     */
    public HistoryVerdict check(Collection<Grant> history) {
        List<Grant> byStart = history.stream()
                .sorted(Comparator.comparingLong(Grant::startNanos))
                .toList();
        long permits = byStart.stream().mapToLong(Grant::permits).reduce(0, Math::addExact);
        return Stream.concat(fullestSpan(byStart).stream(), largestGrant(byStart).stream())
                .max(Comparator.comparingLong(Excess::permits))
                .<HistoryVerdict>map(worst -> new HistoryVerdict.Above(this, byStart.size(), permits, worst))
                .orElseGet(() -> new HistoryVerdict.Within(this, byStart.size(), permits));
    }

    /** The bound as it is written: capacity, extras and refill. */
    @Override
    public String toString() {
        return bandwidth.capacity()
                + (extraPermits == 0 ? "" : " + " + extraPermits)
                + (extraRefill.isZero() ? "" : " + refill of " + inWords(extraRefill))
                + " + " + bandwidth.refill() + " per " + inWords(bandwidth.period());
    }

    /** {@code 1m30.5s}, for people who have not met {@code PT1M30.5S}. */
    static String inWords(Duration duration) {
        return duration.toString().substring("PT".length()).toLowerCase(Locale.ROOT);
    }

    private Optional<Excess> largestGrant(List<Grant> grants) {
        return grants.stream()
                .max(Comparator.comparingLong(Grant::permits))
                .flatMap(grant -> excess(grant.startNanos(), grant.endNanos(), grant.permits(), burst()));
    }

    private Optional<Excess> fullestSpan(List<Grant> byStart) {
        Server server = new Server();
        for (Grant grant : byStart) {
            server.accept(grant);
        }
        server.finish();
        return excessUntil(server.latestEnd, byStart);
    }

    /** Of the spans that end at {@code end}, the one with the greatest excess. */
    private Optional<Excess> excessUntil(long end, List<Grant> byStart) {
        Optional<Excess> worst = Optional.empty();
        BigInteger burst = burst();
        BigInteger most = BigInteger.ZERO;
        long granted = 0;
        for (int i = byStart.size() - 1; i >= 0; i--) {
            Grant grant = byStart.get(i);
            if (grant.endNanos() <= end) {
                granted += grant.permits();
                BigInteger allowed = burst.add(refillUnits(end)).subtract(refillUnits(grant.startNanos()));
                BigInteger above = permitUnits(granted).subtract(allowed);
                if (above.compareTo(most) > 0) {
                    most = above;
                    worst = excess(grant.startNanos(), end, granted, allowed);
                }
            }
        }
        return worst;
    }

    private Optional<Excess> excess(long start, long end, long granted, BigInteger allowedUnits) {
        return permitUnits(granted).compareTo(allowedUnits) <= 0
                ? Optional.empty()
                : Optional.of(new Excess(
                        start, end, granted, allowedUnits.divide(permitUnits(1)).longValueExact()));
    }

    // One permit is as many units as the period has nanoseconds, and one nanosecond brings as many as the refill says:
    // so all of permits, instants and work are whole numbers of one unit.

    private BigInteger permitUnits(long permits) {
        return BigInteger.valueOf(permits)
                .multiply(BigInteger.valueOf(bandwidth.period().toNanos()));
    }

    private BigInteger refillUnits(long nanos) {
        return BigInteger.valueOf(nanos).multiply(BigInteger.valueOf(bandwidth.refill()));
    }

    private BigInteger burst() {
        return permitUnits(bandwidth.capacity()).add(permitUnits(extraPermits)).add(refillUnits(extraRefill.toNanos()));
    }

    /** Works off grants, earliest end first, and remembers the end that it came latest after, if by over the burst. */
    private final class Server {

        private final PriorityQueue<Work> queue = new PriorityQueue<>();
        private BigInteger now = refillUnits(Long.MIN_VALUE);
        private BigInteger lateness = burst();
        private long latestEnd = Long.MIN_VALUE;

        /** Works until this grant starts, then queues it. */
        void accept(Grant grant) {
            BigInteger start = refillUnits(grant.startNanos());
            while (!queue.isEmpty() && now.compareTo(start) < 0) {
                Work work = queue.remove();
                BigInteger time = start.subtract(now);
                if (work.units.compareTo(time) > 0) {
                    now = start;
                    queue.add(new Work(work.endNanos, work.units.subtract(time)));
                } else {
                    complete(work);
                }
            }
            now = now.max(start);
            queue.add(new Work(grant.endNanos(), permitUnits(grant.permits())));
        }

        void finish() {
            while (!queue.isEmpty()) {
                complete(queue.remove());
            }
        }

        private void complete(Work work) {
            now = now.add(work.units);
            BigInteger late = now.subtract(refillUnits(work.endNanos));
            if (late.compareTo(lateness) > 0) {
                lateness = late;
                latestEnd = work.endNanos;
            }
        }
    }

    private record Work(long endNanos, BigInteger units) implements Comparable<Work> {

        @Override
        public int compareTo(Work other) {
            return Long.compare(endNanos, other.endNanos);
        }
    }
}
