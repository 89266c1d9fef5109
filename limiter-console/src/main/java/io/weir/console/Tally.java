package io.weir.console;

import io.weir.store.Source;
import java.util.List;

/**
 * Decisions, counted. Immutable.
 *
 * @param granted how many were granted
 * @param denied how many were denied
 * @param never how many asked for more than the capacity
 * @param bySource all of them by where they came from, in the order of {@link #SOURCES}. Not to be changed
 */
@SuppressWarnings("ArrayRecordComponent") // a thousand limits have one each, every second, and nobody compares them
record Tally(long granted, long denied, long never, long[] bySource) {

    static final List<Source> SOURCES = List.of(Source.values());

    static final Tally NONE = new Tally(0, 0, 0, new long[SOURCES.size()]);

    /** All of them. */
    long asked() {
        return granted + denied + never;
    }

    /** What has come since. */
    Tally since(Tally before) {
        long[] more = new long[bySource.length];
        for (int i = 0; i < more.length; i++) {
            more[i] = bySource[i] - before.bySource[i];
        }
        return new Tally(granted - before.granted, denied - before.denied, never - before.never, more);
    }
}
