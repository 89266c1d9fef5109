package io.weir.quota;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a step has to know of the database, besides the balances of its accounts.
 *
 * @param spots its accounts, in the order in which they are created and locked
 * @param starts when the period of each probably started. Periods are loaded that have not ended, and the one that started then: where a rule was
 *     given a longer period it has ended by the former rule, but its row is the one to count in
 * @param reservation the key of the reservation it is about; null if it is about none
 * @param operation the key that it is remembered under; null if it is not
 * @param spend the key of the spend that it refunds; null if it refunds none
 */
record Lookup(
        List<Spot> spots,
        List<Instant> starts,
        @Nullable String reservation,
        @Nullable String operation,
        @Nullable String spend) {

    /** @param about what time it is, as far as the caller knows */
    static Lookup of(Step step, Instant about) {
        boolean ofReservation = step.kind().ofReservation();
        String key = step.key().stored();
        List<Spot> spots = step.sortedSpots();
        List<Instant> starts = new ArrayList<>();
        for (Spot each : spots) {
            starts.add(step.charges().stream()
                    .filter(charge -> Spot.of(charge).equals(each))
                    .findFirst()
                    .map(charge -> start(charge, about))
                    .orElse(Instant.EPOCH));
        }
        return new Lookup(
                spots,
                starts,
                ofReservation || step.kind() == Step.Kind.UNDO ? key : null,
                ofReservation ? null : key,
                step.spend() == null ? null : step.spend().stored());
    }

    /** Of a balance alone. */
    static Lookup of(Charge charge, Instant about) {
        return new Lookup(List.of(Spot.of(charge)), List.of(start(charge, about)), null, null, null);
    }

    /** Of an account whose rule is not known. */
    static Lookup of(Spot spot) {
        return new Lookup(List.of(spot), List.of(Instant.EPOCH), null, null, null);
    }

    private static Instant start(Charge charge, Instant about) {
        return charge.quota().period().windowAt(about).start();
    }
}
