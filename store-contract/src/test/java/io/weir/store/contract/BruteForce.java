package io.weir.store.contract;

import io.weir.algorithm.Bandwidth;
import java.util.ArrayList;
import java.util.List;

/**
 * The questions that {@link HistoryChecker} answers, answered by looking at every span and at every order. For numbers
 * so small that nothing overflows.
 *
 * <p>Time is cut into ticks of {@code 1 / refill} nanoseconds, each of which adds one of the {@code period} units that
 * make a permit. A bucket then reaches any level at a tick, and nothing is rounded.
 */
final class BruteForce {

    private final long refill;
    private final long unitsPerPermit;
    private final long burst;

    /** A bucket that holds this bandwidth's capacity and some permits more. */
    BruteForce(Bandwidth bandwidth, long extraPermits) {
        refill = bandwidth.refill();
        unitsPerPermit = bandwidth.period().toNanos();
        burst = (bandwidth.capacity() + extraPermits) * unitsPerPermit;
    }

    /** Whether a bucket can grant all, each at one instant of its span. */
    boolean feasible(List<Grant> grants) {
        return feasible(grants, Long.MIN_VALUE / 2, burst);
    }

    // In a given order it is best to grant each as early as can be: a bucket that granted earlier holds no less later.
    private boolean feasible(List<Grant> rest, long now, long level) {
        if (rest.isEmpty()) {
            return true;
        }
        for (Grant next : rest) {
            long cost = next.permits() * unitsPerPermit;
            long arrival = Math.max(now, next.startNanos() * refill);
            long there = Math.min(burst, level + (arrival - now));
            long at = arrival + Math.max(0, cost - there);
            if (cost <= burst && at <= next.endNanos() * refill) {
                List<Grant> others = new ArrayList<>(rest);
                others.remove(next);
                if (feasible(others, at, Math.max(there, cost) - cost)) {
                    return true;
                }
            }
        }
        return false;
    }

    /** The most permits, rounded up, by which a span or a single grant is above the bound; 0 if none is. */
    long greatestExcess(List<Grant> grants) {
        long most = 0;
        for (Grant first : grants) {
            most = Math.max(most, first.permits() * unitsPerPermit - burst);
            for (Grant last : grants) {
                long granted = grants.stream()
                        .filter(grant ->
                                grant.startNanos() >= first.startNanos() && grant.endNanos() <= last.endNanos())
                        .mapToLong(Grant::permits)
                        .sum();
                long allowed = burst + (last.endNanos() - first.startNanos()) * refill;
                most = granted == 0 ? most : Math.max(most, granted * unitsPerPermit - allowed);
            }
        }
        return (most + unitsPerPermit - 1) / unitsPerPermit;
    }

    /** The permits of the largest grant that both starts before and ends after another one; 0 if none does. */
    static long largestEnclosing(List<Grant> grants) {
        return grants.stream()
                .filter(outer -> grants.stream()
                        .anyMatch(inner ->
                                outer.startNanos() < inner.startNanos() && inner.endNanos() < outer.endNanos()))
                .mapToLong(Grant::permits)
                .max()
                .orElse(0);
    }
}
