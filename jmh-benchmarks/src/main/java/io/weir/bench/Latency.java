package io.weir.bench;

import java.util.List;
import java.util.Locale;
import java.util.function.ToDoubleFunction;
import org.openjdk.jmh.results.IterationResult;
import org.openjdk.jmh.util.Statistics;

/**
 * How long calls take, and how many there are.
 *
 * @param perSecond how many calls all threads together make
 * @param medianNanos what half of the calls take at most
 * @param slowNanos what 99 of a hundred take at most
 */
record Latency(double perSecond, double medianNanos, double slowNanos) {

    /** Of samples in nanoseconds: of each figure the median of the iterations. */
    static Latency of(List<IterationResult> iterations, int threads) {
        return new Latency(
                threads * 1e9 / median(iterations, Statistics::getMean),
                median(iterations, samples -> samples.getPercentile(50)),
                median(iterations, samples -> samples.getPercentile(99)));
    }

    private static double median(List<IterationResult> iterations, ToDoubleFunction<Statistics> figure) {
        return Median.of(iterations.stream()
                .map(iteration -> iteration.getPrimaryResult().getStatistics())
                .mapToDouble(figure)
                .toArray());
    }

    @Override
    public String toString() {
        return String.format(
                Locale.ROOT, "%,.0f/s, %.2f ms, %.2f ms", perSecond, medianNanos / 1_000_000, slowNanos / 1_000_000);
    }
}
