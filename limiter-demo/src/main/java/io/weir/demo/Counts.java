package io.weir.demo;

import java.util.List;
import java.util.stream.IntStream;

/** How many requests ended how. */
record Counts(long granted, long denied, long unavailable, long failed) {

    static final Counts NONE = new Counts(0, 0, 0, 0);

    static Counts sum(List<Counts> all) {
        return all.stream().reduce(NONE, Counts::plus);
    }

    /** What each member has counted since. */
    static List<Counts> minus(List<Counts> now, List<Counts> before) {
        return IntStream.range(0, now.size())
                .mapToObj(i -> now.get(i).minus(before.get(i)))
                .toList();
    }

    long asked() {
        return granted + denied + unavailable + failed;
    }

    Counts plus(Outcome outcome) {
        return switch (outcome) {
            case GRANTED -> new Counts(granted + 1, denied, unavailable, failed);
            case DENIED -> new Counts(granted, denied + 1, unavailable, failed);
            case UNAVAILABLE -> new Counts(granted, denied, unavailable + 1, failed);
            case FAILED -> new Counts(granted, denied, unavailable, failed + 1);
        };
    }

    Counts plus(Counts other) {
        return new Counts(
                granted + other.granted, denied + other.denied, unavailable + other.unavailable, failed + other.failed);
    }

    private Counts minus(Counts other) {
        return new Counts(
                granted - other.granted, denied - other.denied, unavailable - other.unavailable, failed - other.failed);
    }
}
