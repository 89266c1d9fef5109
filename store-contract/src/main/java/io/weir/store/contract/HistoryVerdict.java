package io.weir.store.contract;

import java.time.Duration;
import java.util.Optional;

/** What a {@link HistoryChecker} says of a history. Its {@code toString} is one line, made to be printed. */
public sealed interface HistoryVerdict {

    /** How many grants were judged. */
    int grants();

    /** The permits of all those grants together. */
    long permits();

    /** Whether nothing was granted above the bound. */
    default boolean withinBound() {
        return greatestExcess().isEmpty();
    }

    /** Where most was granted above the bound, if anything was. */
    Optional<Excess> greatestExcess();

    /**
     * No span holds more than the bound allows.
     *
     * @param bound what was held against the history
     * @param grants how many grants were judged
     * @param permits of all those grants together
     */
    record Within(HistoryChecker bound, int grants, long permits) implements HistoryVerdict {

        @Override
        public Optional<Excess> greatestExcess() {
            return Optional.empty();
        }

        @Override
        public String toString() {
            return "WITHIN the bound of " + bound + ": " + grants + " grants of " + permits + " permits";
        }
    }

    /**
     * At least one span holds more than the bound allows.
     *
     * @param bound what was held against the history
     * @param grants how many grants were judged
     * @param permits of all those grants together
     * @param worst the span with the greatest excess
     */
    record Above(HistoryChecker bound, int grants, long permits, Excess worst) implements HistoryVerdict {

        @Override
        public Optional<Excess> greatestExcess() {
            return Optional.of(worst);
        }

        @Override
        public String toString() {
            return "ABOVE the bound of " + bound + " by " + worst + "; in all " + grants + " grants of " + permits
                    + " permits";
        }
    }

    /**
     * A span in which more was granted than the bound allows.
     *
     * @param startNanos where it starts
     * @param endNanos where it ends, included
     * @param granted the permits of the grants that lie in it from start to end
     * @param allowed the whole permits that the bound allows in it; or, for a single grant that is too large for any
     *     instant of its span, in an instant
     */
    record Excess(long startNanos, long endNanos, long granted, long allowed) {

        /**
         * Checks that it is one.
         *
         * @throws IllegalArgumentException if the span ends before it starts or {@code granted} is not above
         *     {@code allowed}
         */
        public Excess {
            if (endNanos < startNanos) {
                throw new IllegalArgumentException(
                        "a span must not end before it starts but is from " + startNanos + " to " + endNanos + " ns");
            }
            if (granted <= allowed) {
                throw new IllegalArgumentException(
                        "granted must be above allowed but is " + granted + " where " + allowed + " are allowed");
            }
        }

        /** The permits above the bound, rounded up to a whole one. */
        public long permits() {
            return granted - allowed;
        }

        @Override
        public String toString() {
            return permits() + ": " + granted + " permits granted where " + allowed + " are allowed, in the "
                    + HistoryChecker.inWords(Duration.ofNanos(endNanos).minusNanos(startNanos)) + " from " + startNanos
                    + " to " + endNanos
                    + " ns";
        }
    }
}
