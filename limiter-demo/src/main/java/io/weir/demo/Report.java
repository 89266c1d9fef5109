package io.weir.demo;

import io.weir.algorithm.Bandwidth;
import io.weir.store.contract.HistoryChecker;
import io.weir.store.contract.HistoryVerdict;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.ToLongFunction;

/**
 * What a demo has shown.
 *
 * @param bandwidth what was enforced
 * @param counts of each member
 * @param span from the first request to the last answer
 * @param history what the checker says
 * @param events what happened meanwhile
 */
record Report(
        Bandwidth bandwidth, List<Counts> counts, Duration span, HistoryVerdict history, List<Tour.Event> events) {

    /** Below it something is wrong: the load takes whatever the limit allows. */
    private static final int LEAST_PERCENT = 98;

    /** For how long a cut is not noticed at most, with the settings of the members. */
    private static final int UNNOTICED_SECONDS = 3;

    static Report of(Bandwidth bandwidth, Tally tally, List<Tour.Event> events) {
        HistoryVerdict history = HistoryChecker.of(bandwidth).check(tally.grants());
        // What docs/faults.md allows for each: one more capacity, and the refill until it is noticed.
        long more = events.stream()
                .mapToLong(each -> switch (each.act()) {
                    case CUT -> bandwidth.capacity() + UNNOTICED_SECONDS * bandwidth.refill();
                    case FREEZE -> bandwidth.capacity() + bandwidth.refill();
                    default -> 0;
                })
                .sum();
        if (!history.withinBound() && more > 0) {
            history = HistoryChecker.of(
                            Bandwidth.of(bandwidth.capacity() + more, bandwidth.refill(), bandwidth.period()))
                    .check(tally.grants());
        }
        return new Report(bandwidth, tally.counts(), tally.span(), history, events);
    }

    /** Whether the limit held, and was used up. */
    boolean isGood() {
        return history.withinBound() && (hadFaults() || usedUp());
    }

    /** The permits that the limit allows in the span, if all are asked for. */
    long allowed() {
        return bandwidth.capacity() + span.multipliedBy(bandwidth.refill()).dividedBy(bandwidth.period());
    }

    /** The table, as lines. */
    List<String> lines() {
        List<String> lines = new ArrayList<>();
        lines.add("               member 1    member 2    member 3         all");
        lines.add(row("asked", Counts::asked));
        lines.add(row("granted", Counts::granted));
        lines.add(row("denied", Counts::denied));
        lines.add(row("unavailable", Counts::unavailable));
        lines.add(row("failed", Counts::failed));
        lines.add("");
        if (!events.isEmpty()) {
            events.forEach(each -> lines.add(each.toString()));
            lines.add("");
        }
        lines.add(format(
                "limit        %d at once and %d per second: %d in %.1f s",
                bandwidth.capacity(), bandwidth.refill(), allowed(), span.toMillis() / 1e3));
        lines.add(format("granted      %.1f %% of that", granted() * 100.0 / allowed()));
        lines.add("history      " + history);
        lines.add("verdict      " + verdict());
        return lines;
    }

    private String verdict() {
        if (!history.withinBound()) {
            return "BROKEN: more was granted than the limit allows";
        }
        if (hadFaults()) {
            return "the limit held, through all of that";
        }
        return usedUp()
                ? "the limit held, on all members together, and was used up"
                : "the limit held, but less than " + LEAST_PERCENT + " % of it was granted";
    }

    private boolean hadFaults() {
        return events.stream().anyMatch(each -> each.act().isFault());
    }

    private boolean usedUp() {
        return granted() * 100 >= allowed() * LEAST_PERCENT;
    }

    private long granted() {
        return Counts.sum(counts).granted();
    }

    private String row(String name, ToLongFunction<Counts> column) {
        StringBuilder row = new StringBuilder(format("%-11s", name));
        for (Counts member : counts) {
            row.append(format("%12d", column.applyAsLong(member)));
        }
        return row.append(format("%12d", column.applyAsLong(Counts.sum(counts))))
                .toString();
    }

    private static String format(String pattern, Object... values) {
        return String.format(Locale.ROOT, pattern, values);
    }
}
