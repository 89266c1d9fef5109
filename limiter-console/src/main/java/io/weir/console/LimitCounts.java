package io.weir.console;

import io.weir.algorithm.Verdict;
import io.weir.store.Source;
import java.util.List;
import java.util.concurrent.atomic.LongAdder;

/** How often a limit has decided what, and by whom. Thread-safe. */
final class LimitCounts {

    private static final List<Verdict> VERDICTS = List.of(Verdict.values());

    /** By verdict and source, in the order in which these are declared. */
    private final LongAdder[][] counts = new LongAdder[VERDICTS.size()][Tally.SOURCES.size()];

    LimitCounts() {
        for (LongAdder[] each : counts) {
            for (int i = 0; i < each.length; i++) {
                each[i] = new LongAdder();
            }
        }
    }

    @SuppressWarnings("EnumOrdinal") // of this JVM only, and every request pays for the way
    void decided(Verdict verdict, Source source) {
        counts[verdict.ordinal()][source.ordinal()].increment();
    }

    /** All of it so far. What is counted meanwhile may be in it or not. */
    Tally tally() {
        long[] byVerdict = new long[counts.length];
        long[] bySource = new long[Tally.SOURCES.size()];
        for (int verdict = 0; verdict < counts.length; verdict++) {
            for (int source = 0; source < bySource.length; source++) {
                long sum = counts[verdict][source].sum();
                byVerdict[verdict] += sum;
                bySource[source] += sum;
            }
        }
        return new Tally(
                byVerdict[VERDICTS.indexOf(Verdict.GRANTED)],
                byVerdict[VERDICTS.indexOf(Verdict.DENIED)],
                byVerdict[VERDICTS.indexOf(Verdict.NEVER)],
                bySource);
    }
}
