package io.weir.console;

import io.weir.console.NodeNote.KeyLine;
import io.weir.console.NodeNote.LimitLine;
import io.weir.console.Snapshot.MergedLimit;
import io.weir.console.Snapshot.Rates;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;

/** Makes one list of limits out of those of several nodes. Pure. */
final class LimitMerge {

    private static final double NANOS = Duration.ofSeconds(1).toNanos();

    private static final Comparator<MergedLimit> ORDER = Comparator.comparingDouble(
                    (MergedLimit each) -> -each.deniedRate())
            .thenComparingDouble(each -> -each.askedRate())
            .thenComparing(MergedLimit::name);

    private static final Comparator<KeyLine> BUSIEST =
            Comparator.comparingLong((KeyLine each) -> -each.asked()).thenComparing(KeyLine::key);

    private LimitMerge() {}

    /** A node's line of a limit, with the time that it tells of. */
    private record Told(LimitLine line, long lastingNanos) {}

    /** The limits of all notes, those that deny and are asked most first. */
    static List<MergedLimit> of(Collection<NodeNote> notes) {
        Map<String, List<Told>> byName = new LinkedHashMap<>();
        for (NodeNote note : notes) {
            for (LimitLine line : note.limits()) {
                byName.computeIfAbsent(line.name(), name -> new ArrayList<>()).add(new Told(line, note.lastingNanos()));
            }
        }
        return byName.values().stream().map(LimitMerge::merged).sorted(ORDER).toList();
    }

    private static MergedLimit merged(List<Told> told) {
        LimitLine newest = told.get(0).line();
        boolean differs = false;
        boolean on = true;
        boolean degraded = false;
        String why = null;
        long fallbackMillis = 0;
        long answered = 0;
        long granted = 0;
        long denied = 0;
        long never = 0;
        for (Told each : told) {
            LimitLine line = each.line();
            differs |= !isAlike(line, newest);
            if (line.version() > newest.version()) {
                newest = line;
            }
            on &= line.on();
            degraded |= line.degraded();
            why = why == null ? line.why() : why;
            fallbackMillis = Math.max(fallbackMillis, line.fallbackMillis());
            answered += line.answeredByPolicy();
            granted += line.inAll().granted();
            denied += line.inAll().denied();
            never += line.inAll().never();
        }
        return new MergedLimit(
                newest,
                on,
                differs,
                degraded,
                why,
                fallbackMillis / 1e3,
                answered,
                rates(told),
                granted,
                denied,
                never,
                told.size() == 1 ? newest.keys() : busiest(told));
    }

    private static boolean isAlike(LimitLine one, LimitLine other) {
        return one.version() == other.version()
                && one.on() == other.on()
                && one.exact() == other.exact()
                && one.shadow() == other.shadow()
                && one.algorithm().equals(other.algorithm())
                && one.policy().equals(other.policy())
                && one.bandwidths().equals(other.bandwidths());
    }

    private static Rates rates(List<Told> told) {
        double[] bySource = new double[Tally.SOURCES.size()];
        double granted = 0;
        double denied = 0;
        double never = 0;
        boolean known = false;
        for (Told each : told) {
            if (each.lastingNanos() == 0) {
                continue; // it has only begun to count
            }
            known = true;
            double perSecond = NANOS / each.lastingNanos();
            Tally lately = each.line().lately();
            granted += lately.granted() * perSecond;
            denied += lately.denied() * perSecond;
            never += lately.never() * perSecond;
            for (int i = 0; i < bySource.length; i++) {
                bySource[i] += lately.bySource()[i] * perSecond;
            }
        }
        List<OptionalDouble> sources = new ArrayList<>(bySource.length);
        for (double each : bySource) {
            sources.add(known(known, each));
        }
        return new Rates(known(known, granted), known(known, denied), known(known, never), sources);
    }

    private static OptionalDouble known(boolean known, double value) {
        return known ? OptionalDouble.of(value) : OptionalDouble.empty();
    }

    /** A key that several nodes name counts once, with what all of them say and the least that one of them found left. */
    private static List<KeyLine> busiest(List<Told> told) {
        Map<String, KeyLine> byKey = new LinkedHashMap<>();
        for (Told each : told) {
            for (KeyLine key : each.line().keys()) {
                byKey.merge(key.key(), key, LimitMerge::together);
            }
        }
        return byKey.values().stream().sorted(BUSIEST).limit(NodeNote.MOST_KEYS).toList();
    }

    private static KeyLine together(KeyLine one, KeyLine other) {
        return new KeyLine(
                one.key(),
                one.asked() + other.asked(),
                one.denied() + other.denied(),
                lower(one.headroom(), other.headroom()));
    }

    private static OptionalDouble lower(OptionalDouble one, OptionalDouble other) {
        if (one.isEmpty() || other.isEmpty()) {
            return one.isEmpty() ? other : one;
        }
        return OptionalDouble.of(Math.min(one.getAsDouble(), other.getAsDouble()));
    }
}
