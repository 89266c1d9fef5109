package io.weir.quota;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a step has to know of the database, besides the balances of its accounts.
 *
 * @param spots its accounts, in the order in which they are created and locked
 * @param reservation the key of the reservation it is about; null if it is about none
 * @param operation the key that it is remembered under; null if it is not
 * @param spend the key of the spend that it refunds; null if it refunds none
 */
record Lookup(
        List<Spot> spots,
        @Nullable String reservation,
        @Nullable String operation,
        @Nullable String spend) {

    static Lookup of(Step step) {
        boolean ofReservation = step.kind().ofReservation();
        String key = step.key().stored();
        return new Lookup(
                step.sortedSpots(),
                ofReservation || step.kind() == Step.Kind.UNDO ? key : null,
                ofReservation ? null : key,
                step.spend() == null ? null : step.spend().stored());
    }

    static Lookup of(Spot spot) {
        return new Lookup(List.of(spot), null, null, null);
    }
}
