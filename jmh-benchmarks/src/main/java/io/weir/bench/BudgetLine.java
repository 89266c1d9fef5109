package io.weir.bench;

import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What one kind of check costs, beside what it may.
 *
 * @param name of the kind
 * @param expected how many times a caller should wait for a link, there and back
 * @param counted the packets
 * @param timed how long a check took over a long link, or null if none was timed
 */
record BudgetLine(
        String name,
        double expected,
        CountedCost counted,
        @Nullable Timing timed) {

    /** What every kind of check promises. */
    static final double MOST_ROUND_TRIPS = 2;

    /** What is added for everything that is no link: a tenth of the way, and something where there is none. */
    private static final double SLACK = 0.1;

    private static final double LEAST_SLACK = 0.05;

    /**
     * Times over a long link.
     *
     * @param millis of a check, the median
     * @param linkMillis of a ping over the same link, the median
     */
    record Timing(double millis, double linkMillis) {

        double roundTrips() {
            return millis / linkMillis;
        }
    }

    /** The same, with times. */
    BudgetLine timed(Timing timing) {
        return new BudgetLine(name, expected, counted, timing);
    }

    /** The most round trips that a check may take by the clock. */
    double mostTimed() {
        return expected + Math.max(expected * SLACK, LEAST_SLACK);
    }

    /** What is broken, if anything is. */
    Optional<String> broken() {
        NetworkCost cost = counted.typical();
        if (Math.max(cost.roundTrips(), cost.mostRoundTrips()) > MOST_ROUND_TRIPS) {
            return Optional.of(
                    format("%s takes %.2f packets, %.2f round trips", name, cost.packets(), cost.roundTrips()));
        }
        if (timed != null && timed.roundTrips() > mostTimed()) {
            return Optional.of(format("%s takes %.2f round trips by the clock", name, timed.roundTrips()));
        }
        return Optional.empty();
    }

    @Override
    public String toString() {
        NetworkCost cost = counted.typical();
        NetworkCost inAll = counted.inAll();
        String line = format(
                "%-20s %.2f operations, %.2f packets = %.2f round trips (in all %.4f operations, %.4f packets)",
                name, cost.operations(), cost.packets(), cost.roundTrips(), inAll.operations(), inAll.packets());
        return timed == null
                ? line
                : line
                        + format(
                                "; %.3f ms = %.2f round trips, at most %.2f",
                                timed.millis(), timed.roundTrips(), mostTimed());
    }

    private static String format(String format, Object... values) {
        return String.format(Locale.ROOT, format, values);
    }
}
